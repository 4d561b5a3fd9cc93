internal import Foundation
internal import Platform
internal import Trace

/// The bytes of an archive, by their places: a file that is read piece by piece, or memory.
final class ArchiveSource {
    /// An open file.
    private final class File {
        let descriptor: CInt
        let path: String

        init(_ path: String) throws(FileError) {
            self.path = path
            descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw FileError(
                    .cannotOpen, "\(path) cannot be read: \(lastSystemError); check the name")
            }
        }

        deinit { if descriptor >= 0 { close(descriptor) } }
    }

    private enum Kind {
        case file(File)
        case memory([UInt8])
    }

    /// Bytes of a block when all is read from front to end.
    static let block = 1 << 20
    /// The largest file of UTF-16 that is read, in bytes: it has to be turned into UTF-8 in memory.
    static let largestUTF16 = 256 << 20

    /// What it is called in messages.
    let name: String
    /// Number of bytes.
    let count: Int
    private let kind: Kind

    /// Opens the file at `path`; text in UTF-16 is turned into UTF-8.
    convenience init(path: String) throws(FileError) {
        let file = try File(path)
        var status = stat()
        guard fstat(file.descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw FileError(.cannotOpen, "\(path) is not a file; name one")
        }
        let size = Int(status.st_size)
        let start = try Self.read(file, 0..<min(2, size))
        guard start == [0xFF, 0xFE] || start == [0xFE, 0xFF] else {
            self.init(.file(file), count: size, name: path)
            return
        }
        guard size <= Self.largestUTF16 else {
            throw FileError(
                .malformed, "\(path) is UTF-16 and large; convert it: iconv -f UTF-16 -t UTF-8")
        }
        let wide = try Self.read(file, 2..<size)
        self.init(bytes: Self.utf8(wide, isBigEndian: start[0] == 0xFE), name: path)
    }

    /// `bytes`, called `name` in messages.
    convenience init(bytes: [UInt8], name: String) {
        self.init(.memory(bytes), count: bytes.count, name: name)
    }

    private init(_ kind: Kind, count: Int, name: String) {
        self.kind = kind
        self.count = count
        self.name = name
    }

    /// The bytes in `range`, which is within the file.
    func bytes(_ range: Range<Int>) throws(FileError) -> [UInt8] {
        switch kind {
        case .memory(let bytes): return Array(bytes[range.clamped(to: 0..<bytes.count)])
        case .file(let file): return try Self.read(file, range)
        }
    }

    private static func read(
        _ file: File, _ range: Range<Int>
    ) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        var done = 0
        while done < range.count {
            let count = bytes.withUnsafeMutableBytes { raw in
                pread(
                    file.descriptor, raw.baseAddress.map { $0 + done }, raw.count - done,
                    off_t(range.lowerBound + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let why = count < 0 ? lastSystemError : "it became shorter"
                throw FileError(.storage, "\(file.path) cannot be read: \(why); try again")
            }
            done += count
        }
        return bytes
    }

    private static func utf8(_ bytes: [UInt8], isBigEndian: Bool) -> [UInt8] {
        let high = isBigEndian ? 0 : 1
        let units = (0..<bytes.count / 2).lazy.map {
            UInt16(bytes[2 * $0 + high]) << 8 | UInt16(bytes[2 * $0 + 1 - high])
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}
