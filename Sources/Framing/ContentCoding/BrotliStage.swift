import CBrotli

/// Undoes `br`.
final class BrotliStage: DecodingStage {
    private let decoder: OpaquePointer
    private let block = OutputBlock()
    private var consumed: Int64 = 0
    private var hasEnded = false

    init() throws(ContentCodingError) {
        guard let decoder = BrotliDecoderCreateInstance(nil, nil, nil) else {
            throw .memory(.brotli)
        }
        self.decoder = decoder
    }

    deinit { BrotliDecoderDestroyInstance(decoder) }

    func decode(
        _ bytes: borrowing Span<UInt8>,
        emit: (borrowing Span<UInt8>) throws(ContentCodingError) -> Void
    ) throws(ContentCodingError) {
        guard !hasEnded else {
            if bytes.isEmpty { return }
            throw .trailing(.brotli, offset: consumed)
        }
        var used = 0
        while true {
            var available = bytes.count - used
            var room = OutputBlock.capacity
            let result = bytes.extracting(used..<bytes.count).withUnsafeBufferPointer { input in
                var next = input.baseAddress
                var output: UnsafeMutablePointer<UInt8>? = block.start
                return BrotliDecoderDecompressStream(
                    decoder, &available, &next, &room, &output, nil)
            }
            let taken = bytes.count - used - available
            used += taken
            consumed += Int64(taken)
            try block.emit(OutputBlock.capacity - room, emit)
            switch result {
            case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT:
                continue
            case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT:
                return
            case BROTLI_DECODER_RESULT_SUCCESS:
                hasEnded = true
                guard used == bytes.count else { throw .trailing(.brotli, offset: consumed) }
                return
            default:
                let reason = BrotliDecoderErrorString(BrotliDecoderGetErrorCode(decoder))
                throw .malformed(
                    .brotli, offset: consumed,
                    reason: reason.map { String(cString: $0) } ?? "invalid data")
            }
        }
    }

    func finish() throws(ContentCodingError) {
        if consumed > 0, !hasEnded { throw .truncated(.brotli, offset: consumed) }
    }
}
