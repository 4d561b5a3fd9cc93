internal import Platform

/// A body in a file, compressed in transit where requested.
final class FileSource: BodySource {
    let size: Int?
    private let path: String
    private let descriptor: Int32
    private let compresses: Bool
    private var deflater: Deflater?
    /// Compressed bytes that no buffer had room for.
    private var held: [UInt8] = []
    private var heldOffset = 0
    private var isAtEnd = false

    init(path: String, compresses: Bool) throws(HTTPError) {
        self.path = path
        self.compresses = compresses
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw Self.failure(path) }
        size = compresses ? nil : Self.regularSize(of: descriptor)
        deflater = compresses ? Deflater() : nil
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The size of a regular file in bytes; nil for anything else.
    static func size(of path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(HTTPError) -> Int {
        guard let deflater else { return try readFile(into: buffer) }
        while heldOffset == held.count, !isAtEnd {
            held.removeAll(keepingCapacity: true)
            heldOffset = 0
            let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 1)
            defer { piece.deallocate() }
            let count = try readFile(into: piece)
            isAtEnd = count == 0
            deflater.compress(
                UnsafeRawBufferPointer(rebasing: piece.prefix(count)), isLast: isAtEnd, into: &held)
        }
        let piece = held[heldOffset...].prefix(buffer.count)
        buffer.copyBytes(from: piece)
        heldOffset += piece.count
        return piece.count
    }

    func rewind() throws(HTTPError) {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw Self.failure(path) }
        held = []
        heldOffset = 0
        isAtEnd = false
        deflater = compresses ? Deflater() : nil
    }

    private func readFile(into buffer: UnsafeMutableRawBufferPointer) throws(HTTPError) -> Int {
        while true {
            let count = Platform.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw Self.failure(path) }
        }
    }

    private static func regularSize(of descriptor: Int32) -> Int? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return Int(status.st_size)
    }

    private static func failure(_ path: String) -> HTTPError {
        .file(path: path, reason: String(cString: strerror(errno)))
    }
}
