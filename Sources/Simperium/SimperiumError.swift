public import Notation
import Wire

/// Why a message could not be read as a Simperium command.
///
/// Every offset is in bytes, relative to the message.
public enum SimperiumError: Error, Hashable, Sendable {
    /// There is no `channel:name` and no command of the connection.
    case notACommand(offset: Int)
    /// The number of the channel does not fit in 63 bits.
    case channelTooLarge(offset: Int)
    /// The command needs a payload and has none.
    case noPayload(offset: Int)
    /// Text outside of JSON is not UTF-8.
    case notUTF8(offset: Int)
    /// The payload is not JSON.
    case json(JSONError)
    /// The payload is JSON, and of another kind than the command needs.
    case wrongKind(expected: JSONKind, offset: Int)
    /// The payload of a heartbeat is not a number.
    case heartbeat(offset: Int)
    /// The payload of `log` is neither a level nor JSON.
    case logLevel(offset: Int)
    /// The payload of `e` has no dot between key and version, or nothing before it.
    case entityKey(offset: Int)
    /// What follows the last dot of an `e` is not a version: `undefined`, `NaN`.
    case entityVersion(offset: Int)
    /// There are more changes or index entries than `limit` in one command.
    case tooManyElements(limit: Int, offset: Int)

    /// The place of the error.
    public var offset: Int {
        switch self {
        case .json(let error): error.offset
        case .notACommand(let offset), .channelTooLarge(let offset), .noPayload(let offset),
            .notUTF8(let offset), .wrongKind(_, let offset), .heartbeat(let offset),
            .logLevel(let offset), .entityKey(let offset), .entityVersion(let offset),
            .tooManyElements(_, let offset):
            offset
        }
    }
}

extension SimperiumError: CustomStringConvertible {
    /// The same as text, without the offset.
    public var description: String {
        switch self {
        case .notACommand: "not a Simperium command"
        case .channelTooLarge: "the channel number is too large"
        case .noPayload: "the command has no payload"
        case .notUTF8: "the command is not UTF-8"
        case .json(let error): error.description
        case .wrongKind(let expected, _): "the payload should be a JSON \(expected)"
        case .heartbeat: "the heartbeat is not a number"
        case .logLevel: "neither a log level nor a log message"
        case .entityKey: "no key and version of an entity"
        case .entityVersion: "the version of the entity is not a number"
        case .tooManyElements(let limit, _): "more than \(limit) elements in one command"
        }
    }
}
