public import Wire

/// A fault that is judged, with the rows of its target in a trace.
public struct JudgedFault: Hashable, Sendable {
    /// Number of the fault.
    public var id: Int64
    /// What was done.
    public var row: FaultRow
    /// The exchange it was done to, if to one.
    public var exchange: ExchangeID?
    /// The message it was applied to, if it was received.
    public var message: MessageID?
    /// Whether that is a control frame of a WebSocket: nothing is lost with it that could be sent
    /// again.
    public var isControl: Bool
    /// The command or message that it was done to, as its sender sent it; empty for none.
    public var came: [UInt8]

    /// A fault with these values.
    public init(
        id: Int64, row: FaultRow, exchange: ExchangeID? = nil, message: MessageID? = nil,
        isControl: Bool = false, came: [UInt8] = []
    ) {
        self.id = id
        self.row = row
        self.exchange = exchange
        self.message = message
        self.isControl = isControl
        self.came = came
    }

    /// Whether it was done to a control frame and left the connection as it was.
    var isOfControlFrame: Bool { isControl && !row.hasEffect([.ended, .stalled]) }
}
