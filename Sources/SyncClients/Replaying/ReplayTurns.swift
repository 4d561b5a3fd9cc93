internal import Replaying
internal import Synchronization
internal import Wire

/// Gives the turns of one played client: to its tasks for exchanges and sockets, and to its sockets
/// for commands.
final class ReplayTurns: ReplayOrder {
    /// What is told about commands, outside of the lock.
    struct Notes: Sendable {
        /// A command of the client went out.
        var sent: @Sendable () -> Void = {}
        /// A command of the server came, and the durations of those that it answers.
        var came: @Sendable (_ durations: [(name: String, nanoseconds: Int64)]) -> Void = { _ in }
    }

    private struct State {
        var schedule: ReplaySchedule
        /// Commands that asked before their turn came.
        var asked: [CommandID: @Sendable () -> Void] = [:]
        /// Commands whose turn came before they asked.
        var open: Set<CommandID> = []
        /// When commands went out.
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
    ///   - rate: Holds commands back.
    ///   - notes: Is told about commands.
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

    /// Lets go on what waits for what does not come.
    ///
    /// - Parameter progress: What ``progress`` was; where it is another by now, nothing is done.
    func giveUp(since progress: Int) {
        give { state in
            guard state.progress == progress, state.held == 0 else { return [] }
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

    func awaitTurn(_ command: CommandID, go: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            guard state.open.remove(command) != nil else {
                state.asked[command] = go
                return false
            }
            return true
        }
        if isOpen { send(command, go) }
    }

    func came(_ command: CommandID) {
        let now = clock.now()
        let durations: [(name: String, nanoseconds: Int64)] = state.withLock { state in
            state.schedule.commands(answeredBy: command).compactMap { asked in
                guard let sent = state.sent.removeValue(forKey: asked), let name = names(asked)
                else { return nil }
                return (name, now - sent)
            }
        }
        notes.came(durations)
        give { $0.schedule.end(.command(command)) }
    }

    var progress: Int {
        state.withLock { state in
            if state.held > 0 { state.progress += 1 }
            return state.progress
        }
    }

    // MARK: Turns

    private func give(_ change: (inout State) -> [ReplaySchedule.Start]) {
        let (others, commands): ([ReplaySchedule.Start], [(CommandID, Turn)]) = state.withLock {
            state in
            state.progress += 1
            var others: [ReplaySchedule.Start] = []
            var commands: [(CommandID, Turn)] = []
            for start in change(&state) {
                guard case .command(let id) = start.step else {
                    others.append(start)
                    continue
                }
                if let go = state.asked.removeValue(forKey: id) {
                    commands.append((id, go))
                } else {
                    state.open.insert(id)
                }
            }
            return (others, commands)
        }
        for start in others { begun.yield(start) }
        for (id, go) in commands { send(id, go) }
    }

    private func send(_ command: CommandID, _ go: @escaping Turn) {
        let now = clock.now()
        let due = rate?.take(at: now) ?? now
        guard due > now else { return release(command, go, wasHeld: false) }
        state.withLock { $0.held += 1 }
        Task {
            _ = await clock.sleep(due - now)
            release(command, go, wasHeld: true)
        }
    }

    private func release(_ command: CommandID, _ go: Turn, wasHeld: Bool) {
        let now = clock.now()
        state.withLock { state in
            state.progress += 1
            if wasHeld { state.held -= 1 }
            state.sent[command] = now
        }
        notes.sent()
        go()
    }
}
