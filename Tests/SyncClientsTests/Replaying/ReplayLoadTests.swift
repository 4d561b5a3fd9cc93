import Replaying
import Synchronization
import Testing
import Wire

@testable import SyncClients

/// Plays steps as a test says, and keeps what it was asked for.
private final class ScriptedPlayer: StepPlayer {
    let asked = Mutex<[ReplaySchedule.Step]>([])
    let script: @Sendable (ReplaySchedule.Step, ReplayTarget) async -> PlayedStep
    let target: ReplayTarget

    init(
        _ target: ReplayTarget,
        _ script: @escaping @Sendable (ReplaySchedule.Step, ReplayTarget) async -> PlayedStep
    ) {
        self.target = target
        self.script = script
    }

    func play(_ step: ReplaySchedule.Step) async -> PlayedStep {
        asked.withLock { $0.append(step) }
        return await script(step, target)
    }
}

private func exchanges(_ count: Int) -> [RecordedExchange] {
    (0..<count).map { index in
        RecordedExchange(
            id: ExchangeID(Int64(index + 1)), method: "GET", host: "h", path: "/\(index + 1)",
            status: 200, startedAt: Instant(nanoseconds: Int64(index) * 1_000_000_000),
            endedAt: Instant(nanoseconds: Int64(index) * 1_000_000_000 + 1))
    }
}

/// Returns when the task is cancelled.
private func untilCancelled() async {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    for await _ in stream {}
    withExtendedLifetime(continuation) {}
}

/// A clock that jumps, and keeps how long it was asked to wait.
private final class JumpingClock: Sendable {
    private let time = Mutex<Int64>(0)
    let waits = Mutex<[Int64]>([])

    var clock: ReplayClock {
        ReplayClock {
            self.time.withLock { $0 }
        } sleep: { nanoseconds in
            // The patience of the watch is no time that passes here.
            guard nanoseconds < 15_000_000_000 else {
                await untilCancelled()
                return false
            }
            self.time.withLock { $0 += nanoseconds }
            self.waits.withLock { $0.append(nanoseconds) }
            await Task.yield()
            return !Task.isCancelled
        }
    }
}

struct ReplayLoadTests {
    private static func session(_ count: Int) -> ReplaySession {
        ReplaySession(exchanges: exchanges(count))
    }

    @Test func `plays everything in order and reports what differs`() async {
        let order = Mutex<[String]>([])
        let load = ReplayLoad(Self.session(5), to: ReplayTarget()) { target in
            ScriptedPlayer(target) { step, _ in
                order.withLock { $0.append("\(step)") }
                guard case .exchange(let id) = step, id.rawValue == 3 else {
                    var played = PlayedStep()
                    played.latency = 1_000
                    played.requests = 1
                    return played
                }
                return PlayedStep(
                    matched: 0, differing: 1,
                    items: [.init(line: "exchange 3", detail: "exchange 3\n  status")])
            }
        }
        #expect(await load.run() == .played)
        let begun = order.withLock { $0 }
        #expect(
            begun == ["exchange(1)", "exchange(2)", "exchange(3)", "exchange(4)", "exchange(5)"])
        let report = load.tally.report
        #expect(!report.isSatisfied())
        #expect(
            report.text() == """
                HTTP: 4 of 5 the same, 1 different, 0 not played
                  different: exchange 3
                    status
                not the same

                """)
        let figures = load.tally.figures
        #expect(figures.share.done == 5 && figures.share.of == 5)
        #expect(figures.latencies["http"]?.count == 4)
        #expect(figures.requests == 4)
        #expect(figures.clients == 1 && figures.finished == 1)
    }

    @Test func `a server that is not there ends it`() async {
        let load = ReplayLoad(Self.session(5), to: ReplayTarget()) { target in
            ScriptedPlayer(target) { step, _ in
                guard case .exchange(let id) = step, id.rawValue == 2 else { return PlayedStep() }
                return PlayedStep(.unreachable("connection refused"), matched: 0)
            }
        }
        #expect(await load.run() == .unreachable("connection refused"))
        let section = load.tally.report.sections.first
        #expect(section?.matched == 1)
        #expect(section?.unused == 4)
        #expect(section?.unusedItems.count == 4)
    }

    @Test func `several clients have numbers, seeds and items of their own`() async {
        let seeds = Mutex<[Int: UInt64]>([:])
        var target = ReplayTarget()
        target.clients = 20
        target.seed = 7
        let load = ReplayLoad(Self.session(3), to: target) { target in
            seeds.withLock { $0[target.client] = target.seed }
            return ScriptedPlayer(target) { step, target in
                target.client == 4
                    ? PlayedStep(matched: 0, differing: 1, items: [.init(line: "it differs")])
                    : PlayedStep()
            }
        }
        #expect(await load.run() == .played)
        let found = seeds.withLock { $0 }
        #expect(found.count == 20 && Set(found.values).count == 20)
        #expect(found[1] == 7)
        let section = load.tally.report.sections.first
        #expect(section?.recorded == 60)
        #expect(section?.matched == 57)
        let lines = section?.misses.map { $0.line }
        #expect(lines == Array(repeating: "client 4: it differs", count: 3))
    }

    @Test func `pauses pass at the pace`() async {
        let clock = JumpingClock()
        var target = ReplayTarget()
        target.pace = .times(2)
        let load = ReplayLoad(Self.session(3), to: target, clock: clock.clock) { target in
            ScriptedPlayer(target) { _, _ in PlayedStep() }
        }
        #expect(await load.run() == .played)
        // 1 s less the nanosecond that the exchange before took, at twice the speed.
        let waits = clock.waits.withLock { $0 }
        #expect(waits == [500_000_000, 500_000_000])
    }

    @Test func `the rate holds for all clients together`() async {
        let clock = JumpingClock()
        var target = ReplayTarget()
        target.clients = 3
        let load = ReplayLoad(Self.session(4), to: target, rate: 100, clock: clock.clock) {
            ScriptedPlayer($0) { _, _ in PlayedStep() }
        }
        #expect(await load.run() == .played)
        // The first goes at once, those after it 10 ms apart at least.
        #expect(clock.clock.now() >= 110_000_000)
    }

    @Test func `stopped, or its time over`() async {
        let load = ReplayLoad(Self.session(3), to: ReplayTarget(), bound: 1_000_000) { target in
            ScriptedPlayer(target) { _, _ in
                await untilCancelled()
                return PlayedStep(.stopped, matched: 0)
            }
        }
        #expect(await load.run() == .timeOver)
        let section = load.tally.report.sections.first
        #expect(section?.unused == 3)
        // Nothing was answered, which is no success.
        #expect(load.tally.report.isIdle)
        #expect(!load.tally.report.isSatisfied(allowsUnused: true))
        let other = ReplayLoad(Self.session(3), to: ReplayTarget()) { target in
            ScriptedPlayer(target) { _, _ in PlayedStep() }
        }
        other.stop()
        #expect(await other.run() == .stopped)
    }
}

struct ReplayTargetTests {
    @Test func `hosts have servers of their own`() {
        var target = ReplayTarget(base: SimperiumTarget(url: "http://127.0.0.1:8000/base/"))
        target.hosts["api.example.com"] = SimperiumTarget(url: "https://other:8443")
        target.hosts["two.example.com:81"] = SimperiumTarget(host: "two", port: 82)
        #expect(
            target.url(host: "any", path: "/a", query: "b=1") == "http://127.0.0.1:8000/base/a?b=1")
        #expect(
            target.url(host: "API.example.com:443", path: "/a", query: nil)
                == "https://other:8443/a")
        #expect(target.server(for: "two.example.com:81")?.port == 82)
        #expect(target.server(for: "two.example.com")?.port == 8000)
        #expect(ReplayTarget().url(host: "any", path: "/", query: nil) == nil)
    }

    @Test func `logins of single users go before the common one`() {
        var target = ReplayTarget()
        #expect(target.login(for: "ann") == nil)
        target.login = .init(user: "all", password: "x")
        target.logins["ann"] = .init(user: "bea", password: "y")
        #expect(target.login(for: "ann")?.user == "bea")
        #expect(target.login(for: "cal")?.user == "all")
        #expect(target.login(for: nil)?.user == "all")
        target.isVerbatim = true
        #expect(target.login(for: "ann") == nil)
    }

    @Test func `each client has a login of its own`() {
        var target = ReplayTarget()
        target.login = .init(user: "load{}@demo", password: "secret")
        target.logins["ann"] = .init(user: "bea", password: "x{}{}")
        let numbered = target.numbered(17)
        #expect(numbered.client == 17)
        #expect(numbered.login == .init(user: "load17@demo", password: "secret"))
        #expect(numbered.logins["ann"]?.password == "x17{}")
    }
}
