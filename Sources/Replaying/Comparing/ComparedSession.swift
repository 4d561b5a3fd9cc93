public import Wire

/// One of two recordings that are compared.
public struct ComparedSession: Sendable {
    /// The exchanges, in order.
    public var exchanges: RecordedExchanges
    /// The Simperium commands, in order.
    public var commands: RecordedCommands
    /// One side of an exchange.
    public var message: @Sendable (ExchangeID, Peer) -> ReplayMessage?
    /// The text of a command.
    public var text: @Sendable (CommandID) -> [UInt8]?

    /// A recording with these parts.
    public init(
        exchanges: RecordedExchanges, commands: RecordedCommands,
        message: @escaping @Sendable (ExchangeID, Peer) -> ReplayMessage?,
        text: @escaping @Sendable (CommandID) -> [UInt8]?
    ) {
        self.exchanges = exchanges
        self.commands = commands
        self.message = message
        self.text = text
    }
}

/// Something that is in one of two recordings or in both.
public struct ComparedItem: Hashable, Sendable {
    /// How the two sides are to each other.
    public enum Change: String, Hashable, Sendable, CaseIterable {
        /// The same on both.
        case same
        /// The same on both, in another order.
        case moved
        /// On both, with differences.
        case changed
        /// On the first alone.
        case missing
        /// On the second alone.
        case added

        /// Whether the sides are not the same.
        public var isDifference: Bool { self != .same }
    }

    /// What a difference is in.
    public enum Part: String, Hashable, Sendable, CaseIterable {
        /// A request.
        case request
        /// Its answer.
        case answer
        /// A command.
        case command
        /// The state of a client or server at the end.
        case state
    }

    /// How the sides are to each other.
    public var change: Change
    /// Number of the exchange or command on the first side.
    public var a: Int64?
    /// The same on the second.
    public var b: Int64?
    /// The thing on one line, as the first side has it; nil where it is not there.
    public var lineA: String?
    /// As the second side has it.
    public var lineB: String?
    /// Where they differ.
    public var differences: [Found] = []
    /// Whether there are more differences.
    public var isCut = false

    /// A difference with what it is in.
    public struct Found: Hashable, Sendable {
        /// What it is in.
        public var part: Part
        /// The difference.
        public var difference: Difference
    }

    /// An item without differences.
    public init(
        _ change: Change, a: Int64?, b: Int64?, lineA: String? = nil, lineB: String? = nil
    ) {
        self.change = change
        self.a = a
        self.b = b
        self.lineA = lineA
        self.lineB = lineB
    }
}

/// Progress of a comparison of two recordings.
public enum ComparisonEvent: Sendable {
    /// What follows is about this: `exchanges`, `commands of …`, `bucket …`.
    case section(String)
    /// An item of the section, in order.
    case item(ComparedItem)
}
