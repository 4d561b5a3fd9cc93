/// What one of the peers had of a chunk: its bytes, where each is in the chunk, and when.
///
/// The sender had what it sent, the receiver what was forwarded. Rewrites that a proxy has to make
/// (``Patch/Reason/isRewrite``) count on both sides.
public struct ChunkView: Hashable, Sendable {
    /// Bytes that follow each other in the view.
    public struct Segment: Hashable, Sendable {
        /// Index of the first of them in ``ChunkView/bytes``.
        public var start: Int
        /// Offset in the chunk of the first of them; of inserted bytes that of what they replace.
        public var offset: Int
        /// Whether they were inserted, so that all have the same offset.
        public var isInserted: Bool
        /// When the peer had them.
        public var at: Instant
    }

    /// The bytes.
    public private(set) var bytes: [UInt8] = []
    /// Where they come from, in ascending order; none where there are no bytes.
    public private(set) var segments: [Segment] = []

    /// What `peer` had of `chunk`.
    public init(of chunk: Chunk, hadBy peer: Peer) {
        let isSender = peer == chunk.sender
        if isSender, chunk.origin == .tapedeck { return }
        let patches =
            isSender ? chunk.patches.filter(\.reason.isRewrite) : chunk.patches
        guard !patches.isEmpty || !isSender && !chunk.deliveries.isEmpty else {
            bytes = chunk.bytes
            if !bytes.isEmpty {
                segments = [Segment(start: 0, offset: 0, isInserted: false, at: chunk.at)]
            }
            return
        }
        let deliveries = isSender ? [] : chunk.deliveries
        bytes.reserveCapacity(patches.reduce(chunk.bytes.count) { $0 + $1.inserted.count })
        segments.reserveCapacity(2 * patches.count + deliveries.count + 1)
        var position = 0
        for patch in patches {
            guard patch.offset >= position, patch.removed >= 0,
                patch.offset <= chunk.bytes.count - patch.removed
            else { continue }
            take(chunk, position..<patch.offset, deliveries)
            insert(patch, chunk, deliveries)
            position = patch.offset + patch.removed
        }
        take(chunk, position..<chunk.bytes.count, deliveries)
    }

    /// Takes bytes of the chunk as far as they were delivered.
    private mutating func take(_ chunk: Chunk, _ range: Range<Int>, _ deliveries: [Delivery]) {
        var position = range.lowerBound
        for delivery in deliveries {
            let end = delivery.offset.addingReportingOverflow(max(0, delivery.count)).partialValue
            let from = max(position, delivery.offset)
            let to = min(range.upperBound, end)
            guard from < to else { continue }
            append(chunk, position..<from, at: chunk.at)
            if let at = delivery.at { append(chunk, from..<to, at: at) }
            position = to
        }
        append(chunk, position..<range.upperBound, at: chunk.at)
    }

    private mutating func append(_ chunk: Chunk, _ range: Range<Int>, at: Instant) {
        guard !range.isEmpty else { return }
        segments.append(
            Segment(start: bytes.count, offset: range.lowerBound, isInserted: false, at: at))
        chunk.bytes.withUnsafeBufferPointer {
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: $0[range]))
        }
    }

    /// Inserted bytes share the delivery of what they replace, or of what they precede.
    private mutating func insert(_ patch: Patch, _ chunk: Chunk, _ deliveries: [Delivery]) {
        guard !patch.inserted.isEmpty else { return }
        let delivery = deliveries.first {
            patch.offset >= $0.offset
                && (patch.offset < $0.offset + $0.count
                    || patch.offset == chunk.bytes.count && patch.offset == $0.offset + $0.count)
        }
        if let delivery, delivery.at == nil { return }
        segments.append(
            Segment(
                start: bytes.count, offset: patch.offset, isInserted: true,
                at: delivery?.at ?? chunk.at))
        bytes.append(contentsOf: patch.inserted)
    }

    /// The offset in the chunk of the byte at `index`.
    public func offset(of index: Int) -> Int {
        guard let segment = segments.last(where: { $0.start <= index }) else { return index }
        return segment.isInserted ? segment.offset : segment.offset + index - segment.start
    }

    /// The index of the first byte of the view that is at `offset` of the chunk or after it.
    public func index(of offset: Int) -> Int {
        for (place, segment) in segments.enumerated() {
            let end = place + 1 < segments.count ? segments[place + 1].start : bytes.count
            if segment.isInserted {
                if segment.offset >= offset { return segment.start }
            } else if segment.offset + (end - segment.start) > offset {
                return segment.start + max(0, offset - segment.offset)
            }
        }
        return bytes.count
    }
}
