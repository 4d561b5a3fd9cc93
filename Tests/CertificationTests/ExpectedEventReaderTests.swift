import Testing
import Wire

@testable import Certification
@testable import TraceWorld

struct ExpectedEventReaderTests {
    @Test func `a fault that could not be done does not count`() throws {
        let trace = try SmallTrace()
        let socket = trace.socket()
        trace.fault(socket, .server, "version-gap", effect: [], problem: "no change")
        trace.command(socket, .server, "h:1")
        let reader = try ExpectedEventReader(path: trace.path)
        let event = ExpectedEvent.fault("test", "a gap")
        let after = ExpectedEvent.lines("command:h", "a heartbeat", afterFault: "test")
        trace.finish()
        #expect(try reader.seen(event, now: trace.tick()).isThere == false)
        #expect(try reader.seen(after, now: trace.tick()).isThere == false)
    }

    @Test func `a fault that was done counts`() throws {
        let trace = try SmallTrace()
        let socket = trace.socket()
        trace.fault(socket, .server, "drop", effect: .lost)
        trace.command(socket, .server, "h:2")
        trace.finish()
        let reader = try ExpectedEventReader(path: trace.path)
        let event = ExpectedEvent.fault("test", "a lost heartbeat")
        let after = ExpectedEvent.lines("command:h", "a heartbeat", afterFault: "test")
        #expect(try reader.seen(event, now: trace.tick()).isThere)
        #expect(try reader.seen(after, now: trace.tick()).isThere)
    }
}
