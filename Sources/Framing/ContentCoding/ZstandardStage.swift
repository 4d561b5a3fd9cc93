import CZstd

/// Undoes `zstd`.
final class ZstandardStage: DecodingStage {
    /// `ZSTD_error_prefix_unknown` of zstd_errors.h, whose numbers are fixed.
    private static let prefixUnknown = 10

    private let decoder: OpaquePointer
    private let block = OutputBlock()
    private var consumed: Int64 = 0
    /// Whether the last frame is complete.
    private var isBetweenFrames = true
    private var framesEnded = 0
    private var frameStart: Int64 = 0

    init(windowLog: Int) throws(ContentCodingError) {
        guard let decoder = ZSTD_createDCtx() else { throw .memory(.zstandard) }
        self.decoder = decoder
        let result = ZSTD_DCtx_setParameter(decoder, ZSTD_d_windowLogMax, Int32(windowLog))
        guard ZSTD_isError(result) == 0 else { throw .memory(.zstandard) }
    }

    deinit { ZSTD_freeDCtx(decoder) }

    func decode(
        _ bytes: borrowing Span<UInt8>,
        emit: (borrowing Span<UInt8>) throws(ContentCodingError) -> Void
    ) throws(ContentCodingError) {
        var used = 0
        while true {
            if isBetweenFrames {
                guard used < bytes.count else { return }
                isBetweenFrames = false
                frameStart = consumed
            }
            var taken = 0
            var made = 0
            let result = bytes.extracting(used..<bytes.count).withUnsafeBufferPointer { source in
                var input = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: 0)
                var output = ZSTD_outBuffer(
                    dst: block.start, size: OutputBlock.capacity, pos: 0)
                let result = ZSTD_decompressStream(decoder, &output, &input)
                taken = input.pos
                made = output.pos
                return result
            }
            used += taken
            consumed += Int64(taken)
            try block.emit(made, emit)
            if ZSTD_isError(result) != 0 {
                // After a whole frame, what is not a frame is something else appended.
                if 0 &- result == Self.prefixUnknown, framesEnded > 0 {
                    throw .trailing(.zstandard, offset: frameStart)
                }
                throw .malformed(
                    .zstandard, offset: consumed,
                    reason: String(cString: ZSTD_getErrorName(result)))
            }
            if result == 0 {
                isBetweenFrames = true
                framesEnded += 1
            } else if used == bytes.count, made < OutputBlock.capacity {
                return
            }
        }
    }

    func finish() throws(ContentCodingError) {
        if !isBetweenFrames { throw .truncated(.zstandard, offset: consumed) }
    }
}
