public import Wire

/// A recorded WebSocket that carries something else than Simperium: its messages, in their order.
public struct RecordedConversation: Hashable, Sendable {
    /// A text or binary message; its payload is fetched on demand.
    public struct Message: Hashable, Sendable {
        /// Its number in the trace.
        public var id: MessageID
        /// Who sent it.
        public var sender: Peer
        /// Whether it is text; else it is binary.
        public var isText: Bool
        /// When its last byte arrived.
        public var at: Instant

        /// A message with these values.
        public init(id: MessageID, sender: Peer, isText: Bool, at: Instant) {
            self.id = id
            self.sender = sender
            self.isText = isText
            self.at = at
        }
    }

    /// The exchange that opened it.
    public var exchange: ExchangeID
    /// When it was open.
    public var openedAt: Instant
    /// The messages of both sides; no pings and what else belongs to the connection.
    public var messages: [Message]
    /// How the server ended it; nil where the client did, or neither.
    public var end: RecordedSocket.End?
    /// How the client ended it; nil where the server did, or neither.
    public var clientEnd: RecordedSocket.End?

    /// A conversation with these values.
    public init(
        exchange: ExchangeID, openedAt: Instant, messages: [Message] = [],
        end: RecordedSocket.End? = nil, clientEnd: RecordedSocket.End? = nil
    ) {
        self.exchange = exchange
        self.openedAt = openedAt
        self.messages = messages
        self.end = end
        self.clientEnd = clientEnd
    }

    /// What either side sent before the first of them ended it: what was in transit then is not
    /// waited for, and the other may not have read it.
    public var messagesBeforeEnd: [Message] {
        guard let over = (end ?? clientEnd)?.at else { return messages }
        return messages.filter { $0.at <= over }
    }
}
