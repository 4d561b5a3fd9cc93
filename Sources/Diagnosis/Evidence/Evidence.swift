public import Dissection
public import Wire

/// An event of a session; events are in order of time.
///
/// A fault is part of the exchange or command that it affected, and also separate evidence. Large
/// and rare values are boxed, so that commands and notes are moved cheaply.
public enum Evidence: Sendable {
    /// A client connected.
    case connection(ConnectionRow)
    /// An event of a connection other than bytes.
    case event(EventRow)
    /// Bytes are known to be missing.
    case gap(GapRow)
    /// A fault affected the traffic.
    indirect case fault(FaultRow)
    /// A request is complete, or as much of it as was received; the response is not known yet.
    indirect case asked(ExchangeEvidence)
    /// An exchange has ended, with or without response.
    indirect case answered(ExchangeEvidence)
    /// A Simperium command.
    case command(CommandEvidence)
    /// A WebSocket message other than Simperium commands, control messages included.
    indirect case message(MessageEvidence)
    /// A note of a decoder about the bytes.
    case note(NoteRow)

    /// When.
    ///
    /// The end of a request or of an exchange, the last byte of a message.
    public var at: Instant {
        switch self {
        case .connection(let row): row.at
        case .event(let row): row.at
        case .gap(let row): row.at
        case .fault(let row): row.at
        case .asked(let exchange): exchange.row.requestEndedAt ?? exchange.row.startedAt
        case .answered(let exchange): exchange.row.endedAt ?? exchange.row.startedAt
        case .command(let command): command.row.at
        case .message(let message): message.row.endedAt
        case .note(let row): row.at
        }
    }

    /// The connection it happened to.
    public var connection: ConnectionID? {
        switch self {
        case .connection(let row): row.id
        case .event(let row): row.connection
        case .gap(let row): row.connection
        case .fault(let row): row.connection
        case .asked(let exchange), .answered(let exchange): exchange.row.connection
        case .command(let command): command.row.connection
        case .message(let message): message.row.connection
        case .note(let row): row.connection
        }
    }

    /// Bytes of the contents that it has with it, for who keeps several.
    public var size: Int {
        switch self {
        case .connection, .event, .gap, .fault, .note: 0
        case .asked(let exchange), .answered(let exchange):
            [exchange.request, exchange.response].reduce(0) { $0 + ($1?.body.content.count ?? 0) }
        case .command(let command):
            // Both are the same where nothing was altered.
            max(command.said?.text.count ?? 0, command.heard?.text.count ?? 0)
        case .message(let message): message.row.payload.count
        }
    }
}
