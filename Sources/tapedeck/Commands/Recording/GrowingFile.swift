import Platform

/// A file of lines that another program appends to.
final class GrowingFile {
    private let descriptor: CInt
    private var rest: [UInt8] = []

    /// Opens the file at `path`.
    init(path: String) throws(Failure) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure(
                .noInput,
                "\(path) cannot be read: \(String(cString: strerror(errno))); create it first: touch \(path)"
            )
        }
    }

    deinit { close(descriptor) }

    /// The complete lines since the last call; nil where there are none.
    func new() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            rest += buffer.prefix(count)
        }
        guard let end = rest.lastIndex(of: 0x0A) else { return nil }
        defer { rest.removeFirst(end + 1) }
        return Array(rest[...end])
    }
}
