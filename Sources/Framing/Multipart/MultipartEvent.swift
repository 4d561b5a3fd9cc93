/// What a multipart parser found.
///
/// Ranges are relative to the span given to the call that emitted the event; offsets are in bytes
/// from the start of the body.
public enum MultipartEvent: Hashable, Sendable {
    /// A part begins; `offset` is that of its content's first byte.
    case part(head: MultipartHead, offset: Int64)
    /// Content of the part, never empty.
    case content(Range<Int>)
    /// Content from earlier calls that was kept while it could have been a delimiter.
    ///
    /// Follows what was emitted before it and comes before what follows; at most a little longer
    /// than the boundary.
    case held([UInt8])
    /// The part is complete, or the body was cut within it; `size` is that of its content in
    /// bytes, `offset` that of the first byte after the content.
    case partEnd(size: Int64, offset: Int64)
    /// The closing delimiter came; it ends before `offset`.
    case end(offset: Int64)
    /// The rest of the body cannot be read.
    case failure(MultipartError)
}
