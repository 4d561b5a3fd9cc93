import SyncClients
import Testing

@Suite struct CommCareClientTests {
    typealias Client = CommCareClient

    static func answer(
        _ status: Int, nature: String? = nil, isResponse: Bool = true, retryAfter: Int64? = nil
    ) -> CommCareAnswer {
        var answer = CommCareAnswer(status: status)
        answer.isResponse = isResponse
        answer.nature = nature
        answer.retryAfter = retryAfter
        return answer
    }

    static func outcome(_ commands: [Client.Command]) -> String? {
        for case .finish(let outcome) in commands {
            switch outcome {
            case .done: return "done"
            case .later: return "later"
            case .refused: return "refused"
            case .unreachable: return "unreachable"
            }
        }
        return nil
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var status: Int
        var nature: String?
        var isResponse = true
        /// What becomes of the form; nil where it stays as it is.
        var state: Client.FormState?
        /// Whether the second form is sent in the same run.
        var goesOn: Bool
        var outcome: String?
        var testDescription: String { "\(status) \(nature ?? "-")" }
    }

    static let rows = [
        Row(status: 201, nature: "submit_success", state: .sent, goesOn: true),
        Row(status: 201, state: .sent, goesOn: true),
        Row(status: 202, nature: "submit_success", state: .sent, goesOn: true),
        Row(status: 201, isResponse: false, goesOn: false, outcome: "later"),
        Row(status: 200, nature: "submit_success", goesOn: false, outcome: "later"),
        Row(status: 200, isResponse: false, goesOn: false, outcome: "later"),
        Row(status: 204, isResponse: false, goesOn: false, outcome: "later"),
        Row(status: 302, isResponse: false, goesOn: false, outcome: "later"),
        Row(status: 201, nature: "submit_error", state: .held, goesOn: true),
        Row(status: 202, nature: "submit_error", state: .held, goesOn: true),
        Row(status: 400, isResponse: false, state: .held, goesOn: true),
        Row(status: 413, isResponse: false, state: .held, goesOn: true),
        Row(status: 422, nature: "processing_failure", state: .aside, goesOn: true),
        Row(
            status: 422, nature: "post_processing_failure", state: .queued, goesOn: false,
            outcome: "later"),
        Row(status: 422, isResponse: false, state: .queued, goesOn: false, outcome: "later"),
        Row(status: 403, isResponse: false, goesOn: false, outcome: "refused"),
        Row(status: 404, isResponse: false, goesOn: false, outcome: "refused"),
        Row(status: 406, isResponse: false, goesOn: false, outcome: "refused"),
        Row(status: 423, isResponse: false, goesOn: false, outcome: "later"),
        Row(status: 429, isResponse: false, goesOn: false, outcome: "later"),
        Row(status: 500, isResponse: false, goesOn: false, outcome: "later"),
        Row(status: 502, isResponse: false, goesOn: false, outcome: "later"),
        Row(status: 503, isResponse: false, goesOn: false, outcome: "later"),
        Row(status: 504, isResponse: false, goesOn: false, outcome: "later"),
        Row(status: 0, isResponse: false, goesOn: false, outcome: "later"),
        Row(status: 418, isResponse: false, goesOn: false, outcome: "later"),
    ]

    @Test(arguments: rows)
    func `does with a form what the table says`(row: Row) {
        var client = Client(.submit, queue: [.init(id: 1), .init(id: 2)], hasToken: true)
        #expect(client.handle(.start, now: 100) == [.submit(1)])
        let commands = client.handle(
            .answered(Self.answer(row.status, nature: row.nature, isResponse: row.isResponse)),
            now: 100)
        var state: Client.FormState?
        for case .store(1, let became, _, _) in commands { state = became }
        #expect(state == row.state)
        #expect(commands.contains(.submit(2)) == row.goesOn)
        #expect(Self.outcome(commands) == row.outcome)
    }

    /// What was asked for, with F for a full and I for an incremental restore, and the end.
    static func sync(_ answers: [Int], hasToken: Bool = true) -> String {
        var client = Client(.sync, queue: [], hasToken: hasToken)
        var commands = client.handle(.start, now: 0)
        var said = ""
        var rest = answers[...]
        var waited: Int64 = 0
        while !commands.isEmpty {
            var event: Client.Event?
            for command in commands {
                switch command {
                case .restore(let isFull):
                    said += isFull ? "F" : "I"
                    event = .answered(answer(rest.popFirst() ?? 0, retryAfter: 7))
                case .wait(let until):
                    waited += until
                    event = .due
                case .swapIn: event = .restored(problem: nil)
                default: break
                }
            }
            if let end = outcome(commands) { return "\(said) \(waited) \(end)" }
            guard let event else { return "\(said) stuck" }
            commands = client.handle(event, now: 0)
        }
        return said
    }

    @Test(
        arguments: [
            ([200], "I 0 done"), ([412, 200], "IF 0 done"), ([412, 500], "IF 0 later"),
            ([412, 202, 202, 200], "IFFF 14 done"), ([202, 202, 202, 200], "IIII 21 done"),
            ([412, 412], "IF 0 refused"), ([406], "I 0 refused"), ([429], "I 0 later"),
            ([503], "I 0 later"), ([202, 412, 200], "IIF 7 done"),
        ] as [([Int], String)])
    func `restores as the scenario says`(answers: [Int], detail: String) {
        #expect(Self.sync(answers) == detail)
    }

    @Test(
        arguments: [
            ([201, 200], "CI done"), ([204], "C done"), ([0, 200], "CI done"), ([410], "C refused"),
            ([500], "C refused"), ([503], "C later"), ([201, 503], "CI later"),
        ] as [([Int], String)])
    func `claims a case once, and looks at what became of it`(answers: [Int], detail: String) {
        var client = Client(.claim(caseID: "c"), queue: [], hasToken: true)
        var commands = client.handle(.start, now: 0)
        var said = ""
        var rest = answers[...]
        while Self.outcome(commands) == nil {
            var event: Client.Event?
            for command in commands {
                switch command {
                case .claim(caseID: "c"): said += "C"
                case .restore(isFull: false): said += "I"
                case .swapIn:
                    event = .restored(problem: nil)
                    continue
                default: continue
                }
                event = .answered(Self.answer(rest.popFirst() ?? 418))
            }
            guard let event else { break }
            commands = client.handle(event, now: 0)
        }
        #expect("\(said) \(Self.outcome(commands) ?? "stuck")" == detail)
        #expect(rest.isEmpty)
    }

    @Test func `a claim waits for the queue and for the pause of restores`() {
        var queued = Client(.claim(caseID: "c"), queue: [.init(id: 1)], hasToken: true)
        #expect(queued.handle(.start, now: 0) == [.submit(1)])
        var paused = Client(
            .claim(caseID: "c"), queue: [], pauses: [.restore: CommCarePause(userUntil: 9)],
            hasToken: true)
        #expect(Self.outcome(paused.handle(.start, now: 8)) == "later")
    }

    @Test func `a refused sign-in claims once more with new credentials`() {
        var client = Client(.claim(caseID: "c"), queue: [], hasToken: true)
        _ = client.handle(.start, now: 0)
        #expect(client.handle(.answered(Self.answer(401)), now: 0) == [.askCredentials])
        #expect(client.handle(.credentials(areNew: true), now: 0) == [.claim(caseID: "c")])
    }

    @Test(
        arguments: [
            (nil, 5, nil), (0, 1, nil), (3_600, 3_600, nil), (3_601, nil, 3_601),
            (86_400, nil, 86_400), (Int64.max, nil, 604_800),
        ] as [(Int64?, Int64?, Int64?)])
    func `keeps the pause of a 202, a long one until it runs again`(
        retryAfter: Int64?, waits: Int64?, stores: Int64?
    ) {
        var client = Client(.sync, queue: [], hasToken: true)
        _ = client.handle(.start, now: 1_000)
        let commands = client.handle(
            .answered(Self.answer(202, retryAfter: retryAfter)), now: 1_000)
        var (waited, stored): (Int64?, CommCarePause?)
        for command in commands {
            if case .wait(let until) = command { waited = until - 1_000 }
            if case .pause(.restore, let pause) = command { stored = pause }
        }
        #expect(waited == waits)
        #expect((stored?.userUntil).map { $0 - 1_000 } == stores)
        #expect((Self.outcome(commands) == "later") == (stores != nil))
        guard let stored else { return }
        for (now, begins) in [(stored.userUntil - 1, false), (stored.userUntil, true)] {
            var next = Client(.sync, queue: [], pauses: [.restore: stored], hasToken: true)
            #expect((next.handle(.start, now: now) == [.restore(isFull: false)]) == begins)
        }
    }

    @Test func `shows the message of a 202 once`() {
        var client = Client(.sync, queue: [], hasToken: true)
        _ = client.handle(.start, now: 0)
        var shown: [String] = []
        for text in ["", "Preparing", "Preparing", "Soon", ""] {
            var answer = Self.answer(202, nature: "ota_restore_pending")
            answer.isResponse = true
            answer.text = text
            for command in client.handle(.answered(answer), now: 0) {
                if case .show(let text) = command { shown.append(text) }
            }
            _ = client.handle(.due, now: 5)
        }
        #expect(shown == ["Preparing", "Soon"])
        // The page of a gateway is no message of the server.
        var page = Self.answer(202, isResponse: false)
        page.text = "<html>"
        let commands = client.handle(.answered(page), now: 0)
        #expect(!commands.contains(.show("<html>")))
    }

    @Test func `does not poll for ever`() {
        #expect(
            Self.sync([Int](repeating: 202, count: 1_000)).count { $0 == "I" }
                == CommCareClient.maxPolls)
    }

    @Test func `asks for credentials once`() {
        var client = Client(.submit, queue: [.init(id: 1)], hasToken: false)
        _ = client.handle(.start, now: 0)
        #expect(client.handle(.answered(Self.answer(401)), now: 0) == [.askCredentials])
        #expect(client.handle(.credentials(areNew: true), now: 0) == [.submit(1)])
        #expect(Self.outcome(client.handle(.answered(Self.answer(401)), now: 0)) == "refused")
    }

    /// Proves: C-27.
    @Test(arguments: [(nil, 5), (2, 5), (60, 60)] as [(Int64?, Int64)])
    func `makes a user wait after 429`(retryAfter: Int64?, pause: Int64) throws {
        var client = Client(.submit, queue: [.init(id: 1)], hasToken: false)
        _ = client.handle(.start, now: 1_000)
        var stored: CommCarePause?
        for case .pause(.submission, let value) in client.handle(
            .answered(Self.answer(429, retryAfter: retryAfter)), now: 1_000)
        { stored = value }
        let kept = try #require(stored)
        #expect(kept.userUntil == 1_000 + pause)
        func begins(isUser: Bool, now: Int64) -> Bool {
            var next = Client(
                .submit, isUser: isUser, queue: [.init(id: 1)], pauses: [.submission: kept],
                hasToken: false)
            return next.handle(.start, now: now) == [.submit(1)]
        }
        #expect(!begins(isUser: true, now: 999 + pause))
        #expect(begins(isUser: true, now: 1_000 + pause))
        #expect(!begins(isUser: false, now: 1_299))
        #expect(begins(isUser: false, now: 1_300))
    }

    /// Proves: C-28.
    @Test func `backs off to five hours and no further`() {
        var pause = CommCarePause()
        var delays: [Int64] = []
        for _ in 0..<10 {
            var client = Client(
                .submit, queue: [.init(id: 1)], pauses: [.submission: pause], hasToken: false)
            _ = client.handle(.start, now: 0)
            for case .pause(_, let next) in client.handle(.answered(Self.answer(500)), now: 0) {
                pause = next
            }
            delays.append(pause.automaticUntil)
            #expect(pause.userUntil == 0)
        }
        #expect(
            delays == [300, 600, 1_200, 2_400, 4_800, 9_600, 18_000, 18_000, 18_000, 18_000])
    }

    @Test func `holds a form after the fifth 422 that may pass`() {
        var client = Client(.submit, queue: [.init(id: 1, attempts: 4)], hasToken: false)
        _ = client.handle(.start, now: 0)
        let commands = client.handle(.answered(Self.answer(422, isResponse: false)), now: 0)
        var became: Client.FormState?
        for case .store(1, let state, _, _) in commands { became = state }
        #expect(became == .held)
    }

    @Test(arguments: [CommCareClient.Work.submit, .sync])
    func `a timer does not try again after a 406`(work: CommCareClient.Work) throws {
        let queue = work == .submit ? [Client.Queued(id: 1)] : []
        func client(_ pauses: [Client.Kind: CommCarePause], isUser: Bool) -> Client {
            Client(work, isUser: isUser, queue: queue, pauses: pauses, hasToken: true)
        }
        var first = client([:], isUser: false)
        _ = first.handle(.start, now: 0)
        let commands = first.handle(.answered(Self.answer(406, isResponse: false)), now: 0)
        var pauses: [Client.Kind: CommCarePause] = [:]
        for case .pause(let kind, let pause) in commands { pauses[kind] = pause }
        #expect(pauses.count == 1)
        var timer = client(pauses, isUser: false)
        #expect(Self.outcome(timer.handle(.start, now: 1 << 40)) == "refused")
        var user = client(pauses, isUser: true)
        #expect(Self.outcome(user.handle(.start, now: 1)) == nil)
        let answer = Self.answer(work == .submit ? 201 : 200, nature: "submit_success")
        var cleared = user.handle(.answered(answer), now: 1)
        cleared += user.handle(.restored(problem: nil), now: 1)
        #expect(
            cleared.contains { if case .pause(_, CommCarePause()) = $0 { true } else { false } })
    }
}
