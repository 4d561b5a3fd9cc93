internal import Platform
internal import Synchronization

/// Notices that a trace is deleted, replaced or truncated while it is written.
///
/// A check takes three system calls. Nothing here opens the file: closing it again would drop the
/// locks of SQLite.
final class FileWatch: Sendable {
    /// The way in which the file was lost.
    enum Loss: String, Hashable, Sendable {
        case deleted
        case replaced
        case truncated
    }

    private struct State {
        /// The log beside the file, once there is one.
        var log: FileIdentity?
        /// The size of the file after the log was moved into it last.
        var size: Int64 = 0
        /// Beginnings and ends of moves of the log; odd while it is being moved.
        var moves: UInt64 = 0
    }

    private let path: String
    private let descriptor: CInt
    private let identity: FileIdentity
    private let state = Mutex(State())

    /// Watches the file at `path`, on which `descriptor` is open.
    init(path: String, descriptor: CInt, identity: FileIdentity) {
        self.path = path
        self.descriptor = descriptor
        self.identity = identity
    }

    /// The loss of the file or its log; nil while both are intact in place.
    func look() -> Loss? {
        if let loss = lookAtFile() { return loss }
        let log = FileIdentity(path: path + "-wal")
        return state.withLock { state in
            guard let known = state.log else {
                state.log = log
                return nil
            }
            return log == known ? nil : log == nil ? .deleted : .replaced
        }
    }

    /// The loss of the file, regardless of its log.
    func lookAtFile() -> Loss? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            // Where the check fails for another reason, the state is unknown.
            return errno == ENOENT || errno == ENOTDIR ? .deleted : nil
        }
        guard FileIdentity(path: path) == identity else { return .replaced }
        return isTruncated ? .truncated : nil
    }

    /// Whether the file has lost bytes since the log was moved into it last.
    ///
    /// Not known while the log is being moved, on any thread: the header states the new size before
    /// the file has it. The next move does not begin if bytes were lost.
    /// One that another program made smaller as a whole (`VACUUM`) is as long as its header states.
    var isTruncated: Bool {
        let before = state.withLock { $0 }
        guard before.moves.isMultiple(of: 2), let size = size(), size < before.size else {
            return false
        }
        var header = [UInt8](repeating: 0, count: 32)
        guard pread(descriptor, &header, header.count, 0) == header.count else { return true }
        let pageSize = Int64(header[16]) << 8 | Int64(header[17])
        let pages = header[28...31].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard pageSize == 0 || size < pages * (pageSize == 1 ? 65_536 : pageSize) else {
            return false
        }
        // A move that began meanwhile has changed the header, and one that ended the size.
        return state.withLock { $0.moves == before.moves }
    }

    /// The log is about to be moved into the file, which grows meanwhile.
    ///
    /// - Returns: Whether it may be: a file that has lost bytes stays as it is. ``endMove(isDone:)``
    ///   has to follow if so.
    func beginMove() -> Bool {
        guard !isTruncated else { return false }
        state.withLock { $0.moves += 1 }
        return true
    }

    /// The move of the log has ended; the file has to have its size from now on if it `isDone`.
    func endMove(isDone: Bool) {
        if isDone { noteSize() }
        state.withLock { $0.moves += 1 }
    }

    /// Records the size that the file has to have from now on.
    func noteSize() {
        guard let size = size() else { return }
        let log = FileIdentity(path: path + "-wal")
        state.withLock { ($0.log, $0.size) = ($0.log ?? log, size) }
    }

    /// Whether the log beside `path` is the one that belongs to this file.
    var ownsLog: Bool {
        guard let log = state.withLock({ $0.log }) else { return false }
        return FileIdentity(path: path + "-wal") == log
    }

    private func size() -> Int64? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : nil
    }
}
