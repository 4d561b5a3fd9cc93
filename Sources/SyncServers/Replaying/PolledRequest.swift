internal import Framing
internal import Wire

/// The last read of a connection that was one request without a body and nothing else: clients that
/// poll send it again and again, and it need not be framed again.
struct PolledRequest {
    private var last: (bytes: [UInt8], request: LiveRequest)?
    /// Bytes that the framer has not seen.
    private var unframed: Int64 = 0

    /// The request that a read is, where it is the same as the last one; nil where it has to be
    /// framed.
    ///
    /// Not to be asked but where the framer is like new.
    mutating func again(_ bytes: UnsafeRawBufferPointer) -> LiveRequest? {
        guard let last, last.bytes.withUnsafeBytes({ $0.isSame(as: bytes) }) else { return nil }
        unframed += Int64(bytes.count)
        return last.request
    }

    /// Brings a framer that is like new to where the stream is.
    mutating func catchUp(_ framer: inout HTTPFramer) {
        guard unframed > 0 else { return }
        framer = HTTPFramer(role: .request, at: framer.streamOffset + unframed)
        unframed = 0
    }

    /// Remembers a read that left the framer like new, and the last request, where it was just that.
    mutating func note(_ bytes: [UInt8], _ request: LiveRequest?) {
        guard let request, request.head.bytes == bytes else { return }
        last = (bytes, request)
    }
}
