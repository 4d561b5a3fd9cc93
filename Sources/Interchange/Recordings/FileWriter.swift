internal import Platform

/// What the C library said last, in words.
var lastSystemError: String { String(cString: strerror(errno)) }

/// Writes a file piece by piece, readable by its owner alone.
final class FileWriter {
    let path: String
    private var descriptor: CInt
    private var buffer: [UInt8] = []
    private static let enough = 1 << 18

    /// Creates `path`, which must not be there.
    init(creating path: String) throws(InterchangeError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw InterchangeError(
                .cannotOpen, "\(path) cannot be written: \(lastSystemError); check the folder")
        }
    }

    /// Writes to standard output, which is called `-`.
    init(standardOutput: Void) throws(InterchangeError) {
        path = "-"
        descriptor = dup(STDOUT_FILENO)
        guard descriptor >= 0 else {
            throw InterchangeError(
                .cannotOpen, "standard output cannot be written: \(lastSystemError)")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Writes `bytes`, sooner or later.
    func write(_ bytes: [UInt8]) throws(InterchangeError) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.enough { try flush() }
    }

    private func flush() throws(InterchangeError) {
        var start = 0
        while start < buffer.count {
            let count = buffer.withUnsafeBytes { raw in
                Platform.write(descriptor, raw.baseAddress.map { $0 + start }, raw.count - start)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure() }
            start += count
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Makes sure that everything is on the disk, and closes the file.
    func finish() throws(InterchangeError) {
        try flush()
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure() }
        let opened = descriptor
        descriptor = -1
        guard close(opened) == 0 else { throw failure() }
    }

    private func failure() -> InterchangeError {
        InterchangeError(
            .storage, "\(path) cannot be written: \(lastSystemError); make room on the disk")
    }
}
