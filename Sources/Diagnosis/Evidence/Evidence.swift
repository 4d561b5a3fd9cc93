public import Dissection
public import Wire

/// Something that happened in a session, in the order in which it happened.
///
/// What a fault did is given with the exchange or command it was done to, and on its own. What is
/// large and rare is kept apart, so that commands and notes are moved cheaply.
public enum Evidence: Sendable {
    /// A client connected.
    case connection(ConnectionRow)
    /// Something happened to a connection that is not bytes.
    case event(EventRow)
    /// Bytes are known to be missing.
    case gap(GapRow)
    /// Tapedeck did something to the traffic on purpose.
    indirect case fault(FaultRow)
    /// A request is complete, or as much of it as came; the response is not known yet.
    indirect case asked(ExchangeEvidence)
    /// An exchange has ended, with or without response.
    indirect case answered(ExchangeEvidence)
    /// A Simperium command.
    case command(CommandEvidence)
    /// A WebSocket message that is no Simperium command, control messages included.
    indirect case message(MessageEvidence)
    /// Something odd about the bytes.
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
}
