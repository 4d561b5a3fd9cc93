internal import Glibc

/// Room on the disk that is kept for the last words of a trace whose disk is full.
final class Reserve {
    /// Size in bytes: room for thousands of gap rows.
    static let size = 1 << 20

    private let path: String
    private(set) var isThere = false

    /// A reserve beside the trace at `path`.
    init(for path: String) { self.path = path + ".reserve" }

    /// Takes the room, unless it is taken already or there is none.
    func take() {
        guard !isThere else { return }
        // One of a session that was killed may be there and somebody else's file must not be
        // followed or written over.
        unlink(path)
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        isThere = posix_fallocate(descriptor, 0, off_t(Self.size)) == 0
        close(descriptor)
        if !isThere { unlink(path) }
    }

    /// Gives the room back to the disk.
    func release() {
        guard isThere else { return }
        unlink(path)
        isThere = false
    }
}
