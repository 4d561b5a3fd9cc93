internal import Platform

/// The last error of the C library, as text.
package var lastSystemError: String { String(cString: strerror(errno)) }

/// Writes a file piece by piece, readable by its owner only.
package final class FileWriter {
    package let path: String
    private var descriptor: CInt
    private var buffer: [UInt8] = []
    private static let enough = 1 << 18

    /// Creates `path`, which must not exist.
    package init(creating path: String) throws(FileError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw FileError(
                .cannotOpen, "\(path) cannot be written: \(lastSystemError); check the folder")
        }
    }

    /// Writes to standard output, which is called `-`.
    package init(standardOutput: Void) throws(FileError) {
        path = "-"
        descriptor = dup(STDOUT_FILENO)
        guard descriptor >= 0 else {
            throw FileError(
                .cannotOpen, "standard output cannot be written: \(lastSystemError)")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Writes `bytes`, buffered.
    package func write(_ bytes: [UInt8]) throws(FileError) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.enough { try flush() }
    }

    private func flush() throws(FileError) {
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
    package func finish() throws(FileError) {
        try flush()
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure() }
        let opened = descriptor
        descriptor = -1
        guard close(opened) == 0 else { throw failure() }
    }

    private func failure() -> FileError {
        FileError(
            .storage, "\(path) cannot be written: \(lastSystemError); make room on the disk")
    }
}
