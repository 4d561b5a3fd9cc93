import Wire

/// Bytes on their way through the layers of a conversation: what the receiver got of one chunk, or
/// the rest of it.
struct Piece {
    var bytes: ArraySlice<UInt8>
    let sender: Peer
    let leg: LegID
    let at: Instant
    let isLocal: Bool
    let chunk: ChunkID

    /// Where the first of the bytes is in the trace.
    ///
    /// Slices keep the indices of the whole chunk, which start at 0.
    var place: Place { Place(chunk: chunk, offset: bytes.startIndex) }

    /// The piece without its first `count` bytes.
    func dropping(_ count: Int) -> Piece {
        var rest = self
        rest.bytes = bytes.dropFirst(count)
        return rest
    }
}
