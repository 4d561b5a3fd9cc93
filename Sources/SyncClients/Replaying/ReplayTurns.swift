internal import Replaying
internal import Synchronization
internal import Wire

/// Gives the turns of one played client: to its tasks for exchanges and sockets, and to its sockets
/// for commands and messages.
final class ReplayTurns: ReplayOrder {
    /// Notifications about commands and messages, sent outside of the lock.
    struct Notes: Sendable {
        /// A client command or message was sent.
        var sent: @Sendable (ReplaySchedule.Step) -> Void = { _ in }
        /// One of the server came, and the durations of those that it answers.
        var came:
            @Sendable (
                _ step: ReplaySchedule.Step, _ durations: [(name: String, nanoseconds: Int64)]
            ) -> Void = { _, _ in }
    }

    private struct State {
        var schedule: ReplaySchedule
        /// Commands and messages that were requested before their turn.
        var asked: [ReplaySchedule.Step: @Sendable () -> Void] = [:]
        /// Those whose turn came before they were requested.
        var open: Set<ReplaySchedule.Step> = []
        /// When commands were sent.
        var sent: [CommandID: Int64] = [:]
        var progress = 0
        /// Turns that the rate holds back.
        var held = 0
    }

    private typealias Turn = @Sendable () -> Void

    private let state: Mutex<State>
    private let names: @Sendable (CommandID) -> String?
    private let rate: StartRate?
    private let notes: Notes
    private let clock: ReplayClock
    private let begun: AsyncStream<ReplaySchedule.Start>.Continuation
    /// Exchanges and sockets whose turn has come.
    let starts: AsyncStream<ReplaySchedule.Start>

    /// - Parameters:
    ///   - schedule: Has not begun.
    ///   - names: What durations of a command count as; nil where they are not kept.
    ///   - rate: Holds commands and messages back.
    ///   - notes: Is notified about commands and messages.
    ///   - clock: Passes the time.
    init(
        _ schedule: ReplaySchedule, names: @escaping @Sendable (CommandID) -> String?,
        rate: StartRate?, notes: Notes, clock: ReplayClock
    ) {
        state = Mutex(State(schedule: schedule))
        self.names = names
        self.rate = rate
        self.notes = notes
        self.clock = clock
        (starts, begun) = AsyncStream.makeStream()
    }

    /// Gives the first turns.
    func begin() { give { $0.schedule.begin() } }

    /// An exchange or a socket has ended.
    func end(_ step: ReplaySchedule.Step) { give { $0.schedule.end(step) } }

    /// Releases what waits for something that does not arrive.
    ///
    /// - Parameter progress: What ``progress`` was; where it is another by now, nothing is done.
    func giveUp(since progress: Int) {
        give { state in
            guard state.progress == progress, state.held == 0 else { return nil }
            return state.schedule.giveUp()
        }
    }

    /// No exchange and no socket begins any more.
    func stop() { begun.finish() }

    /// Counts as progress while something takes its time: nothing is missing meanwhile.
    func hold<Value: Sendable>(_ work: @Sendable () async -> Value) async -> Value {
        state.withLock { $0.held += 1 }
        let value = await work()
        state.withLock { state in
            state.held -= 1
            state.progress += 1
        }
        return value
    }

    // MARK: ReplayOrder

    func awaitTurn(_ step: ReplaySchedule.Step, go: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            guard state.open.remove(step) != nil else {
                state.asked[step] = go
                return false
            }
            return true
        }
        if isOpen { send(step, go) }
    }

    func came(_ step: ReplaySchedule.Step) {
        notes.came(step, durations(endedBy: step))
        give { $0.schedule.end(step) }
    }

    /// How long the commands took that a command of the server answers.
    private func durations(
        endedBy step: ReplaySchedule.Step
    ) -> [(name: String, nanoseconds: Int64)] {
        guard case .command(let command) = step else { return [] }
        let now = clock.now()
        return state.withLock { state in
            state.schedule.commands(answeredBy: command).compactMap { asked in
                guard let sent = state.sent.removeValue(forKey: asked), let name = names(asked)
                else { return nil }
                return (name, now - sent)
            }
        }
    }

    var progress: Int {
        state.withLock { state in
            if state.held > 0 { state.progress += 1 }
            return state.progress
        }
    }

    func pauses() { state.withLock { $0.progress += 1 } }

    // MARK: Turns

    /// Grants the turns that follow from a change; nil for no change, and no progress.
    private func give(_ change: (inout State) -> [ReplaySchedule.Start]?) {
        let (others, sendings): ([ReplaySchedule.Start], [(ReplaySchedule.Step, Turn)]) =
            state.withLock { state in
                var others: [ReplaySchedule.Start] = []
                var sendings: [(ReplaySchedule.Step, Turn)] = []
                guard let starts = change(&state) else { return ([], []) }
                state.progress += 1
                for start in starts {
                    switch start.step {
                    case .exchange, .socket, .conversation: others.append(start)
                    case .command, .message:
                        if let go = state.asked.removeValue(forKey: start.step) {
                            sendings.append((start.step, go))
                        } else {
                            state.open.insert(start.step)
                        }
                    }
                }
                return (others, sendings)
            }
        for start in others { begun.yield(start) }
        for (step, go) in sendings { send(step, go) }
    }

    private func send(_ step: ReplaySchedule.Step, _ go: @escaping Turn) {
        let now = clock.now()
        let due = rate?.take(at: now) ?? now
        guard due > now else { return release(step, go, wasHeld: false) }
        state.withLock { $0.held += 1 }
        Task {
            _ = await clock.sleep(due - now)
            release(step, go, wasHeld: true)
        }
    }

    private func release(_ step: ReplaySchedule.Step, _ go: Turn, wasHeld: Bool) {
        let now = clock.now()
        state.withLock { state in
            state.progress += 1
            if wasHeld { state.held -= 1 }
            if case .command(let command) = step { state.sent[command] = now }
        }
        notes.sent(step)
        go()
    }
}
