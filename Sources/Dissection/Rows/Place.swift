public import Wire

/// Where in the trace a decoded thing begins.
///
/// Chunks are never renumbered, so a place survives a rebuild of everything derived.
public struct Place: Hashable, Sendable {
    /// The chunk with the first byte.
    public var chunk: ChunkID
    /// Offset in bytes of the first byte in that chunk, as it was read; of inserted bytes that of what
    /// they replace.
    public var offset: Int

    /// The place `offset` bytes into `chunk`.
    public init(chunk: ChunkID, offset: Int) {
        self.chunk = chunk
        self.offset = offset
    }
}
