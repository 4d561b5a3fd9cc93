import Wire

/// Bytes on their way through the layers of a conversation: what a peer had of one chunk, or the
/// rest of it.
struct Piece {
    var bytes: ArraySlice<UInt8>
    let sender: Peer
    let leg: LegID
    let at: Instant
    let isLocal: Bool
    let chunk: ChunkID
    /// Where the bytes are in the chunk; empty where each has its own index as offset.
    let segments: [ChunkView.Segment]

    /// Where the first of the bytes is in the trace.
    var place: Place { Place(chunk: chunk, offset: offset(of: bytes.startIndex)) }

    /// Where some of ``bytes``, counted from 0, are in the chunk; nil where they are not in it as they
    /// are here.
    func stored(_ range: Range<Int>) -> Place? {
        let first = bytes.startIndex + range.lowerBound
        guard !segments.isEmpty else { return Place(chunk: chunk, offset: first) }
        guard let index = segments.lastIndex(where: { $0.start <= first }),
            !segments[index].isInserted,
            index + 1 == segments.count
                || segments[index + 1].start >= bytes.startIndex + range.upperBound
        else { return nil }
        return Place(chunk: chunk, offset: segments[index].offset + first - segments[index].start)
    }

    /// The piece without its first `count` bytes.
    func dropping(_ count: Int) -> Piece {
        var rest = self
        rest.bytes = bytes.dropFirst(count)
        return rest
    }

    /// The segments of the bytes that are left, each with its index in ``bytes`` counted from 0.
    func forEachSegment(_ body: (_ start: Int, _ offset: Int, _ isInserted: Bool) -> Void) {
        guard !segments.isEmpty else { return body(0, bytes.startIndex, false) }
        for (index, segment) in segments.enumerated() {
            let end = index + 1 < segments.count ? segments[index + 1].start : bytes.endIndex
            guard end > bytes.startIndex else { continue }
            let skipped = max(0, bytes.startIndex - segment.start)
            body(
                max(0, segment.start - bytes.startIndex),
                segment.isInserted ? segment.offset : segment.offset + skipped,
                segment.isInserted)
        }
    }

    /// Slices keep the indices of the whole view, which start at 0.
    private func offset(of index: Int) -> Int {
        guard let segment = segments.last(where: { $0.start <= index }) else { return index }
        return segment.isInserted ? segment.offset : segment.offset + index - segment.start
    }
}

extension Piece {
    /// The chunk as one piece, where `peer` had all of it at once and as it is.
    static func whole(_ chunk: Chunk, id: ChunkID, hadBy peer: Peer) -> Piece? {
        guard chunk.patches.isEmpty, chunk.deliveries.isEmpty,
            chunk.origin == .peer || peer != chunk.sender
        else { return nil }
        return Piece(
            bytes: chunk.bytes[...], sender: chunk.sender, leg: chunk.leg, at: chunk.at,
            isLocal: chunk.origin == .tapedeck, chunk: id, segments: [])
    }

    /// What `peer` had of a chunk, one piece for each time that it had some of it.
    static func pieces(of chunk: Chunk, id: ChunkID, hadBy peer: Peer) -> [Piece] {
        let view = ChunkView(of: chunk, hadBy: peer)
        guard let first = view.segments.first else { return [] }
        let isMoved = view.segments.contains { $0.isInserted || $0.start != $0.offset }
        func piece(_ range: Range<Int>, _ at: Instant) -> Piece {
            Piece(
                bytes: view.bytes[range], sender: chunk.sender, leg: chunk.leg, at: at,
                isLocal: chunk.origin == .tapedeck, chunk: id,
                segments: isMoved ? view.segments : [])
        }
        var pieces: [Piece] = []
        var (start, at) = (0, first.at)
        for segment in view.segments where segment.at != at {
            pieces.append(piece(start..<segment.start, at))
            (start, at) = (segment.start, segment.at)
        }
        pieces.append(piece(start..<view.bytes.count, at))
        return pieces
    }
}
