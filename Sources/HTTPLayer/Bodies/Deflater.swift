internal import CZlib

/// Compresses a stream to gzip.
final class Deflater {
    // zlib keeps the address of the stream, so that it may not move.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    init() {
        stream.initialize(to: z_stream())
        // 16 more than the window's logarithm selects gzip.
        let status = deflateInit2_(
            stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY,
            ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        // Fails only without memory, which is not a recoverable error in Swift either.
        precondition(status == Z_OK, "zlib has no memory")
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Appends the compressed bytes that are available; all of them after the last piece.
    func compress(_ input: UnsafeRawBufferPointer, isLast: Bool, into result: inout [UInt8]) {
        // zlib counts in 32 bits.
        var rest = input[...]
        repeat {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
            rest = rest.dropFirst(piece.count)
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: piece.bindMemory(to: UInt8.self).baseAddress)
            stream.pointee.avail_in = UInt32(piece.count)
            let flush = isLast && rest.isEmpty ? Z_FINISH : Z_NO_FLUSH
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32 << 10) { block in
                repeat {
                    stream.pointee.next_out = block.baseAddress
                    stream.pointee.avail_out = UInt32(block.count)
                    deflate(stream, flush)
                    result += block.prefix(block.count - Int(stream.pointee.avail_out))
                } while stream.pointee.avail_out == 0
            }
        } while !rest.isEmpty
    }

    /// The whole of `bytes`, compressed.
    static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        let deflater = Deflater()
        var result: [UInt8] = []
        bytes.withUnsafeBytes { deflater.compress($0, isLast: true, into: &result) }
        return result
    }
}
