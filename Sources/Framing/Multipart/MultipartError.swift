/// Why a multipart body could not be read to its end.
///
/// Offsets are in bytes from the start of the body.
public enum MultipartError: Error, Hashable, Sendable {
    /// The boundary does not occur in the body, which ends at `offset`.
    case noBoundary(offset: Int64)
    /// The body ends at `offset`, before the closing delimiter.
    case cut(offset: Int64)
    /// The fields of a part do not end within `limit` bytes, the last of which is before `offset`.
    case headTooLong(limit: Int, offset: Int64)
    /// A delimiter at `offset` is among the fields of a part.
    case delimiterInHead(offset: Int64)
    /// There are more than `limit` parts; the delimiter of the next ends before `offset`.
    case tooManyParts(limit: Int, offset: Int64)
}

extension MultipartError {
    /// Offset in bytes from the start of the body.
    public var offset: Int64 {
        switch self {
        case .noBoundary(let offset), .cut(let offset), .headTooLong(_, let offset),
            .delimiterInHead(let offset), .tooManyParts(_, let offset):
            offset
        }
    }
}

extension MultipartError: CustomStringConvertible {
    /// The error and its place, as text.
    public var description: String {
        switch self {
        case .noBoundary(let offset):
            "the boundary is not in the body, which ends at byte \(offset)"
        case .cut(let offset):
            "the body ends at byte \(offset), before the closing delimiter"
        case .headTooLong(let limit, let offset):
            "the fields of a part have more than \(limit) bytes at byte \(offset)"
        case .delimiterInHead(let offset):
            "a delimiter at byte \(offset) is among the fields of a part"
        case .tooManyParts(let limit, let offset):
            "more than \(limit) parts at byte \(offset)"
        }
    }
}
