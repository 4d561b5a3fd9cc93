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

    private let path: String
    private let descriptor: CInt
    private let identity: FileIdentity
    /// The log beside the file, once there is one, and the least size the file has had since.
    private let state = Mutex<(log: FileIdentity?, size: Int64)>((nil, 0))

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

    /// Whether the file has lost bytes since ``noteSize()``.
    ///
    /// One that another program made smaller as a whole (`VACUUM`) is as long as its header states.
    var isTruncated: Bool {
        guard let size = size(), size < state.withLock({ $0.size }) else { return false }
        var header = [UInt8](repeating: 0, count: 32)
        guard pread(descriptor, &header, header.count, 0) == header.count else { return true }
        let pageSize = Int64(header[16]) << 8 | Int64(header[17])
        let pages = header[28...31].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return pageSize == 0 || size < pages * (pageSize == 1 ? 65_536 : pageSize)
    }

    /// Records the size after the log was moved into the file.
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
