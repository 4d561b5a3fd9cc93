internal import Platform
internal import Wire

/// Room on the disk that is kept for the last words of a trace whose disk is full.
///
/// Where not even these could be written, its first bytes say so, for the next session.
final class Reserve {
    /// Since when bytes are missing that no row of the trace speaks of.
    struct Mark: Hashable {
        var reason: GapRow.Reason
        /// Nanoseconds since 1970.
        var sinceUnix: Int64
    }

    /// Size in bytes: room for thousands of gap rows.
    static let size = 1 << 20
    /// The least that is worth keeping.
    private static let least = 1 << 16
    /// Bytes that a mark takes.
    private static let markSize = 64

    private let path: String
    /// Bytes that are taken.
    private(set) var taken = 0
    private var isMarked = false

    /// A reserve beside the trace at `path`.
    init(for path: String) { self.path = path + ".reserve" }

    /// The mark that a session left which was killed.
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

    /// Takes the room, or what there is of it.
    func take() {
        guard taken < Self.size, !isMarked else { return }
        // One of a session that was killed may be there, and somebody else's file must not be
        // followed or written over.
        unlink(path)
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        taken = 0
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var size = Self.size
        while size >= Self.least, !OpenFiles.reserve(Int64(size), of: descriptor) {
            // What was taken before the disk was full counts for nothing.
            ftruncate(descriptor, 0)
            size /= 2
        }
        if size < Self.least { unlink(path) } else { taken = size }
    }

    /// Writes a mark into the room that is taken, which needs none.
    func write(_ mark: Mark) {
        guard !isMarked else { return }
        let text = "\(mark.reason.rawValue) \(mark.sinceUnix)"
        isMarked = put(Array(text.utf8), O_CREAT)
    }

    /// The trace says itself what is missing.
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

    /// Gives the room back to the disk.
    func release() {
        guard taken > 0 || isMarked else { return }
        unlink(path)
        taken = 0
        isMarked = false
    }

    /// Gives the room back at the end; a mark stays for the next session.
    func end() {
        if isMarked { truncate(path, off_t(Self.markSize)) } else { release() }
    }
}
