internal import CSQLite
internal import Dispatch
internal import Foundation
internal import Storage
internal import Synchronization

/// Moves the write-ahead log of a trace into the file, on a separate thread and connection.
///
/// It waits for the disk there (`fdatasync` of the log and of the file), while commits go on.
final class Checkpointer: Sendable {
    private struct State {
        var isWanted = false
        var isEnding = false
        var isBusy = false
        /// Threads that wait until it is not.
        var waiting = 0
        var last = LogState(frames: 0, moved: 0)
    }

    /// The maximum wait after a commit for a log that is being moved: less than is left of
    /// the 50 ms in which bytes have to be in the trace.
    static let patience = DispatchTimeInterval.milliseconds(12)

    private let state = Mutex(State())
    private let bell = DispatchSemaphore(value: 0)
    private let idle = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let mayMove: @Sendable () -> Bool
    private let hasMoved: @Sendable (Bool) -> Void

    /// Moves the log of the trace at `path`, which is open for writing.
    ///
    /// `mayMove` is called before each time on the thread, and if it agrees `hasMoved` after it, with
    /// whether moving succeeded.
    init(
        path: String, mayMove: @escaping @Sendable () -> Bool,
        hasMoved: @escaping @Sendable (Bool) -> Void
    ) {
        self.mayMove = mayMove
        self.hasMoved = hasMoved
        let isOpen = DispatchSemaphore(value: 0)
        let thread = Thread { [self] in
            let connection = try? Self.open(path)
            isOpen.signal()
            run(connection)
            connection?.close()
            ended.signal()
        }
        thread.name = "checkpoints"
        thread.stackSize = 1 << 19
        thread.start()
        // Afterwards another file may lie there.
        isOpen.wait()
    }

    private static func open(_ path: String) throws(StorageFault) -> Connection {
        let connection = try Connection(path: path, flags: SQLITE_OPEN_READWRITE)
        try connection.execute("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0")
        connection.waitForLocks(milliseconds: 0)
        // The first read opens the log.
        _ = try connection.integer("PRAGMA schema_version")
        return connection
    }

    /// Requests that the log be moved.
    func request() {
        state.withLock { ($0.isWanted, $0.isBusy) = (true, true) }
        bell.signal()
    }

    /// The progress of the last move of the log, and whether it is being moved now.
    var progress: (last: LogState, isBusy: Bool) { state.withLock { ($0.last, $0.isBusy) } }

    /// Waits until nothing is being moved, but no longer than `atMost` where that is given.
    func wait(atMost: DispatchTimeInterval = .never) {
        let isBusy = state.withLock { state in
            if state.isBusy { state.waiting += 1 }
            return state.isBusy
        }
        guard isBusy, idle.wait(timeout: .now() + atMost) == .timedOut else { return }
        // A waiter that is still counted was not signalled; one that is not counted any more will
        // be.
        let isSignalled = state.withLock { state in
            guard state.waiting > 0 else { return true }
            state.waiting -= 1
            return false
        }
        if isSignalled { idle.wait() }
    }

    /// Ends the thread; waits for its current step.
    func end() {
        let isFirst = state.withLock { state in
            defer { state.isEnding = true }
            return !state.isEnding
        }
        guard isFirst else { return }
        bell.signal()
        ended.wait()
    }

    private func run(_ connection: Connection?) {
        while true {
            bell.wait()
            let (isEnding, isWanted) = state.withLock { state in
                defer { state.isWanted = false }
                return (state.isEnding, state.isWanted)
            }
            if isEnding { return }
            guard isWanted else { continue }
            var made: LogState?
            if mayMove() {
                // An error here occurs in a commit as well, where it is reported.
                made = try? connection?.checkpoint()
                hasMoved(made != nil)
            }
            let waiting = state.withLock { state in
                state.last = made ?? LogState(frames: 0, moved: 0)
                state.isBusy = state.isWanted
                defer { if !state.isBusy { state.waiting = 0 } }
                return state.isBusy ? 0 : state.waiting
            }
            for _ in 0..<waiting { idle.signal() }
        }
    }
}
