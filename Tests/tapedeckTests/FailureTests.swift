import Foundation
import Sessions
import Testing
import Trace

@testable import TraceWorld
@testable import tapedeck

@Suite struct FailureTests {
    @Test func `says why a file cannot be replayed`() throws {
        let missing = try #require(throws: TraceError.self) {
            _ = try RecordedSession(path: "/nonexistent/a.tape")
        }
        #expect(Failure(missing).status == .noInput)
        let trace = try SmallTrace()
        trace.finish()
        let text = trace.beside("text")
        try Data(repeating: 0x41, count: 5_000).write(to: URL(fileURLWithPath: text))
        let wrong = try #require(throws: TraceError.self) { _ = try RecordedSession(path: text) }
        #expect(Failure(wrong).status == .data)
        #expect(try RecordedSession(path: trace.path).exchanges.isEmpty)
    }
}
