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
    /// Whether the receiver got something else than was read from the sender.
    let isPatched: Bool

    /// Where the first of the bytes is in the trace.
    ///
    /// Slices keep the indices of the whole chunk, which start at 0.
    var place: Place { Place(chunk: chunk, offset: bytes.startIndex) }

    /// Where the byte at `index` of ``bytes``, counted from 0, is in the chunk as received; nil
    /// where patches have moved it.
    func stored(_ index: Int) -> Place? {
        isPatched ? nil : Place(chunk: chunk, offset: bytes.startIndex + index)
    }

    /// The piece without its first `count` bytes.
    func dropping(_ count: Int) -> Piece {
        var rest = self
        rest.bytes = bytes.dropFirst(count)
        return rest
    }
}
