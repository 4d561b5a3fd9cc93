/// Why a direction cannot be framed as HTTP any further.
public enum HTTPFramingError: Error, Hashable, Sendable {
    /// What should be a start line at `offset` is none.
    case startLine(offset: Int64)
    /// A head did not end within `limit` bytes, the last of which is before `offset`.
    case headTooLong(limit: Int, offset: Int64)
    /// The head that begins at `offset` has more than `limit` field lines.
    case tooManyFields(limit: Int, offset: Int64)
    /// No number can be read from the `Content-Length` at `offset`.
    case contentLength(offset: Int64)
    /// The `Content-Length` at `offset` is above 2^63 − 1.
    case contentLengthOverflow(offset: Int64)
    /// The byte at `offset` cannot be part of a chunk size.
    case chunkSize(offset: Int64)
    /// The chunk size that continues at `offset` is above 2^63 − 1.
    case chunkSizeOverflow(offset: Int64)
    /// A chunk-size line did not end within `limit` bytes, the last of which is before `offset`.
    case chunkLineTooLong(limit: Int, offset: Int64)
    /// A chunk is not followed by a line ending at `offset`.
    case chunkEnd(offset: Int64)
    /// A trailer section did not end within `limit` bytes, the last of which is before `offset`.
    case trailersTooLong(limit: Int, offset: Int64)
    /// The direction ended at `offset`, within a head.
    case cutInHead(offset: Int64)
    /// The direction ended at `offset`, `missing` bytes before the end of the content.
    case cutInContent(missing: Int64, offset: Int64)
    /// The direction ended at `offset`, within chunked content.
    case cutInChunks(offset: Int64)
}

extension HTTPFramingError {
    /// Offset in bytes from the start of the direction.
    public var offset: Int64 {
        switch self {
        case .startLine(let offset), .headTooLong(_, let offset), .tooManyFields(_, let offset),
            .contentLength(let offset), .contentLengthOverflow(let offset),
            .chunkSize(let offset), .chunkSizeOverflow(let offset),
            .chunkLineTooLong(_, let offset), .chunkEnd(let offset),
            .trailersTooLong(_, let offset), .cutInHead(let offset),
            .cutInContent(_, let offset), .cutInChunks(let offset):
            offset
        }
    }
}

extension HTTPFramingError: CustomStringConvertible {
    /// The error and its place, as text.
    public var description: String {
        switch self {
        case .startLine(let offset):
            "no HTTP start line at byte \(offset)"
        case .headTooLong(let limit, let offset):
            "the head has more than \(limit) bytes at byte \(offset)"
        case .tooManyFields(let limit, let offset):
            "the head at byte \(offset) has more than \(limit) fields"
        case .contentLength(let offset):
            "Content-Length at byte \(offset) is not a number"
        case .contentLengthOverflow(let offset):
            "Content-Length at byte \(offset) is above 9223372036854775807"
        case .chunkSize(let offset):
            "no hexadecimal chunk size at byte \(offset)"
        case .chunkSizeOverflow(let offset):
            "the chunk size at byte \(offset) is above 7fffffffffffffff"
        case .chunkLineTooLong(let limit, let offset):
            "the chunk-size line has more than \(limit) bytes at byte \(offset)"
        case .chunkEnd(let offset):
            "no line ending after the chunk at byte \(offset)"
        case .trailersTooLong(let limit, let offset):
            "the trailer section has more than \(limit) bytes at byte \(offset)"
        case .cutInHead(let offset):
            "the stream ended at byte \(offset), within a head"
        case .cutInContent(let missing, let offset):
            "the stream ended at byte \(offset), \(missing) bytes before the end of the content"
        case .cutInChunks(let offset):
            "the stream ended at byte \(offset), within chunked content"
        }
    }
}
