internal import Glibc

/// Room on the disk that is kept for the last words of a trace whose disk is full.
final class Reserve {
    /// Size in bytes: room for thousands of gap rows.
    static let size = 1 << 20
    /// The least that is worth keeping.
    private static let least = 1 << 16

    private let path: String
    /// Bytes that are taken.
    private(set) var taken = 0

    /// A reserve beside the trace at `path`.
    init(for path: String) { self.path = path + ".reserve" }

    /// Takes the room, or what there is of it.
    func take() {
        guard taken < Self.size else { return }
        // One of a session that was killed may be there, and somebody else's file must not be
        // followed or written over.
        unlink(path)
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        taken = 0
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var size = Self.size
        while size >= Self.least, posix_fallocate(descriptor, 0, off_t(size)) != 0 {
            // What was taken before the disk was full counts for nothing.
            ftruncate(descriptor, 0)
            size /= 2
        }
        if size < Self.least { unlink(path) } else { taken = size }
    }

    /// Gives the room back to the disk.
    func release() {
        guard taken > 0 else { return }
        unlink(path)
        taken = 0
    }
}
