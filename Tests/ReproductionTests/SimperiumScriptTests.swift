import Certification
import Simperium
import Testing
import Wire

@testable import Reproduction

@Suite struct SimperiumScriptTests {
    private var script = SimperiumScript()
    private var now: Int64 = 0

    private mutating func pass(_ seconds: Double) { now += Int64(seconds * 1e9) }

    private mutating func client(_ text: String, isLeftOut: Bool = false) {
        take(text, .client, isLeftOut: isLeftOut)
    }

    private mutating func server(_ text: String) { take(text, .server) }

    private mutating func take(_ text: String, _ sender: Peer, isLeftOut: Bool = false) {
        now += 1_000_000
        let bytes = Array(text.utf8)
        script.take(
            SimperiumCommand.parse(bytes, from: sender), in: bytes,
            at: Instant(nanoseconds: now), isLeftOut: isLeftOut)
    }

    private mutating func openBucket() {
        client("0:i:1:::100")
        server(#"0:i:{"current":"a1","index":[{"id":"old","v":3,"d":{"text":"one"}}]}"#)
    }

    private mutating func end() -> [Step] {
        script.finish(at: Instant(nanoseconds: now))
        return script.steps
    }

    @Test mutating func `an edit is a step, with what came before it waited for`() {
        openBucket()
        client(
            #"0:c:{"id":"old","o":"M","sv":3,"ccid":"x1","v":{"text":{"o":"d","v":"=3\t+ two"}}}"#)
        server(
            #"0:c:[{"id":"old","o":"M","sv":3,"ev":4,"cv":"a2","clientid":"me","ccids":["x1"],"v":{"text":{"o":"d","v":"=3\t+ two"}}}]"#
        )
        client(#"0:c:{"id":"new","o":"M","ccid":"x2","v":{"n":{"o":"+","v":1}}}"#)
        #expect(
            end() == [
                .waitSynced, .set(key: "old", data: #"{"text":"one two"}"#), .waitSynced,
                .set(key: "new", data: #"{"n":1}"#), .waitSynced,
            ])
    }

    @Test mutating func `nothing that the client sends again is a step`() {
        openBucket()
        let change = #"{"id":"new","o":"M","ccid":"x1","v":{"n":{"o":"+","v":1}}}"#
        client("0:c:\(change)")
        client("0:c:\(change)")
        server(#"0:c:[{"id":"new","error":440,"ccids":["x1"]}]"#)
        client(#"0:c:{"id":"new","o":"M","ccid":"x2","d":{"n":1}}"#)
        #expect(end() == [.waitSynced, .set(key: "new", data: #"{"n":1}"#), .waitSynced])
    }

    @Test mutating func `a removal and a change of another client are distinguished`() {
        openBucket()
        client(#"0:c:{"id":"old","o":"-","ccid":"x1"}"#)
        server(#"0:c:[{"id":"old","o":"-","sv":3,"cv":"a2","clientid":"me","ccids":["x1"]}]"#)
        server(
            #"0:c:[{"id":"theirs","o":"M","ev":1,"cv":"a3","clientid":"you","ccids":["y1"],"v":{"n":{"o":"+","v":2}}}]"#
        )
        client(#"0:c:{"id":"new","o":"M","ccid":"x2","v":{"n":{"o":"+","v":1}}}"#)
        #expect(
            end() == [
                .waitSynced, .delete(key: "old"), .waitSynced,
                .waitFor(key: "theirs", data: #"{"n":2}"#), .set(key: "new", data: #"{"n":1}"#),
                .waitSynced,
            ])
    }

    @Test mutating func `edits right after a socket opened were made offline`() {
        openBucket()
        let closed = now
        pass(5)
        script.reopened(at: Instant(nanoseconds: now), closedAt: Instant(nanoseconds: closed))
        client("0:cv:a1")
        client(#"0:c:{"id":"new","o":"M","ccid":"x1","v":{"n":{"o":"+","v":1}}}"#)
        server("0:c:[]")
        #expect(
            end() == [
                .waitSynced, .offline, .set(key: "new", data: #"{"n":1}"#), .online, .waitSynced,
            ])
    }

    @Test mutating func `a short absence is a break of the connection, and pauses are kept`() {
        openBucket()
        let closed = now
        pass(0.1)
        script.reopened(at: Instant(nanoseconds: now), closedAt: Instant(nanoseconds: closed))
        client("0:cv:a1")
        server("0:c:[]")
        pass(30)
        #expect(end() == [.waitSynced, .cut, .waitSynced, .pause(30)] + [.waitSynced])
    }

    @Test mutating func `the breach itself is no step where it is left out`() {
        openBucket()
        client(#"0:c:{"id":"new","o":"M","ccid":"x1","v":{"t":{"o":"+","v":"a"}}}"#)
        server(
            #"0:c:[{"id":"new","o":"M","ev":1,"cv":"a2","clientid":"me","ccids":["x1"],"v":{"t":{"o":"+","v":"a"}}}]"#
        )
        client(
            #"0:c:{"id":"new","o":"M","sv":1,"ccid":"x2","v":{"t":{"o":"d","v":"=1\t+a"}}}"#,
            isLeftOut: true)
        #expect(end() == [.waitSynced, .set(key: "new", data: #"{"t":"a"}"#), .waitSynced])
    }

    @Test mutating func `a change of an unknown version is counted`() {
        openBucket()
        client(#"0:c:{"id":"old","o":"M","sv":9,"ccid":"x1","v":{"text":{"o":"d","v":"=3"}}}"#)
        #expect(script.unexplained == 1)
        #expect(end() == [.waitSynced])
    }
}
