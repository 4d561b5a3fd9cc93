internal import Replaying
internal import Synchronization
internal import Wire

/// Plays one recorded session to a live server: each exchange and socket when its turn has come.
final class ReplayedClient: Sendable {
    /// No connection could be opened.
    struct Unreachable: Error {
        var reason: String
    }

    private let session: ReplaySession
    private let player: any StepPlayer
    private let turns: ReplayTurns
    private let target: ReplayTarget
    private let rate: StartRate?
    private let tally: ReplayTally
    private let clock: ReplayClock
    /// Steps that were not begun.
    private let waiting: Mutex<Set<ReplaySchedule.Step>>

    /// - Parameters:
    ///   - session: What was recorded.
    ///   - target: The live server; the player gets it with the order of this client.
    ///   - rate: Holds back what is to begin.
    ///   - tally: Receives the results.
    ///   - clock: Passes the time.
    ///   - makePlayer: Makes what plays the steps.
    init(
        _ session: ReplaySession, to target: ReplayTarget, rate: StartRate?, tally: ReplayTally,
        clock: ReplayClock, makePlayer: (ReplayTarget) -> any StepPlayer
    ) {
        self.session = session
        self.rate = rate
        self.tally = tally
        self.clock = clock
        turns = ReplayTurns(
            session.schedule, names: { session.name(of: $0) }, rate: rate,
            notes: .init(sent: { tally.sent($0) }, came: { tally.came($0, $1) }), clock: clock)
        var target = target
        target.order = turns
        self.target = target
        player = makePlayer(target)
        waiting = Mutex(Set(session.parts.map(\.step)))
    }

    /// Plays everything; ends early where its task is cancelled or the server is unreachable.
    ///
    /// - Throws: ``Unreachable``.
    func run() async throws(Unreachable) {
        tally.begin(session)
        let watch = Task { await self.watch() }
        turns.begin()
        var reason: Unreachable?
        do {
            try await withThrowingDiscardingTaskGroup { group in
                var left = session.parts.count
                guard left > 0 else { return }
                for await start in turns.starts {
                    group.addTask { try await self.play(start) }
                    left -= 1
                    if left == 0 { break }
                }
            }
        } catch {
            reason = error as? Unreachable
        }
        watch.cancel()
        for part in session.parts where waiting.withLock({ $0.contains(part.step) }) {
            tally.leave(part, prefix: prefix)
        }
        tally.finish()
        if let reason { throw reason }
    }

    private var prefix: String { target.clients > 1 ? "client \(target.client): " : "" }

    private func play(_ start: ReplaySchedule.Start) async throws(Unreachable) {
        let now = clock.now()
        var due = target.pace.due(start.pause, after: Instant(nanoseconds: now)).nanoseconds
        if let rate { due = rate.take(at: due) }
        guard !Task.isCancelled else { return }
        if due > now {
            guard await turns.hold({ [due] in await clock.sleep(due - now) }) else { return }
        }
        _ = waiting.withLock { $0.remove(start.step) }
        var played = await play(start.step)
        if case .unreachable(let reason) = played.outcome,
            target.clients == 1 || !tally.hasHeard
        {
            // An unreachable server is reported once, and is not a difference.
            played.differing = 0
            played.items = []
            tally.add(played, of: start.step, prefix: prefix)
            turns.stop()
            throw Unreachable(reason: reason)
        }
        tally.add(played, of: start.step, prefix: prefix)
        turns.end(start.step)
    }

    /// An exchange takes as long as the server requires; sockets have their own timeouts.
    private func play(_ step: ReplaySchedule.Step) async -> PlayedStep {
        guard case .exchange = step else { return await player.play(step) }
        return await turns.hold { await player.play(step) }
    }

    /// Releases what waits for something that does not arrive.
    private func watch() async {
        // Sockets time out first, and report what is missing.
        let limit = max(target.patience, 1) + target.patience / 2
        while true {
            let before = turns.progress
            guard await clock.sleep(limit) else { return }
            turns.giveUp(since: before)
        }
    }
}
