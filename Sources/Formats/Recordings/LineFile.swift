internal import Platform
internal import Trace

/// Reads a file line by line in bounded memory.
final class LineFile {
    let path: String
    /// Bytes of the whole file when it was opened.
    let size: Int64
    /// Number of the line that was read last, from 1 on.
    private(set) var line = 0
    /// Bytes read so far.
    private(set) var position: Int64 = 0
    private let descriptor: CInt
    private let limit: Int
    private var buffer: [UInt8] = []
    private var room = [UInt8](repeating: 0, count: 1 << 17)
    private var start = 0
    private var isAtEnd = false

    /// Opens the regular file `path`, no line of which may have more than `limit` bytes.
    init(path: String, limit: Int) throws(FileError) {
        self.path = path
        self.limit = limit
        // Not to hang where a user put a pipe.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw FileError(
                .cannotOpen, "\(path) cannot be read: \(lastSystemError); check the name")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw FileError(.malformed, "\(path) is not a file")
        }
        size = Int64(status.st_size)
    }

    deinit { close(descriptor) }

    /// The next line without its end; nil after the last.
    ///
    /// - Throws: ``FileError`` where a line is too long, has no end, or reading fails.
    func next() throws(FileError) -> [UInt8]? {
        var scanned = start
        while true {
            if let end = lineEnd(from: scanned) {
                let line = Array(buffer[start..<end])
                start = end + 1
                self.line += 1
                return line
            }
            guard buffer.count - start <= limit else {
                line += 1
                throw mistake("a line has at most \(limit) bytes")
            }
            guard !isAtEnd else { break }
            buffer.removeSubrange(..<start)
            start = 0
            scanned = buffer.count
            try fill()
        }
        guard start == buffer.count else {
            line += 1
            throw mistake("the line is cut off: the file ends without a line end")
        }
        return nil
    }

    /// Everything up to the end, where that is within the limit.
    func all() throws(FileError) -> [UInt8] {
        while !isAtEnd {
            try fill()
            guard buffer.count <= limit else { throw mistake("more than \(limit) bytes") }
        }
        return buffer
    }

    private func fill() throws(FileError) {
        var count: Int
        repeat {
            count = room.withUnsafeMutableBytes { raw in
                Platform.read(descriptor, raw.baseAddress, raw.count)
            }
        } while count < 0 && errno == EINTR
        guard count >= 0 else {
            throw FileError(.storage, "\(path) cannot be read: \(lastSystemError)")
        }
        buffer.append(contentsOf: room[..<count])
        position += Int64(count)
        isAtEnd = count == 0
    }

    /// The first line end at or after `start`.
    private func lineEnd(from start: Int) -> Int? {
        buffer.withUnsafeBytes { raw in
            guard let base = raw.baseAddress, start < raw.count,
                let found = memchr(base + start, 0x0A, raw.count - start)
            else { return nil }
            return base.distance(to: UnsafeRawPointer(found))
        }
    }

    /// A mistake in the line that was read last.
    func mistake(_ detail: String) -> FileError {
        FileError(.malformed, "\(path):\(max(1, line)): \(detail)")
    }
}
