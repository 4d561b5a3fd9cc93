internal import Filters
public import Trace
public import Wire

/// A row as `show` names it: `12` for an exchange, `c12` for a command, `m12` for a message, `k12` for a
/// connection.
public enum RowName: Hashable, Sendable {
    /// An exchange, a command or a message.
    case line(LinePlace)
    /// A connection.
    case connection(ConnectionID)

    /// The row of this name; nil for what is no name.
    init?(_ text: String) {
        let digits = text.drop { !$0.isASCII || !$0.isNumber }
        guard let id = Int64(digits), id > 0 else { return nil }
        switch text.dropLast(digits.count) {
        case "": self = .line(LinePlace(.exchange, id))
        case "c": self = .line(LinePlace(.command, id))
        case "m": self = .line(LinePlace(.message, id))
        case "k": self = .connection(ConnectionID(id))
        default: return nil
        }
    }
}

extension LinePlace {
    /// The name of the row.
    public var name: String {
        switch subject {
        case .exchange: "\(id)"
        case .command: "c\(id)"
        case .message: "m\(id)"
        }
    }
}
