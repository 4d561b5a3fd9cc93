/// What a framer found.
///
/// Ranges and indices are relative to the span given to the call that emitted the event, so they
/// cost nothing and are of no use afterwards. Offsets are relative to the first byte of the
/// direction.
public enum HTTPEvent: Hashable, Sendable {
    /// A head is complete; `end` is the index after its empty line.
    ///
    /// Interim (1xx) heads are reported this way too and are followed by their own ``end(at:)``.
    case head(HTTPHead, end: Int)
    /// Content without transfer coding, never empty.
    case content(Range<Int>)
    /// Trailer fields as sent, without the empty line; `end` is the index after the empty line.
    ///
    /// Emitted only where there are any.
    case trailers([UInt8], end: Int)
    /// The message is complete; `at` is the index after its last byte.
    case end(at: Int)
    /// Something is odd, `offset` bytes into the direction, and was framed nevertheless.
    ///
    /// Each note is emitted at most once per message, after the head it was found in.
    case note(HTTPNote, offset: Int64)
    /// The direction cannot be framed any further.
    case failure(HTTPFramingError)
    /// Bytes that are not framed: after a failure or in a tunnel.
    case opaque(Range<Int>)
}
