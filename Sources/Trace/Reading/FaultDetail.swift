internal import Dissection
public import Wire

/// A fault as stored, with its target and its verdict.
public struct FaultDetail: Hashable, Sendable {
    /// Number of the fault.
    public var id: Int64
    /// The session.
    public var session: SessionID
    /// What was done.
    public var row: FaultRow
    /// The exchange it was applied to, if any.
    public var exchange: ExchangeID?
    /// The message it was applied to, if it was delivered.
    public var message: MessageID?
    /// The Simperium command of that message that it was applied to.
    public var command: CommandID?
    /// Whether that message is a control frame.
    public var isControl = false
    /// The command or message it was applied to, as its sender sent it; nil for none, and where it
    /// was not kept.
    public var came: [UInt8]?
    /// What the receiver got in its place; nil for nothing, and where it was not kept.
    public var sent: [UInt8]?
    /// Its verdict; nil until it was judged.
    public var verdict: FaultVerdictRow?
    /// The exchange as the client had it, if it did.
    public var clientExchange: ExchangeID?
    /// The message as the client had it, if it did.
    public var clientMessage: MessageID?
}

/// Whether the client recovered from a fault.
public struct FaultVerdictRow: Hashable, Sendable {
    /// Number of the fault.
    public var fault: Int64
    /// `recovered`, `not-recovered` or `undecided`.
    public var verdict: String
    /// The evidence, as text.
    public var how: String
    /// The exchange that shows it.
    public var exchange: ExchangeID?
    /// The command that shows it.
    public var command: CommandID?
    /// How long after the fault, in nanoseconds.
    public var afterNanoseconds: Int64?
    /// The number of tries of the client until then.
    public var tries: Int
    /// Where what shows it begins, by which it is stored.
    var place: Place?
    /// Of a command its place in the message that begins there.
    var position: Int?

    /// A verdict with these values.
    public init(
        fault: Int64, verdict: String, how: String, exchange: ExchangeID? = nil,
        command: CommandID? = nil, afterNanoseconds: Int64? = nil, tries: Int = 0
    ) {
        self.fault = fault
        self.verdict = verdict
        self.how = how
        self.exchange = exchange
        self.command = command
        self.afterNanoseconds = afterNanoseconds
        self.tries = tries
    }
}
