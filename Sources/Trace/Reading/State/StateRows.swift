public import Wire

/// A row that changes the state of a side of a session.
public enum StateEntry {
    /// A Simperium command that its receiver received.
    case command(StateCommandRow)
    /// A fault that was applied to a Simperium message.
    case fault(StateFaultRow)
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
    /// The whole command.
    public var text: [UInt8]
    /// Whether Tapedeck made it.
    public var isMade: Bool
    /// Whether the trace keeps only its first bytes.
    public var isCut: Bool
}

/// A fault that was applied to a Simperium message.
public struct StateFaultRow: Hashable, Sendable {
    /// The connection.
    public var socket: ConnectionID
    /// The sender of the message.
    public var sender: Peer
    /// When.
    public var at: Instant
    /// The action, in the notation of plans.
    public var action: String
    /// What that did; nil where it is unknown.
    public var effect: FaultEffect?
    /// The original message, up to 64 KiB.
    public var came: [UInt8]
    /// What was sent instead, up to 64 KiB.
    public var sent: [UInt8]
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
    /// The faults that were applied to it.
    public var faults: [Fault]

    /// A fault that was applied to an exchange.
    public struct Fault: Hashable, Sendable {
        /// Number of the fault.
        public var id: Int64
        /// The action, in the notation of plans.
        public var action: String
        /// What that did; nil where it is unknown.
        public var effect: FaultEffect?
        /// The sender of the affected bytes; nil where there are none.
        public var sender: Peer?
        /// Whether the trace has what was received.
        public var hasReceived: Bool
    }
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
