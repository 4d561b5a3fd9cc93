/// Why content could not be decoded.
///
/// Offsets are in bytes from the start of what the named coding was given: the content as sent for
/// the coding named last in the field, the outcome of that one for the one before it.
public enum ContentCodingError: Error, Hashable, Sendable {
    /// The coding is none that can be undone.
    case unknown(coding: String)
    /// More than `limit` codings are stacked.
    case tooMany(limit: Int)
    /// The data is invalid near `offset`; the reason is the library's.
    case malformed(ContentCoding, offset: Int64, reason: String)
    /// Data continues at `offset`, after the end of what was coded.
    case trailing(ContentCoding, offset: Int64)
    /// The data ended at `offset`, before the end of what was coded.
    case truncated(ContentCoding, offset: Int64)
    /// The content grows beyond the limits; `offset` counts bytes of the content as sent.
    case bomb(offset: Int64)
    /// There is no memory for the coding.
    case memory(ContentCoding)
}

extension ContentCodingError: CustomStringConvertible {
    /// The error and its place, as text.
    public var description: String {
        switch self {
        case .unknown(let coding):
            "unknown content coding \(coding)"
        case .tooMany(let limit):
            "more than \(limit) content codings"
        case .malformed(let coding, let offset, let reason):
            "\(coding.rawValue) is invalid at byte \(offset): \(reason)"
        case .trailing(let coding, let offset):
            "data after the end of \(coding.rawValue) at byte \(offset)"
        case .truncated(let coding, let offset):
            "\(coding.rawValue) is cut off at byte \(offset)"
        case .bomb(let offset):
            "the content grows beyond the limit at byte \(offset)"
        case .memory(let coding):
            "no memory for \(coding.rawValue)"
        }
    }
}
