internal import Platform

/// Takes the body of an answer: in memory up to a limit, or into a file.
final class BodySink {
    /// What is in memory.
    private(set) var data: [UInt8] = []
    private let limit: Int
    private let path: String?
    private var descriptor: Int32 = -1

    init(limit: Int, path: String?) {
        self.limit = limit
        self.path = path
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Processes the next bytes of an answer with this status.
    func write(_ bytes: UnsafeRawBufferPointer, status: Int) throws(HTTPError) {
        if let path, (200...299).contains(status) {
            try open(path)
            try writeFile(bytes, path)
        } else {
            guard bytes.count <= limit - data.count else { throw .tooLarge(limit: limit) }
            data += bytes
        }
    }

    /// Ends a whole answer: an empty body makes an empty file.
    func finish(status: Int) throws(HTTPError) {
        guard let path, (200...299).contains(status) else { return }
        try open(path)
        let result = close(descriptor)
        descriptor = -1
        guard result == 0 else { throw Self.failure(path) }
    }

    /// Discards what was received.
    func discard() {
        data = []
        guard let path, descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
        unlink(path)
    }

    private func open(_ path: String) throws(HTTPError) {
        guard descriptor < 0 else { return }
        descriptor = Platform.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        // An existing file may be readable by others.
        guard descriptor >= 0, fchmod(descriptor, 0o600) == 0 else { throw Self.failure(path) }
    }

    private func writeFile(_ bytes: UnsafeRawBufferPointer, _ path: String) throws(HTTPError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = Platform.write(descriptor, piece.baseAddress, piece.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw Self.failure(path)
            }
        }
    }

    private static func failure(_ path: String) -> HTTPError {
        .file(path: path, reason: String(cString: strerror(errno)))
    }
}
