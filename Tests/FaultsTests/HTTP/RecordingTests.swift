import Framing
import Synchronization
import Testing
import Wire

@testable import Faults

/// Answers from recordings, without traces.
struct RecordingTests {
    /// Knows each path as often as it is given, and what was asked.
    private final class Recording: Sendable {
        private let left: Mutex<[String: [String]]>
        let asked = Mutex<[String]>([])

        init(_ answers: [String: [String]]) { left = Mutex(answers) }

        var source: RecordingSource {
            RecordingSource(
                open: { $0 == "missing" ? "missing does not exist" : nil },
                answer: { trace, request in
                    let body = String(decoding: request.content, as: UTF8.self)
                    self.asked.withLock { $0.append("\(trace) \(request.head.target) \(body)") }
                    let key = "\(trace)\(request.head.target)"
                    return self.left.withLock { left in
                        guard let answers = left[key], let first = answers.first else {
                            return .missed("not recorded")
                        }
                        left[key] = Array(answers.dropFirst())
                        return .recorded(Array(first.utf8), closes: first.contains("close"))
                    }
                })
        }
    }

    @Test(arguments: HTTPPlay.Cuts.allCases)
    func `the nth request gets the nth answer, and what is not known passes`(
        cuts: HTTPPlay.Cuts
    ) throws {
        let recording = Recording(["t/a": [Talk.ok("one"), Talk.ok("two")]])
        let play = try HTTPPlay.run(
            ["=> recorded t"],
            [.client(Talk.post("/a", "x") + Talk.get("/b") + Talk.get("/a") + Talk.get("/a"))],
            cuts,
            recordings: recording.source)
        #expect(play.sent(by: .client) == Talk.get("/b") + Talk.get("/a"))
        #expect(play.sent(by: .server) == Talk.ok("one") + Talk.ok("two"))
        #expect(recording.asked.withLock { $0 } == ["t /a x", "t /b ", "t /a ", "t /a "])
        #expect(
            play.faults.map(\.problem) == [nil, "not recorded", nil, "not recorded"])
        #expect(play.faults.map(\.effect) == [.answered, [], .answered, []])
    }

    @Test func `the first recording that knows a request answers it`() throws {
        let recording = Recording(["b/a": [Talk.ok("one")], "c/a": [Talk.ok("two")]])
        let play = try HTTPPlay.run(
            ["=> recorded a", "=> recorded b", "=> recorded c"], [.client(Talk.get("/a"))],
            recordings: recording.source)
        #expect(play.sent(by: .server) == Talk.ok("one"))
        #expect(
            play.faults.map(\.problem) == [
                "not recorded", nil, "rule rule-1 took the message before",
            ])
    }

    @Test func `other rules change the answer, and come before it`() throws {
        let recording = Recording(["t/a": [Talk.ok(#"{"v":1}"#)], "t/b": [Talk.ok("no")]])
        let play = try HTTPPlay.run(
            ["=> recorded t", "=> edit json /v 22", "path:/b => 503"],
            [.client(Talk.get("/a") + Talk.get("/b"))], recordings: recording.source)
        let text = play.sent(by: .server)
        #expect(text.hasPrefix(Talk.ok(#"{"v":22}"#) + "HTTP/1.1 503 "), "\(text)")
        #expect(recording.asked.withLock { $0 } == ["t /a "])
    }

    @Test func `an answer waits for a delay`() throws {
        let recording = Recording(["t/a": [Talk.ok("one")]])
        let play = try HTTPPlay.run(
            ["path:/a => latency 2s sender=client", "=> recorded t after=1s"],
            [.client(Talk.get("/a"))],
            recordings: recording.source)
        let due = play.now.later(by: 3_000_000_000)
        #expect(play.commands.contains(.hold(sender: .client, until: due)))
        #expect(play.faults.map(\.problem) == [nil, nil])
    }

    @Test func `what is too large passes and the row says so`() throws {
        let recording = Recording(["t/a": [Talk.ok("one")]])
        let body = String(repeating: "x", count: HTTPGate.maximumHeld + 1)
        let play = try HTTPPlay.run(
            ["=> recorded t"], [.client(Talk.post("/a", body))], recordings: recording.source)
        #expect(play.sent(by: .client) == Talk.post("/a", body))
        #expect(play.faults.map(\.problem) == [HTTPGate.notWhole])
        #expect(recording.asked.withLock { $0.isEmpty })
    }

    @Test(arguments: [
        "CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n",
        Talk.get("/a", "Connection: upgrade\r\nUpgrade: websocket\r\n"),
    ])
    func `another protocol passes`(request: String) throws {
        let recording = Recording(["t/a": [Talk.ok("one")]])
        let play = try HTTPPlay.run(
            ["=> recorded t"], [.client(request)], recordings: recording.source)
        #expect(play.sent(by: .client) == request)
        #expect(play.faults.count == 1 && play.faults[0].problem != nil)
        #expect(recording.asked.withLock { $0.isEmpty })
    }

    @Test func `a trace that cannot be read is a mistake in its plan`() throws {
        let source = Recording([:]).source
        let text = "rules:\n  - path:/a => recorded there\n  - path:/b => recorded missing\n"
        let mistake = #expect(throws: FaultPlanError.self) {
            try FaultPlan.parse(yaml: text, recordings: source)
        }
        #expect(mistake?.description == "missing does not exist")
        #expect(mistake?.place.line == 3 && mistake?.place.column == 25)
        #expect(throws: FaultPlanError.self) {
            try FaultPlan().adding(line: "=> recorded missing", recordings: source)
        }
        #expect(try FaultPlan.parse(yaml: text).rules.count == 2)
    }
}
