import Wire

/// Bytes of one read that wait, and where they belong.
struct HeldBytes {
    /// What is framed and forwarded.
    private(set) var bytes: ArraySlice<UInt8>
    /// When they came here.
    let at: Instant
    /// When the read returned; before ``at`` where they were held for a judgement.
    let readAt: Instant
    /// Offset in the stream of the first of them.
    var start: Int64
    /// Who made them.
    let origin: Chunk.Origin
    /// What the peer sent, where that is not ``bytes``.
    private(set) var source: Alteration?

    /// Bytes of a peer, or of Tapedeck in its name.
    init(
        _ bytes: ArraySlice<UInt8>, at: Instant, readAt: Instant? = nil, start: Int64 = 0,
        origin: Chunk.Origin = .peer, source: Alteration? = nil
    ) {
        self.bytes = bytes
        self.at = at
        self.readAt = readAt ?? at
        self.start = start
        self.origin = origin
        self.source = source
    }

    /// What the peer sent of them; nothing of what Tapedeck made.
    var sent: ArraySlice<UInt8> {
        if origin == .tapedeck { return bytes.prefix(0) }
        return source?.original ?? bytes
    }

    /// Bytes that are kept: where faults changed them, what the peer sent as well.
    var heldCount: Int { bytes.count + (source?.original.count ?? 0) }

    /// Some of these bytes, by their places from 0.
    func part(_ range: Range<Int>) -> HeldBytes {
        guard range != 0..<bytes.count else { return self }
        let first = bytes.startIndex
        return HeldBytes(
            bytes[first + range.lowerBound..<first + range.upperBound], at: at, readAt: readAt,
            start: start + Int64(range.lowerBound), origin: origin, source: source?.part(range))
    }

    /// These bytes without the first `count`.
    func dropFirst(_ count: Int) -> HeldBytes { part(count..<bytes.count) }

    /// Adds what came next, as if it had come with these.
    mutating func append(_ next: HeldBytes) {
        if source != nil || next.source != nil {
            var joined = source ?? Alteration(bytes, [])
            joined.append(next.source ?? Alteration(next.bytes, []))
            source = joined
        }
        bytes += next.bytes
    }

    /// The patches, given by stream offset, that fall into these bytes; one that reaches over the
    /// end is cut there, and its rest belongs to the next bytes.
    func own(_ patches: [Patch], from base: Int64) -> [Patch] {
        guard !patches.isEmpty else { return [] }
        let end = start + Int64(bytes.count)
        return patches.compactMap { patch in
            let first = base + Int64(patch.offset)
            let last = first + Int64(patch.removed)
            let isHere = first >= start && first < end
            let from = max(first, start)
            let to = min(last, end)
            guard isHere || from < to else { return nil }
            return Patch(
                offset: Int(from - start), removed: Int(max(0, to - from)),
                inserted: isHere ? patch.inserted : [], reason: patch.reason)
        }
    }
}

/// How much waits, and whether the start of a head is among it.
struct Holding: Hashable {
    var bytes: Int
    var hasHead: Bool
    /// Bytes among them that were forwarded, of which framing keeps a copy until the head ends.
    var framed = 0
}

/// Reads that wait, in order.
struct HeldReads {
    private var reads: [HeldBytes] = []
    /// Bytes that all of them keep.
    private(set) var count = 0

    /// The maximum number of separate reads; a peer that sends byte by byte must not take a
    /// thousand times the memory.
    private static let maximumApart = 256

    var isEmpty: Bool { reads.isEmpty }

    /// Adds what was read last.
    mutating func append(_ read: HeldBytes) {
        guard !read.bytes.isEmpty else { return }
        let last = reads.count - 1
        if reads.count >= Self.maximumApart, reads[last].origin == read.origin {
            // What was sent of both is kept as soon as faults changed one of them.
            count -= reads[last].heldCount
            reads[last].append(read)
            count += reads[last].heldCount
        } else {
            count += read.heldCount
            reads.append(read)
        }
    }

    /// Puts back what is to be inspected first.
    mutating func putBack(_ read: HeldBytes) {
        guard !read.bytes.isEmpty else { return }
        count += read.heldCount
        reads.insert(read, at: 0)
    }

    /// Returns the oldest; nil where none waits.
    mutating func takeFirst() -> HeldBytes? {
        guard !reads.isEmpty else { return nil }
        let read = reads.removeFirst()
        count -= read.heldCount
        return read
    }

    /// Returns all of them.
    mutating func takeAll() -> [HeldBytes] {
        defer { self = HeldReads() }
        return reads
    }
}
