public import Wire

/// Whether a client recovered from a fault.
public struct FaultVerdict: Hashable, Sendable {
    /// The outcome; the raw value is what a trace stores.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// Something later shows that the client got over it.
        case recovered
        /// The session ended, or the client did what it must not, and nothing shows that.
        case notRecovered = "not-recovered"
        /// Nothing shows it yet, and it is not too late: the session continues, or it ended while the
        /// fault lasted or the client rightly waited.
        case undecided
    }

    /// Number of the fault.
    public var fault: Int64
    /// The outcome.
    public var outcome: Outcome
    /// What shows it, in words.
    public var how: String
    /// The exchange that shows it.
    public var exchange: ExchangeID?
    /// The command that shows it.
    public var command: CommandID?
    /// How long after the fault, in nanoseconds.
    public var afterNanoseconds: Int64?
    /// How many times the client tried until then.
    public var tries: Int
}
