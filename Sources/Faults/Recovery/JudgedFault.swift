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

    /// A fault with these values.
    public init(id: Int64, row: FaultRow, exchange: ExchangeID? = nil, message: MessageID? = nil) {
        self.id = id
        self.row = row
        self.exchange = exchange
        self.message = message
    }
}
