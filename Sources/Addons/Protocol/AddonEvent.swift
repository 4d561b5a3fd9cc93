public import Dissection
public import Faults
import Filters
import Formats
public import Wire

/// Something that an add-on is asked about.
public struct AddonEvent: Sendable {
    /// What it is about.
    public enum Subject: Sendable {
        /// A request or response, with what is known of both.
        case exchange(AddonExchange)
        /// A WebSocket message.
        case message(MessageSubject)
        /// A Simperium command.
        case command(CommandSubject)
        /// A client that connected.
        case connection(ConnectionRow)
    }

    /// Its kind.
    public let kind: AddonEventKind
    /// What it is about.
    public let subject: Subject
    /// Whether its rows have the numbers of a trace.
    public let isStored: Bool

    /// The request of an exchange, or its response.
    public init(_ kind: AddonEventKind, of exchange: AddonExchange, isStored: Bool = false) {
        self.kind = kind == .response ? .response : .request
        subject = .exchange(exchange)
        self.isStored = isStored
    }

    /// A message.
    public init(_ message: MessageSubject, isStored: Bool = false) {
        kind = .message
        subject = .message(message)
        self.isStored = isStored
    }

    /// A command.
    public init(_ command: CommandSubject, isStored: Bool = false) {
        kind = .command
        subject = .command(command)
        self.isStored = isStored
    }

    /// A connection.
    public init(_ connection: ConnectionRow, isStored: Bool = false) {
        kind = .connection
        subject = .connection(connection)
        self.isStored = isStored
    }

    /// When it was complete.
    public var at: Instant {
        switch subject {
        case .exchange(let exchange):
            (kind == .request ? exchange.row.requestEndedAt : exchange.row.endedAt)
                ?? exchange.row.respondedAt ?? exchange.row.startedAt
        case .message(let message): message.row.endedAt
        case .command(let command): command.row.at
        case .connection(let row): row.at
        }
    }

    /// The connection.
    public var connection: ConnectionID {
        switch subject {
        case .exchange(let exchange): exchange.row.connection
        case .message(let message): message.row.connection
        case .command(let command): command.row.connection
        case .connection(let row): row.id
        }
    }

    /// Who sent it; nil for a connection.
    public var sender: Peer? {
        switch subject {
        case .exchange: kind == .request ? .client : .server
        case .message(let message): message.row.sender
        case .command(let command): command.row.sender
        case .connection: nil
        }
    }

    /// The bytes that an edit replaces: a body as it was before its content coding, a payload, the
    /// text of a command.
    public var bytes: [UInt8] {
        switch subject {
        case .exchange(let exchange):
            (kind == .request ? exchange.request : exchange.response)?.content ?? []
        case .message(let message): message.row.payload
        case .command(let command): command.row.text ?? command.message.row.payload
        case .connection: []
        }
    }

    /// Whether ``bytes`` is text.
    public var isText: Bool {
        switch subject {
        case .exchange(let exchange):
            (kind == .request ? exchange.request : exchange.response)?.isText ?? true
        case .message(let message): message.row.isText
        case .command(let command): command.message.row.isText
        case .connection: true
        }
    }

    /// Whether a subscription asks for it.
    public func isWanted(by subscription: AddonSubscription) -> Bool {
        guard subscription.kinds.contains(kind) else { return false }
        switch subject {
        case .exchange(let exchange): return subscription.filter.matches(exchange.subject)
        case .message(let message): return subscription.filter.matches(message)
        case .command(let command): return subscription.filter.matches(command)
        case .connection(let row): return subscription.filter.matches(ConnectionValues(row: row))
        }
    }
}

/// A request and what is known of its response.
public struct AddonExchange: Sendable {
    /// The session.
    public var session: SessionID
    /// The exchange.
    public var row: ExchangeRow
    /// Head and body of the request.
    public var request: BodyRow?
    /// Head and body of the response.
    public var response: BodyRow?
    /// The OpenRosa documents in them.
    public var documents: [OpenRosaRow]
    /// What is odd about them.
    public var notes: [NoteRow]

    /// An exchange with these rows.
    public init(
        session: SessionID, row: ExchangeRow, request: BodyRow?, response: BodyRow?,
        documents: [OpenRosaRow] = [], notes: [NoteRow] = []
    ) {
        self.session = session
        self.row = row
        self.request = request
        self.response = response
        self.documents = documents
        self.notes = notes
    }

    /// The same for a filter.
    var subject: ExchangeSubject {
        ExchangeSubject(
            session: session, row: row, bodies: [request, response].compactMap { $0 },
            documents: documents, notes: notes)
    }
}

/// A connection as filters see it.
private struct ConnectionValues: FilterSubjectValues {
    let row: ConnectionRow

    var subject: FilterSubject { .exchange }

    func value(of field: Field, name: String?) -> FilterValue? {
        field == .connection ? .integer(row.id.rawValue) : nil
    }
}
