import Faults
import Filters
import Notation
import Testing
import Wire

/// An exchange of which a few fields are known.
struct FewFields: FilterSubjectValues {
    var subject = FilterSubject.exchange
    var fields: [Field: FilterValue] = [:]

    func value(of field: Field, name: String?) -> FilterValue? { fields[field] }
}

struct FaultSessionTests {
    private func session(_ lines: [String], seed: UInt64 = 1) throws -> FaultSession {
        var plan = FaultPlan()
        for line in lines { plan = try plan.adding(line: line) }
        return FaultSession(plan: plan, seed: seed)
    }

    private func scope(
        _ connection: Int64 = 1, _ client: String = "a", _ key: String = "k"
    )
        -> FaultScope
    {
        FaultScope(connection: ConnectionID(connection), client: client, key: key)
    }

    /// The numbers of the events that are hit, of `count` events at `step` nanoseconds.
    private func hits(
        _ session: FaultSession, count: Int, path: String = "/a", step: Int64 = 1,
        scope: FaultScope? = nil
    ) -> [Int] {
        (1...count).filter { number in
            !session.judge(
                FewFields(fields: [.path: .text(path)]), phase: .requestHead,
                scope: scope ?? self.scope(), at: Instant(nanoseconds: Int64(number) * step)
            ).isEmpty
        }
    }

    @Test func `asks whose event it is only for rules that count by that`() throws {
        for (line, expected) in [("=> 503", 0), ("=> 503 per=client", 1), ("path:/b => 503", 0)] {
            let session = try session([line])
            var asked = 0
            let scope = {
                asked += 1
                return self.scope()
            }
            let firings = session.judge(
                FewFields(fields: [.path: .text("/a")]), phase: .requestHead, scope: scope(),
                at: .zero)
            #expect(asked == expected, "\(line)")
            #expect(firings.isEmpty == line.hasPrefix("path:"))
        }
    }

    @Test(
        arguments: [
            ("", [1, 2, 3, 4, 5, 6, 7, 8, 9]),
            ("always", [1, 2, 3, 4, 5, 6, 7, 8, 9]),
            ("first=3", [1, 2, 3]),
            ("every=3", [3, 6, 9]),
            ("nth=3", [3]),
            ("nth=7,1,4", [1, 4, 7]),
            ("every=2 first=5", [2, 4]),
            ("from=3s to=6s", [3, 4, 5]),
            ("from=3s to=6s first=2", [3, 4]),
            ("from=3s every=2", [4, 6, 8]),
            ("to=3s", [1, 2]),
        ] as [(String, [Int])])
    func `follows the schedule`(schedule: String, expected: [Int]) throws {
        let session = try session(["path:/a => 503 \(schedule)"])
        #expect(hits(session, count: 9, step: 1_000_000_000) == expected)
    }

    @Test func `knows which phases matter`() throws {
        let session = try session([
            "path:/a => 503 name=a", "command:c => drop name=b until='status:200' per=client",
        ])
        #expect(!session.isIdle)
        #expect(session.interest == [.requestHead, .command, .responseHead])
        try session.pause("b")
        #expect(session.interest == .requestHead)
        try session.remove("a")
        #expect(session.isIdle)
        try session.resume()
        #expect(session.interest == [.command, .responseHead])
    }

    @Test func `says what is to be done in the order of the rules`() throws {
        let session = try session([
            "path:/a => latency 1s name=b after=2s", "path:/b => 404", "path:/a => 503 name=a",
        ])
        let firings = session.judge(
            FewFields(fields: [.path: .text("/a")]), phase: .requestHead, scope: scope(), at: .zero)
        #expect(firings.map(\.rule) == ["b", "a"])
        #expect(firings.map(\.afterNanoseconds) == [2_000_000_000, 0])
        #expect(firings.map(\.action.description) == ["latency 1s", "status 503"])
        #expect(firings.allSatisfy { $0.occurrence == 1 && $0.scope.isEmpty })
        #expect(session.rules.map(\.matched) == [1, 0, 1])
        #expect(session.rules.map(\.fired) == [1, 0, 1])
        #expect(session.unmatched == ["rule-2"])
        let row = firings[1].row(
            at: Instant(nanoseconds: 5), connection: ConnectionID(3), sender: .server,
            position: 2, hasTaken: true)
        #expect(
            row
                == FaultRow(
                    at: Instant(nanoseconds: 5), rule: "a", action: "status 503", effect: .altered,
                    connection: ConnectionID(3), sender: .server, occurrence: 1,
                    draw: firings[1].draw, position: 2))
    }

    @Test(
        arguments: [
            ("overall", [[true, false], [false, false], [false, false]]),
            ("client", [[true, false], [false, true], [false, false]]),
            ("connection", [[true, true], [false, true], [false, false]]),
            ("key", [[true, false], [true, false], [true, false]]),
        ] as [(String, [[Bool]])])
    func `counts by what the rule says`(extent: String, expected: [[Bool]]) throws {
        let session = try session(["path:/a => 503 first=1 per=\(extent)"])
        // Each row has two connections; the second one of the second row is another client's.
        let scopes = [
            [scope(1, "a", "x"), scope(2, "a", "x")], [scope(1, "a", "y"), scope(3, "b", "y")],
            [scope(1, "a", "z"), scope(3, "b", "z")],
        ]
        let found = scopes.map { row in row.map { !hits(session, count: 1, scope: $0).isEmpty } }
        #expect(found == expected)
    }

    @Test func `ends when the client has done something`() throws {
        let session = try session(["path:/a => 503 until='path:/b' per=client"])
        #expect(hits(session, count: 2) == [1, 2])
        #expect(hits(session, count: 1, path: "/b").isEmpty)
        #expect(hits(session, count: 2).isEmpty)
        #expect(hits(session, count: 2, scope: scope(2, "b")) == [1, 2])
        try session.reset()
        #expect(hits(session, count: 1) == [1])
    }

    @Test func `ends when the client has waited`() throws {
        let session = try session(["path:/a => 429 retry-after=3 until-waited=3s per=client"])
        let moments: [(Int64, Bool)] = [
            (0, true), (2, true), (4, true), (7, false), (8, false), (20, false),
        ]
        for (second, isHit) in moments {
            let firings = session.judge(
                FewFields(fields: [.path: .text("/a")]), phase: .requestHead, scope: scope(),
                at: Instant(nanoseconds: second * 1_000_000_000))
            #expect(!firings.isEmpty == isHit, "\(second)")
        }
    }

    @Test func `opens and closes with marks`() throws {
        let session = try session([
            "path:/a => 503 after-mark=x before-mark=y name=both",
            "path:/a => 503 after-mark=x name=from", "path:/a => 503 before-mark=y name=to",
        ])
        func open(_ at: Int64) -> [String] {
            session.judge(
                FewFields(fields: [.path: .text("/a")]), phase: .requestHead, scope: scope(),
                at: Instant(nanoseconds: at)
            ).map(\.rule)
        }
        #expect(open(1) == ["to"])
        session.mark("x", at: Instant(nanoseconds: 5))
        #expect(open(4) == ["to"])
        #expect(open(5) == ["both", "from", "to"])
        session.mark("y", at: Instant(nanoseconds: 10))
        #expect(open(9) == ["both", "from", "to"])
        #expect(open(10) == ["from"])
        #expect(!session.isOpen("both", at: Instant(nanoseconds: 11)))
        session.mark("x", at: Instant(nanoseconds: 20))
        #expect(open(20) == ["both", "from"])
        #expect(session.isOpen("both", at: Instant(nanoseconds: 21)))
        #expect(session.marks.map(\.name) == ["x", "y", "x"])
    }

    @Test func `asks connections again once a mark opens a rule`() throws {
        let session = try session([
            "=> latency 1s after-mark=slow name=later", "=> latency 2s name=now",
        ])
        func judge(since: Int) -> [String] {
            session.judge(
                FewFields(), phase: .connection, scope: scope(), at: Instant(nanoseconds: 9),
                since: since
            ).map(\.rule)
        }
        #expect(judge(since: 0) == ["now"])
        let before = session.generation
        session.mark("other", at: Instant(nanoseconds: 5))
        #expect(session.generation == before)
        session.mark("slow", at: Instant(nanoseconds: 5))
        #expect(session.generation > before)
        #expect(judge(since: before) == ["later"])
    }

    @Test func `asks connections again once a rule is resumed`() throws {
        let session = try session(["=> latency 1s name=a", "=> latency 2s name=b"])
        let before = session.generation
        try session.pause("a")
        try session.resume("a")
        let firings = session.judge(
            FewFields(), phase: .connection, scope: scope(), at: .zero, since: before)
        #expect(firings.map(\.rule) == ["a"])
    }

    @Test func `a paused rule holds nothing open`() throws {
        let session = try session(["=> blackout to=10s name=a"])
        #expect(session.isOpen("a", at: .zero))
        try session.pause("a")
        #expect(!session.isOpen("a", at: .zero))
        try session.resume("a")
        #expect(session.isOpen("a", at: .zero))
    }

    @Test func `hands a blackout over before it begins`() throws {
        let session = try session(["=> blackout from=10s to=20s"])
        let firing = session.judge(
            FewFields(), phase: .connection, scope: scope(), at: Instant(nanoseconds: 1))
        #expect(firing.map(\.window) == [10_000_000_000..<20_000_000_000])
        let late = session.judge(
            FewFields(), phase: .connection, scope: scope(),
            at: Instant(nanoseconds: 20_000_000_000))
        #expect(late.isEmpty)
    }

    @Test func `asks only what the action can be done to`() throws {
        let session = try session(["bucket:notes => error 440 nth=1"])
        var event = FewFields(
            subject: .command,
            fields: [.bucket: .text("notes"), .command: .text("c"), .sender: .text("server")])
        #expect(session.judge(event, phase: .command, scope: scope(), at: .zero).isEmpty)
        #expect(session.unmatched == ["rule-1"])
        event.fields[.sender] = .text("client")
        #expect(session.judge(event, phase: .command, scope: scope(), at: .zero).count == 1)
    }

    @Test func `changes while it runs`() throws {
        let session = try session(["path:/a => 503 first=2 name=a"])
        let before = session.generation
        #expect(hits(session, count: 3) == [1, 2])
        #expect(throws: FaultSessionError.duplicateName("a")) {
            try session.add(try FaultRule.parse("=> drop", named: "a"))
        }
        #expect(throws: FaultSessionError.noRule("b", nearest: ["a"])) { try session.pause("b") }
        try session.add(try FaultRule.parse("path:/a => drop", named: "b"))
        #expect(session.generation > before)
        let later = session.judge(
            FewFields(fields: [.path: .text("/a")]), phase: .requestHead, scope: scope(), at: .zero,
            since: before)
        #expect(later.map(\.rule) == ["b"])
        try session.change(try FaultRule.parse("path:/a => 500 first=1", named: "a"))
        #expect(session.rules.map(\.rule.name) == ["a", "b"])
        #expect(session.rules.map(\.matched) == [0, 1])
        #expect(session.rules.map(\.isPlanned) == [true, false])
        try session.remove("b")
        #expect(hits(session, count: 2) == [1])
        try session.pause("a")
        try session.reset("a")
        #expect(session.isIdle && session.rules[0].isPaused)
        #expect(hits(session, count: 2).isEmpty)
        try session.resume("a")
        #expect(hits(session, count: 2) == [1])
    }

    @Test func `keeps the counts of unchanged rules when the plan is read again`() throws {
        let session = try session([
            "path:/a => 503 first=2 name=a", "path:/a => 503 first=2 name=b",
        ])
        try session.add(try FaultRule.parse("path:/c => drop", named: "c"))
        #expect(hits(session, count: 1) == [1])
        let plan = try FaultPlan().adding(line: "path:/a => 500 first=2 name=b")
            .adding(line: "path:/a => 503 first=2 name=a")
        session.replace(plan)
        #expect(session.rules.map(\.rule.name) == ["b", "a", "c"])
        #expect(session.rules.map(\.matched) == [0, 1, 0])
        session.replace(FaultPlan())
        #expect(session.rules.map(\.rule.name) == ["c"])
    }

    @Test(arguments: 0..<20)
    func `gives the same faults whatever the order of arrival`(seed: UInt64) throws {
        let lines = [
            "path:/a => 503 probability=0.4 name=chance",
            "path:/a => drop nth=2,5 per=client name=n",
            "path:/a => latency 1s jitter=1s per=key name=k",
        ]
        func play(shuffledBy order: UInt64?) throws -> [String: [String]] {
            let session = try session(lines, seed: seed)
            // Each client's events stay in their order; clients come in any.
            var arrivals = (0..<8).flatMap { Array(repeating: "client-\($0)", count: 12) }
            if let order {
                var draws = SplitMix64(seed: order)
                arrivals.shuffle(using: &draws)
            }
            var found: [String: [String]] = [:]
            for (number, client) in arrivals.enumerated() {
                let firings = session.judge(
                    FewFields(fields: [.path: .text("/a")]), phase: .requestHead,
                    scope: scope(Int64(number), client, client),
                    at: Instant(nanoseconds: Int64(number)))
                found[client, default: []] += firings.map {
                    "\($0.rule) \($0.occurrence) \($0.draw)"
                }
            }
            return found
        }
        let first = try play(shuffledBy: nil)
        #expect(try play(shuffledBy: seed &+ 100) == first)
        #expect(try play(shuffledBy: seed &+ 200) == first)
        #expect(Set(first.values).count == 8)
    }

    @Test func `meets the probability`() throws {
        let session = try session(["path:/a => 503 probability=0.25"])
        let count = hits(session, count: 20_000).count
        #expect((4700...5300).contains(count))
    }

    @Test func `judges on many threads at once`() async throws {
        let session = try session(["path:/a => 503 first=500", "path:/a => drop per=client nth=3"])
        await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    self.hits(session, count: 200, scope: self.scope(1, "client-\(task)")).count
                }
            }
            var total = 0
            for await count in group { total += count }
            #expect(total >= 500)
        }
        #expect(session.rules.map(\.matched) == [1600, 1600])
        #expect(session.rules.map(\.fired) == [500, 8])
    }
}
