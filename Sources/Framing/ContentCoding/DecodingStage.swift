/// Undoes one coding.
protocol DecodingStage: AnyObject {
    /// Decodes bytes that follow those of the call before and passes on the result, at most a block
    /// at a time.
    func decode(
        _ bytes: borrowing Span<UInt8>,
        emit: (borrowing Span<UInt8>) throws(ContentCodingError) -> Void
    ) throws(ContentCodingError)

    /// Notes the end of the bytes.
    func finish() throws(ContentCodingError)
}

/// Memory that a stage decodes into.
struct OutputBlock: ~Copyable {
    /// Size in bytes.
    static let capacity = 64 * 1024

    /// The memory, `capacity` bytes.
    let start = UnsafeMutablePointer<UInt8>.allocate(capacity: OutputBlock.capacity)

    /// Passes on the first `count` bytes, which the stage has filled.
    borrowing func emit(
        _ count: Int, _ emit: (borrowing Span<UInt8>) throws(ContentCodingError) -> Void
    ) throws(ContentCodingError) {
        guard count > 0 else { return }
        // Bounded by the count that was given to the library.
        let filled = UnsafeBufferPointer(start: start, count: min(count, Self.capacity))
        try emit(filled.span)
    }

    deinit { start.deallocate() }
}
