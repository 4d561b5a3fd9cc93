import Testing
import Wire

@testable import Faults

/// An action that cannot be carried out on what passes.
struct HTTPFailure: Sendable, CustomTestStringConvertible {
    let rule: String
    let steps: [Step]
    /// Part of the reason.
    let problem: String

    var testDescription: String { "\(rule): \(problem)" }
}

private let get = Step.client(Talk.get("/a"))
private let upgrade = Step.client(
    Talk.get("/a", "Connection: Upgrade\r\nUpgrade: websocket\r\n"))
private let long = String(repeating: "x", count: HTTPGate.maximumHeld + 1)

private let failures: [HTTPFailure] = [
    HTTPFailure(
        rule: "path:/a => remove-header X-A", steps: [get, .server(Talk.ok("x"))],
        problem: "the same"),
    HTTPFailure(
        rule: "path:/a => remove-header X-A after=5s", steps: [get, .server(Talk.ok("x"))],
        problem: "the same"),
    HTTPFailure(
        rule: "path:/a => set-header Host hq.example sender=client", steps: [get],
        problem: "the same"),
    HTTPFailure(
        rule: "path:/a => content-type text/xml", steps: [get, .server(Talk.ok("x"))],
        problem: "the same"),
    HTTPFailure(
        rule: "path:/a => length 5", steps: [get, .server(Talk.chunked)],
        problem: "no Content-Length"),
    HTTPFailure(
        rule: "path:/a => corrupt sender=client after=5s", steps: [get], problem: "no body"),
    HTTPFailure(
        rule: "path:/a => corrupt at=6", steps: [get, .server(Talk.ok("abcdef"))],
        problem: "ended before"),
    HTTPFailure(
        rule: "path:/a => truncate 100", steps: [get, .server(Talk.chunked)],
        problem: "ended before"),
    HTTPFailure(
        rule: "path:/a => truncate 3", steps: [get, .server(Talk.ok(""))], problem: "no body"),
    HTTPFailure(
        rule: "path:/a => truncate 100",
        steps: [get, .server("HTTP/1.0 200 OK\r\n\r\nabc"), .end(.server)],
        problem: "ended before"),
    HTTPFailure(
        rule: "path:/a => corrupt at=100",
        steps: [get, .server("HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\nabc"), .end(.server)],
        problem: "ended before"),
    HTTPFailure(
        rule: "path:/a => corrupt at=100 sender=client",
        steps: [
            .client("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 200\r\n\r\nabc"), .end(.client),
        ], problem: "ended before"),
    HTTPFailure(
        rule: "path:/a => cut-xml", steps: [get, .server(Talk.ok(""))], problem: "no body"),
    HTTPFailure(
        rule: "path:/a => cut-xml", steps: [get, .server(Talk.ok(#"{"a": "<b/>"}"#))],
        problem: "not XML"),
    HTTPFailure(
        rule: "path:/a => cut-xml 100", steps: [get, .server(Talk.ok("<a/>"))],
        problem: "ends before"),
    HTTPFailure(
        rule: "path:/a => cut-xml",
        steps: [get, .server(Talk.ok("<a/>", "Content-Encoding: gzip\r\n"))],
        problem: "cannot be decoded"),
    HTTPFailure(
        rule: "path:/a => repeat", steps: [upgrade], problem: "a tunnel is not repeated"),
]

struct HTTPFailureTests {
    @Test(arguments: failures)
    func `says why an action is not carried out, and forwards what came`(
        _ failure: HTTPFailure
    ) throws {
        let play = try HTTPPlay.run([failure.rule], failure.steps)
        let row = try #require(play.faults.first)
        #expect(play.faults.count == 1)
        #expect(row.problem?.contains(failure.problem) == true, "\(row.problem ?? "")")
        #expect(!row.isDone && row.effect == [])
        for sender in Peer.allCases {
            let said = failure.steps.filter { $0.sender == sender }.flatMap(\.bytes)
            #expect(play.sent(by: sender) == String(decoding: said, as: UTF8.self))
        }
        let status = try #require(play.session.rules.first)
        #expect(status.fired == 0 && status.failed == 1 && status.matched == 1)
        // Nothing waits for an action that changes nothing.
        #expect(!play.commands.contains { if case .hold = $0 { true } else { false } })
    }

    @Test func `says which rule took a message before`() throws {
        let rules = [
            "path:/a => set-header X-A b sender=client", "path:/a => set-header X-B c",
            "path:/a => 503", "path:/a => drop", "path:/a => latency 1s sender=client",
        ]
        let play = try HTTPPlay.run(rules, [get])
        #expect(play.faults.count == 5)
        for row in play.faults {
            // The second rule is about the answer, whoever gives it.
            #expect(row.isDone == ["rule-1", "rule-2"].contains(row.rule), "\(row)")
            if !row.isDone { #expect(row.problem == "rule rule-2 took the message before") }
        }
        #expect(play.session.rules.map(\.fired) == [0, 1, 1, 0, 0])
        #expect(play.session.rules.map(\.failed) == [1, 0, 0, 1, 1])
    }

    @Test func `says that a body is edited in one way once`() throws {
        let rules = [
            "path:/a => truncate 2", "path:/a => truncate 1", "path:/a => cut-xml",
            "path:/a => cut-xml", "path:/a => corrupt at=3",
        ]
        let play = try HTTPPlay.run(
            Array(rules[..<2]) + [rules[4]], [get, .server(Talk.ok("<abcdef/>"))])
        #expect(play.faults.filter(\.isDone).map(\.rule) == ["rule-0"])
        #expect(Set(play.faults.filter { !$0.isDone }.map(\.rule)) == ["rule-1", "rule-2"])
        let cut = try HTTPPlay.run(
            Array(rules[2...]), [get, .server(Talk.ok("<abcdef/>"))])
        #expect(cut.faults.filter(\.isDone).map(\.rule) == ["rule-0"])
        #expect(Set(cut.faults.filter { !$0.isDone }.map(\.rule)) == ["rule-1", "rule-2"])
    }

    @Test func `says that the end of a long body is not there to be cut`() throws {
        let play = try HTTPPlay.run(
            ["path:/a response.size:>0 => cut-xml"],
            [
                get,
                .server("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n100001\r\n" + long),
            ])
        // Such a rule is not evaluated for a body that is not held.
        #expect(play.faults.isEmpty)
        #expect(play.session.rules.map(\.fired) == [0])
    }

    @Test func `an answer in the place of the server's says what it has no use for`() throws {
        let play = try HTTPPlay.run(
            [
                "path:/a => 204", "local:true => corrupt", "local:true => cut-xml",
                "local:true => remove-header X-A after=9s",
            ], [get])
        #expect(play.faults.map(\.isDone) == [true, false, false, false])
        #expect(play.session.rules.map(\.failed) == [0, 1, 1, 1])
        #expect(!play.commands.contains { if case .hold = $0 { true } else { false } })
        let closed = try HTTPPlay.run(
            [
                "path:/a => 500 body=hello", "status:500 => truncate 2",
                "status:500 => answer-twice",
            ],
            [get])
        #expect(closed.faults.map(\.isDone) == [true, true, false])
    }

    @Test func `counts begin again with a reset`() throws {
        var play = try HTTPPlay(["path:/a => remove-header X-A sender=client"])
        play.take(Array(Talk.get("/a").utf8), from: .client)
        #expect(play.session.rules.map(\.failed) == [1])
        try play.session.reset()
        #expect(play.session.rules.map(\.failed) == [0])
        play.take(Array(Talk.get("/a", "X-A: 1\r\n").utf8), from: .client)
        #expect(play.session.rules.map(\.failed) == [0])
        #expect(play.session.rules.map(\.fired) == [1])
    }
}

struct LateFailureTests {
    @Test(arguments: [
        "=> close after=10s", "path:/a => close after=10s", "=> cut 5000", "path:/a => cut 5000",
    ])
    func `says that a connection ended before an action was due`(rule: String) throws {
        let session = FaultSession(
            plan: FaultPlan(rules: [try FaultRule.parse(rule)], seed: nil), seed: 1)
        let context = GateContext(
            connection: ConnectionID(7), session: SessionID(3), client: "10.0.0.5")
        var gate = FaultGate(context, session: session)
        var commands: [GateCommand] = []
        let at = Instant(nanoseconds: 1_000_000_000)
        gate.opened(at: at, into: &commands)
        gate.take(Array(Talk.get("/a").utf8), from: .client, at: at, into: &commands)
        gate.take(Array(Talk.ok("x").utf8), from: .server, at: at, into: &commands)
        gate.ended(.server, at: at, into: &commands)
        #expect(!commands.contains { if case .fault = $0 { true } else { false } })
        gate.ended(.client, at: at, into: &commands)
        let problems = commands.compactMap { command -> String? in
            if case .fault(let row) = command { row.problem } else { nil }
        }
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("the connection ended before") == true)
        #expect(session.rules.map(\.fired) == [0])
        // It is not done after all when its time comes.
        commands = []
        gate.wake(at: Instant(nanoseconds: 20_000_000_000), into: &commands)
        #expect(commands.isEmpty)
    }

    @Test func `states a cut with the bytes in which it is reached`() throws {
        let answer = Array(Talk.ok("x").utf8)
        let (commands, _) = try Self.play("path:/a => cut 5 sender=server")
        let place = try #require(
            commands.firstIndex { if case .fault = $0 { true } else { false } })
        guard case .fault(let row) = commands[place] else { return }
        #expect(row.sender == .server && row.effect == [.stalled, .ended])
        #expect(commands[place - 1] == .pass(sender: .server, Array(answer.prefix(5))))
        #expect(
            commands[place + 1]
                == .replace(sender: .server, Array(answer.dropFirst(5)), by: []))
        #expect(commands.last == .close(isReset: false))
    }

    @Test func `says that a cut was not reached before another one`() throws {
        let (commands, session) = try Self.play("path:/a => cut 5000 sender=client", times: 2)
        let problems = commands.compactMap { command -> String? in
            if case .fault(let row) = command { row.problem } else { nil }
        }
        #expect(problems == ["another cut came before so many bytes"])
        #expect(session.rules.map(\.failed) == [1])
    }

    /// What a gate decides about exchanges.
    private static func play(
        _ rule: String, times: Int = 1
    ) throws -> ([GateCommand], FaultSession) {
        let session = FaultSession(
            plan: FaultPlan(rules: [try FaultRule.parse(rule)], seed: nil), seed: 1)
        let context = GateContext(
            connection: ConnectionID(7), session: SessionID(3), client: "10.0.0.5")
        var gate = FaultGate(context, session: session)
        var commands: [GateCommand] = []
        for _ in 0..<times {
            gate.take(Array(Talk.get("/a").utf8), from: .client, at: .zero, into: &commands)
            gate.take(Array(Talk.ok("x").utf8), from: .server, at: .zero, into: &commands)
        }
        return (commands, session)
    }

    @Test(arguments: ["command:cv => reset after=10s", "command:cv => repeat after=10s"])
    func `says that a WebSocket ended before an action was due`(rule: String) throws {
        let session = FaultSession(
            plan: FaultPlan(rules: [try FaultRule.parse(rule)], seed: nil), seed: 1)
        let context = GateContext(
            connection: ConnectionID(7), session: SessionID(3), client: "10.0.0.5")
        var gate = FaultGate(context, session: session)
        var commands: [GateCommand] = []
        let upgrade = Talk.get(
            "/sock/1/a/websocket", "Connection: Upgrade\r\nUpgrade: websocket\r\n")
        let agreement =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
        gate.take(Array(upgrade.utf8), from: .client, at: .zero, into: &commands)
        gate.take(Array(agreement.utf8), from: .server, at: .zero, into: &commands)
        var stage = try SocketStage()
        let cv = stage.frames(["0:cv:a"], from: .client)
        gate.take(cv, from: .client, at: .zero, into: &commands)
        for sender in Peer.allCases { gate.ended(sender, at: .zero, into: &commands) }
        let problems = commands.compactMap { command -> String? in
            if case .fault(let row) = command { row.problem } else { nil }
        }
        #expect(problems == ["the connection ended before"])
        #expect(session.rules.map(\.failed) == [1])
    }
}
