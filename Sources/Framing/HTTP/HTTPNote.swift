/// Something in a message that is odd and was framed nevertheless.
///
/// Nearly all are places where two parsers may read the same bytes differently; the framer reads
/// them as servers most likely do. The raw values are stored in traces and do not change.
public enum HTTPNote: String, Hashable, Sendable, CaseIterable {
    /// A line ends in LF without CR (RFC 9112, 2.2).
    case bareLineFeed = "http.bare-lf"
    /// A CR that is not followed by LF (RFC 9112, 2.2).
    case bareCarriageReturn = "http.bare-cr"
    /// Empty lines before a start line (RFC 9112, 2.2).
    case leadingEmptyLine = "http.leading-empty-line"
    /// A start line whose parts are not separated by exactly one space (RFC 9112, 3 and 4).
    case startLineSpace = "http.start-line-space"
    /// A method that is not a token (RFC 9110, 9.1).
    case method = "http.method"
    /// A request target with whitespace, control or non-ASCII bytes (RFC 9112, 3.2).
    case target = "http.target"
    /// A request line without a version (RFC 9112, 3).
    case noVersion = "http.no-version"
    /// A version other than `HTTP/1.0` and `HTTP/1.1` (RFC 9112, 2.3).
    case version = "http.version"
    /// A status outside 100...599 (RFC 9110, 15).
    case status = "http.status"
    /// Whitespace before the first field; the line is ignored (RFC 9112, 2.2).
    case spaceBeforeFields = "http.space-before-fields"
    /// A value that continues on the next line (RFC 9112, 5.2).
    case obsoleteFold = "http.obs-fold"
    /// Whitespace between a field's name and the colon (RFC 9112, 5.1).
    case spaceBeforeColon = "http.space-before-colon"
    /// A field line without a colon; the line is ignored (RFC 9112, 5).
    case noColon = "http.no-colon"
    /// A field's name that is empty or no token (RFC 9110, 5.1).
    case fieldName = "http.field-name"
    /// NUL or another control byte in a field (RFC 9110, 5.5).
    case controlByte = "http.control-byte"
    /// No `Host` in a request of HTTP/1.1 (RFC 9112, 3.2).
    case noHost = "http.no-host"
    /// More than one `Host` (RFC 9112, 3.2).
    case twoHosts = "http.two-hosts"
    /// `Host` is not the authority of an absolute-form target (RFC 9112, 3.2.2).
    case hostDiffers = "http.host-differs"
    /// Both `Content-Length` and `Transfer-Encoding`; `chunked` wins (RFC 9112, 6.3).
    case twoLengths = "http.two-lengths"
    /// The same `Content-Length` several times (RFC 9112, 6.3).
    case repeatedLength = "http.repeated-length"
    /// Several values of `Content-Length` that differ; the first wins (RFC 9112, 6.3).
    case differentLengths = "http.different-lengths"
    /// A `Content-Length` that is not just digits; what can be read of it counts (RFC 9110, 8.6).
    case lengthSyntax = "http.length-syntax"
    /// A length or transfer coding where there can be no content (RFC 9110, 8.6; RFC 9112, 6.1).
    case lengthForbidden = "http.length-forbidden"
    /// `chunked` is not the last transfer coding (RFC 9112, 6.3).
    ///
    /// A request counts as chunked if `chunked` is present, a response lasts until its connection
    /// ends.
    case chunkedNotLast = "http.chunked-not-last"
    /// A transfer coding other than one `chunked`; the content is left in it (RFC 9112, 7).
    case transferCoding = "http.transfer-coding"
    /// `Transfer-Encoding` in a message of HTTP/1.0 (RFC 9112, 6.1).
    case oldTransferEncoding = "http.transfer-encoding-1.0"
    /// A chunk size that is not just up to 16 hexadecimal digits (RFC 9112, 7.1).
    case chunkSize = "http.chunk-size"
    /// Extensions of a chunk that are no names with tokens or quoted strings (RFC 9112, 7.1.1).
    case chunkExtension = "http.chunk-extension"
}
