import Framing
import Replaying
import Testing
import Wire

@testable import SyncServers

/// Recorded answers in memory, without sockets.
struct RecordedAnswersTests {
    private func ask(
        _ answers: RecordedAnswers, _ text: String, server: (host: String, port: Int)? = nil
    ) throws -> RecordedAnswers.Answer {
        var events: [HTTPEvent] = []
        var framer = HTTPFramer(role: .request)
        let bytes = Array(text.utf8)
        _ = framer.consume(bytes.span, into: &events)
        guard case .head(let head, let end)? = events.first else { return .missed("no head") }
        return answers.answer(head, body: Array(bytes[end...]), server: server, isSecure: false)
    }

    private func text(_ answer: RecordedAnswers.Answer) -> String {
        switch answer {
        case .recorded(let bytes, _): String(decoding: bytes, as: UTF8.self)
        case .missed(let why): why
        }
    }

    private func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: live:8\r\n\r\n" }

    @Test func `the nth of equal requests gets the nth answer`() throws {
        let made = ReplayServerTests()
        let answers = try RecordedAnswers(
            made.source([("/a", made.ok("one")), ("/b", nil), ("/a", made.ok("two"))]))
        #expect(
            try text(ask(answers, get("/a"))) == "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none")
        #expect(try text(ask(answers, get("/a"))).hasSuffix("\r\n\r\ntwo"))
        #expect(
            try text(ask(answers, get("/a")))
                == "the recording has no answer: recorded 2 times, received once more")
        #expect(try text(ask(answers, get("/b"))) == "exchange 2 of the recording has no answer")
        #expect(
            try text(ask(answers, get("/c"))).hasPrefix("the recording has no answer: nothing was"))
    }

    @Test func `an answer leads to the live address and states its length`() throws {
        let made = ReplayServerTests()
        let answers = try RecordedAnswers(
            made.source([
                (
                    "/a",
                    made.ok(
                        "four",
                        [
                            ("Location", "http://www.example.org/x"),
                            ("Transfer-Encoding", "chunked"),
                        ])
                )
            ]))
        #expect(
            try text(ask(answers, get("/a")))
                == "HTTP/1.1 200 OK\r\nLocation: http://live:8/x\r\nContent-Length: 4\r\n\r\nfour")
    }

    @Test func `a server is found among several`() throws {
        let made = ReplayServerTests()
        let exchanges = ["one.example", "two.example"].enumerated().map { index, host in
            RecordedExchange(
                id: ExchangeID(Int64(index + 1)), method: "GET", host: host, path: "/a",
                status: 200,
                startedAt: Instant(nanoseconds: 0))
        }
        let bodies = ["one", "two"]
        let answers = try RecordedAnswers(
            ReplaySource(
                exchanges: RecordedExchanges(exchanges),
                response: { made.ok(bodies[Int($0.rawValue) - 1]) }))
        let two = try ask(answers, get("/a"), server: ("two.example", 80))
        #expect(text(two).hasSuffix("two"))
        let one = try ask(answers, "GET http://one.example/a HTTP/1.1\r\nHost: one.example\r\n\r\n")
        #expect(text(one).hasSuffix("one"))
    }

    @Test func `what does not fit into memory is refused`() throws {
        let made = ReplayServerTests()
        let source = made.source([("/a", made.ok("12345")), ("/b", made.ok("12345"))])
        #expect(throws: RecordedAnswers.TooLarge.self) {
            try RecordedAnswers(source, maximumBytes: 9)
        }
        _ = try RecordedAnswers(source, maximumBytes: 10)
    }
}
