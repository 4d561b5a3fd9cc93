public import Wire

/// Something worth knowing about the bytes: what could not be decoded, or could be read two ways.
public struct NoteRow: Hashable, Sendable {
    /// The connection.
    public var connection: ConnectionID
    /// The exchange it is about, if one.
    public var exchange: ExchangeID?
    /// The message it is about, if one.
    public var message: MessageID?
    /// Who sent the bytes.
    public var sender: Peer
    /// When they arrived.
    public var at: Instant
    /// The bytes it is about.
    public var place: Place
    /// Stable name of what was noticed, such as `http.two-lengths`.
    public var code: String
    /// The same as text.
    public var detail: String

    /// A note row with these values.
    public init(
        connection: ConnectionID, exchange: ExchangeID? = nil, message: MessageID? = nil,
        sender: Peer, at: Instant, place: Place, code: String, detail: String
    ) {
        self.connection = connection
        self.exchange = exchange
        self.message = message
        self.sender = sender
        self.at = at
        self.place = place
        self.code = code
        self.detail = detail
    }
}
