internal import Platform
internal import Wire

/// Disk space that is reserved for the final rows of a trace whose disk is full.
///
/// Where not even these could be written, its first bytes record that for the next session.
final class Reserve {
    /// The time since which bytes are missing that no row of the trace records.
    struct Mark: Hashable {
        var reason: GapRow.Reason
        /// Nanoseconds since 1970.
        var sinceUnix: Int64
    }

    /// Size in bytes: room for thousands of gap rows.
    static let size = 1 << 20
    /// The minimum useful size.
    private static let least = 1 << 16
    /// Bytes that a mark takes.
    private static let markSize = 64

    private let path: String
    /// Bytes that are taken.
    private(set) var taken = 0
    private var isMarked = false

    /// A reserve beside the trace at `path`.
    init(for path: String) { self.path = path + ".reserve" }

    /// The mark of a session that was killed.
    var leftBehind: Mark? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.markSize)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let words = bytes[..<count].prefix { $0 != 0 }.split(separator: UInt8(ascii: " "))
        guard words.count == 2, let sinceUnix = Int64(String(decoding: words[1], as: UTF8.self)),
            let reason = GapRow.Reason(rawValue: String(decoding: words[0], as: UTF8.self))
        else { return nil }
        return Mark(reason: reason, sinceUnix: sinceUnix)
    }

    /// Reserves the space, or as much as is free.
    func take() {
        guard taken < Self.size, !isMarked else { return }
        // One of a killed session may exist, and another file must not be followed or overwritten.
        unlink(path)
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        taken = 0
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var size = Self.size
        while size >= Self.least, !OpenFiles.reserve(Int64(size), of: descriptor) {
            // A reservation that failed on a full disk does not count.
            _ = ftruncate(descriptor, 0)
            size /= 2
        }
        if size < Self.least { unlink(path) } else { taken = size }
    }

    /// Writes a mark into the reserved space, which needs no free space.
    func write(_ mark: Mark) {
        guard !isMarked else { return }
        let text = "\(mark.reason.rawValue) \(mark.sinceUnix)"
        isMarked = put(Array(text.utf8), O_CREAT)
    }

    /// The trace records what is missing.
    func erase() {
        guard isMarked else { return }
        isMarked = false
        if taken == 0 { unlink(path) } else { _ = put([], 0) }
    }

    private func put(_ text: [UInt8], _ create: CInt) -> Bool {
        let descriptor = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | create, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let bytes = text + [UInt8](repeating: 0, count: max(0, Self.markSize - text.count))
        return pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
    }

    /// Releases the space.
    func release() {
        guard taken > 0 || isMarked else { return }
        unlink(path)
        taken = 0
        isMarked = false
    }

    /// Releases the space at the end; a mark stays for the next session.
    func end() {
        if isMarked { _ = truncate(path, off_t(Self.markSize)) } else { release() }
    }
}
