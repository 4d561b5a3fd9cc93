import CZlib

/// Compresses the messages of one peer for permessage-deflate.
///
/// Never used from two threads at once, hence not `Sendable`. Source: RFC 7692, section 7.2.1.
public final class MessageDeflater {
    /// Whether a message may refer to those before it.
    public let contextTakeover: Bool

    private let stream: UnsafeMutablePointer<z_stream>
    private let output: UnsafeMutableBufferPointer<UInt8>

    /// A deflater that has compressed no message; nil where there is no memory for one.
    ///
    /// - Parameters:
    ///   - level: zlib's, 0 (stored) to 9 (smallest); -1 is zlib's default.
    ///   - windowBits: Base-2 logarithm of the window in bytes, in 8...15.
    ///   - contextTakeover: Whether a message may refer to those before it.
    public init?(level: Int = -1, windowBits: Int = 15, contextTakeover: Bool = true) {
        self.contextTakeover = contextTakeover
        // zlib keeps the address of the stream, so that it may not move.
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        output = .allocate(capacity: 8192)
        // Raw deflate does not support a window of 256 bytes, but refers back by at most the window
        // less 262 bytes: with a window of 512 bytes what it makes can be inflated with one of 256.
        let bits = Int32(min(max(windowBits, 9), 15))
        let status = deflateInit2_(
            stream, Int32(min(max(level, -1), 9)), Z_DEFLATED, -bits, 8, Z_DEFAULT_STRATEGY,
            ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            // The deinitialiser runs; on a stream that was not set up deflateEnd does nothing.
            return nil
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        output.deallocate()
    }

    /// The compressed payload of a message with the payload `bytes`, for frames with RSV1 set.
    ///
    /// Without the four bytes `00 00 FF FF` that end it. Messages go in in the order in which they
    /// are sent.
    public func deflate(_ bytes: borrowing Span<UInt8>) -> [UInt8] {
        // zlib has nothing to flush after nothing; RFC 7692, 7.2.3.6 defines its representation.
        guard !bytes.isEmpty else { return [0x00] }
        var result: [UInt8] = []
        bytes.withUnsafeBufferPointer { input in
            var rest = input[...]
            while !rest.isEmpty {
                let piece = rest.prefix(1 << 30)
                rest = rest.dropFirst(piece.count)
                run(
                    UnsafeBufferPointer(rebasing: piece),
                    flush: rest.isEmpty ? Z_SYNC_FLUSH : Z_NO_FLUSH, into: &result)
            }
        }
        if !contextTakeover { deflateReset(stream) }
        if result.suffix(4) == [0x00, 0x00, 0xFF, 0xFF] { result.removeLast(4) }
        return result
    }

    private func run(
        _ input: UnsafeBufferPointer<UInt8>, flush: Int32, into result: inout [UInt8]
    ) {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = uInt(input.count)
        defer {
            stream.pointee.next_in = nil
            stream.pointee.avail_in = 0
        }
        repeat {
            stream.pointee.next_out = output.baseAddress
            stream.pointee.avail_out = uInt(output.count)
            let status = CZlib.deflate(stream, flush)
            let count = output.count - Int(stream.pointee.avail_out)
            result.append(contentsOf: UnsafeBufferPointer(rebasing: output[..<count]))
            guard status == Z_OK else { return }
        } while stream.pointee.avail_out == 0
    }
}
