public import Dissection
public import Wire

/// An event in a session, from which recovery is determined.
public enum Observation: Hashable, Sendable {
    /// A client connected.
    case connection(ConnectionRow)
    /// An exchange, with the instanceID of the form in its request.
    case exchange(ExchangeRow, instance: String?)
    /// A Simperium command, with its changes.
    ///
    /// `text` is the whole command of `init`, `auth`, `i`, `e`, `h` and the `c` of clients, and may be
    /// empty for others.
    case command(CommandRow, changes: [ChangeRow], text: [UInt8])

    /// When: the first byte of an exchange, the last of a command's message.
    public var at: Instant {
        switch self {
        case .connection(let row): row.at
        case .exchange(let row, _): row.startedAt
        case .command(let row, _, _): row.at
        }
    }
}
