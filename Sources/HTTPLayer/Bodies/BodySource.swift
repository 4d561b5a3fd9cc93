/// Returns the bytes of a body, in order, from the start as often as requested.
protocol BodySource: AnyObject {
    /// Its size in bytes; nil where it is known only at the end.
    var size: Int? { get }
    /// Fills the start of `buffer`.
    ///
    /// - Returns: How many bytes; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(HTTPError) -> Int
    /// Goes back to the start.
    func rewind() throws(HTTPError)
}

/// A body in memory.
final class BytesSource: BodySource {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var size: Int? { bytes.count }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let piece = bytes[offset...].prefix(buffer.count)
        buffer.copyBytes(from: piece)
        offset += piece.count
        return piece.count
    }

    func rewind() { offset = 0 }
}
