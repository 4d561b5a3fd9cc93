public import Wire

/// A row that changes the state of a side of a session.
public enum StateEntry {
    /// A Simperium command.
    case command(StateCommandRow)
    /// An exchange with CommCare, as it ended.
    case exchange(StateExchangeRow)
    /// A socket is over.
    case ended(ConnectionID)
}

/// A Simperium command with its text.
public struct StateCommandRow: Hashable, Sendable {
    /// Its number.
    public var id: CommandID
    /// The connection.
    public var socket: ConnectionID
    /// The side in whose name it was sent.
    public var sender: Peer
    /// When its last byte arrived.
    public var at: Instant
    /// The whole command; nil where the sender did not send it.
    public var sent: [UInt8]?
    /// The whole command; nil where the receiver did not get it at that time.
    public var received: [UInt8]?
    /// Whether the trace keeps only its first bytes.
    public var isCut: Bool
}

/// An exchange with CommCare.
public struct StateExchangeRow: Hashable, Sendable {
    /// Its number.
    public var id: ExchangeID
    /// The connection.
    public var connection: ConnectionID
    /// What it is for.
    public var api: String
    /// Method as sent.
    public var method: String
    /// Host without port, in lower case.
    public var host: String
    /// TCP port.
    public var port: Int
    /// Path without query, as sent.
    public var path: String
    /// Query without question mark.
    public var query: String?
    /// Status of the response; nil before the end, and where there was none.
    public var status: Int?
    /// When the request began.
    public var startedAt: Instant
    /// When it ended; nil where that is later than the requested time.
    public var endedAt: Instant?
    /// Whether the whole response arrived.
    public var isComplete: Bool
    /// Whether Tapedeck made the response.
    public var isLocal: Bool
    /// Whether the server has a row of its own, or none.
    public var side: Side
    /// The exchange as the server had it, where that differs; nil where it did not get the request.
    public var counterpart: ExchangeID?
}

/// A point in time of a trace, inclusive.
public enum StateMoment: Hashable, Sendable {
    /// The end of the trace.
    case end
    /// A time after the start of a session; of the first where none is named.
    case time(nanoseconds: Int64, session: SessionID?)
    /// A time of the wall clock, nanoseconds since 1970 UTC.
    case clock(unixNanoseconds: Int64)
    /// The end of a session.
    case session(SessionID)
    /// Just after an exchange was over.
    case exchange(ExchangeID)
    /// Just after a Simperium command.
    case command(CommandID)
    /// Just after the last command of a message.
    case message(MessageID)
}
