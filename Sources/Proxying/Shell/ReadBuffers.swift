import NIOCore

/// The sizes of the buffers that a channel reads into: they follow what comes, and only a small one
/// is kept between reads.
///
/// A channel reads into the buffer that it keeps as long as the next one needs no more, so one that
/// had grown would stay as large, for small messages and on idle connections too.
struct ReadBuffers: RecvByteBufferAllocator {
    /// The size of what is kept, in bytes.
    static let kept = 2048

    private var sizes: AdaptiveRecvByteBufferAllocator

    /// Buffers of `smallest` to `largest` bytes, smallest first; powers of two.
    init(smallest: Int = kept, largest: Int) {
        sizes = AdaptiveRecvByteBufferAllocator(
            minimum: smallest, initial: smallest, maximum: largest)
    }

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer { sizes.buffer(allocator: allocator) }

    /// Takes note of a read of so many bytes.
    ///
    /// - Returns: Whether the next one needs a buffer of its own.
    mutating func record(actualReadBytes: Int) -> Bool {
        _ = sizes.record(actualReadBytes: actualReadBytes)
        return sizes.nextBufferSize() != Self.kept
    }
}
