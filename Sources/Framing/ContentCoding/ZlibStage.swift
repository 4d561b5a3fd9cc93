import CZlib

/// Undoes `gzip` and `deflate`.
final class ZlibStage: DecodingStage {
    private enum State {
        /// Nothing has come yet.
        case start
        /// Whether zlib or bare deflate follows is unknown before the second byte.
        case undecided(first: UInt8)
        /// Within what was coded.
        case running
        /// After the end of what was coded, or of a gzip member.
        case ended
    }

    private let coding: ContentCoding
    // zlib keeps the address of its stream, so it must not move.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let block = OutputBlock()
    private var state = State.start
    private var consumed: Int64 = 0

    init(_ coding: ContentCoding) throws(ContentCodingError) {
        self.coding = coding
        stream.initialize(to: z_stream())
        // 16 more than the window's logarithm selects gzip.
        let bits = coding == .gzip ? MAX_WBITS + 16 : MAX_WBITS
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, bits, ZLIB_VERSION, size) == Z_OK else {
            throw .memory(coding)
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    func decode(
        _ bytes: borrowing Span<UInt8>,
        emit: (borrowing Span<UInt8>) throws(ContentCodingError) -> Void
    ) throws(ContentCodingError) {
        guard case .deflate = coding else { return try feed(bytes, emit) }
        switch state {
        case .start:
            if bytes.count >= 2 {
                try decide(bytes[0], bytes[1])
                try feed(bytes, emit)
            } else if bytes.count == 1 {
                state = .undecided(first: bytes[0])
            }
        case .undecided(let first):
            guard !bytes.isEmpty else { return }
            try decide(first, bytes[0])
            try feed([first].span, emit)
            try feed(bytes, emit)
        case .running, .ended:
            try feed(bytes, emit)
        }
    }

    func finish() throws(ContentCodingError) {
        switch state {
        case .start, .ended: return
        case .undecided: throw .truncated(coding, offset: consumed + 1)
        case .running: throw .truncated(coding, offset: consumed)
        }
    }

    /// Distinguishes zlib from bare deflate by the checksum of zlib's header (RFC 1950, 2.2).
    private func decide(_ first: UInt8, _ second: UInt8) throws(ContentCodingError) {
        let isZlib =
            first & 0x0F == 8 && first >> 4 <= 7 && (Int(first) << 8 | Int(second)) % 31 == 0
        if !isZlib, inflateReset2(stream, -MAX_WBITS) != Z_OK { throw .memory(coding) }
        state = .running
    }

    private func feed(
        _ bytes: borrowing Span<UInt8>,
        _ emit: (borrowing Span<UInt8>) throws(ContentCodingError) -> Void
    ) throws(ContentCodingError) {
        var position = 0
        while position < bytes.count {
            if case .ended = state {
                // Members may follow each other (RFC 1952, 2.2); the first byte shows it.
                guard coding == .gzip, bytes[position] == 0x1F, inflateReset(stream) == Z_OK
                else { throw .trailing(coding, offset: consumed) }
            }
            state = .running
            // A count is 32 bits in zlib.
            let end = min(bytes.count, position + 1 << 30)
            position += try inflate(bytes.extracting(position..<end), emit)
        }
    }

    /// Inflates until the input is used up or what was coded ends.
    ///
    /// - Returns: Number of bytes used.
    private func inflate(
        _ bytes: borrowing Span<UInt8>,
        _ emit: (borrowing Span<UInt8>) throws(ContentCodingError) -> Void
    ) throws(ContentCodingError) -> Int {
        var used = 0
        while true {
            let available = bytes.count - used
            let result = bytes.extracting(used..<bytes.count).withUnsafeBufferPointer { input in
                // zlib's type lacks const; it only reads.
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.pointee.avail_in = UInt32(available)
                stream.pointee.next_out = block.start
                stream.pointee.avail_out = UInt32(OutputBlock.capacity)
                return CZlib.inflate(stream, Z_NO_FLUSH)
            }
            let taken = available - Int(stream.pointee.avail_in)
            used += taken
            consumed += Int64(taken)
            let made = OutputBlock.capacity - Int(stream.pointee.avail_out)
            try block.emit(made, emit)
            switch result {
            case Z_OK:
                // A full block may have left more behind, even without input.
                if used == bytes.count, made < OutputBlock.capacity { return used }
            case Z_BUF_ERROR:
                return used
            case Z_STREAM_END:
                state = .ended
                return used
            case Z_MEM_ERROR:
                throw .memory(coding)
            case Z_NEED_DICT:
                throw .malformed(coding, offset: consumed, reason: "needs a dictionary")
            default:
                let reason = stream.pointee.msg.map { String(cString: $0) } ?? "invalid data"
                throw .malformed(coding, offset: consumed, reason: reason)
            }
        }
    }
}
