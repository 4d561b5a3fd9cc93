import Foundation
import Platform
import Synchronization

/// Waits for the user to end the program: SIGINT or SIGTERM once ends it cleanly, twice at once.
///
/// While a command runs they are passed on to it, and what it does about them decides.
final class StopSignal: Sendable {
    private struct State {
        var count = 0
        var command: ChildProcess?
        var isStopped = false
        var bodies: [@Sendable () -> Void] = []
    }

    /// Signals after which a command that does not end is killed.
    private static let patience = 3

    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let state = Mutex(State())
    // Safety: written in the initialiser only; kept so that signals are caught as long as this lives.
    nonisolated(unsafe) private var signals: CaughtSignals?

    /// Signals are caught from here on: made before the program reports that it is there.
    init() {
        (stream, continuation) = AsyncStream<Void>.makeStream()
        signal(SIGPIPE, SIG_IGN)
        signals = CaughtSignals([SIGINT, SIGTERM]) { [self] number in came(number) }
    }

    private func came(_ number: Int32) {
        if let command = state.withLock(\.command) {
            // A terminal sends SIGINT to the command itself, as often as the user likes.
            guard number != SIGINT || !Processes.hasTerminal else { return }
            let count = counted()
            command.send(count < Self.patience ? number : SIGKILL)
        } else {
            guard counted() == 1 else { _exit(130) }
            stop()
        }
    }

    /// Counts a signal.
    private func counted() -> Int {
        state.withLock { state in
            state.count += 1
            return state.count
        }
    }

    /// Ends the wait from inside the program.
    func stop() {
        let bodies = state.withLock { state in
            state.isStopped = true
            defer { state.bodies = [] }
            return state.bodies
        }
        for body in bodies { body() }
        continuation.yield()
    }

    /// Calls `body` once, at the first signal or at once where that has come; not on a thread that
    /// tasks need.
    func whenStopped(_ body: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            if !state.isStopped { state.bodies.append(body) }
            return state.isStopped
        }
        if isStopped { body() }
    }

    /// Returns at the first signal.
    func wait() async {
        var iterator = stream.makeAsyncIterator()
        _ = await iterator.next()
    }

    /// Passes signals on to a command until it has ended; ``stop()`` ends it with SIGTERM.
    ///
    /// - Returns: How it ended. Another signal from then on ends the program at once.
    func passing(to command: ChildProcess) async -> ChildProcess.Ending {
        state.withLock { ($0.count, $0.command) = (0, command) }
        whenStopped { command.send(SIGTERM) }
        let ending = await BlockingWork.result("command") { command.wait() }
        state.withLock { ($0.count, $0.command) = (1, nil) }
        return ending
    }
}
