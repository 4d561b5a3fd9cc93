public import Wire

/// The result of a recorded WebSocket without Simperium that was played to a live server.
public struct PlayedConversation: Hashable, Sendable {
    /// Something that is not as recorded.
    public struct Deviation: Hashable, Sendable {
        /// The recorded message of the server; nil where what came was not recorded, and for what
        /// is not a message.
        public var message: MessageID?
        /// What it is about, on one line.
        public var line: String
        /// Where it differs.
        public var differences: Differences

        /// A few lines of text, without a line feed at the end.
        public var description: String {
            var lines = [(message.map { "message \($0), " } ?? "") + line]
            lines += differences.items.map { "  \($0)" }
            if differences.isCut { lines.append("  … and more") }
            return lines.joined(separator: "\n")
        }
    }

    /// The exchange that opened the recorded one.
    public let exchange: ExchangeID
    /// Recorded messages of the server.
    public internal(set) var recorded = 0
    /// Those that had their counterpart, the same by meaning and in their order.
    public internal(set) var matched = 0
    /// Recorded messages of the client that were sent.
    public internal(set) var sent = 0
    /// Those that were not, as the socket had ended.
    public internal(set) var skipped = 0
    /// The first deviations, at most ``maxDeviations``.
    public internal(set) var deviations: [Deviation] = []
    /// How many there are.
    public internal(set) var deviationCount = 0
    /// Why no connection could be opened; nil where one could.
    public internal(set) var unreachable: String?
    /// Whether it was ended before everything was played.
    public internal(set) var wasStopped = false

    /// Deviations that are kept.
    public static let maxDeviations = 1_000

    /// A conversation of which nothing was played.
    public init(_ exchange: ExchangeID) { self.exchange = exchange }

    /// Whether the live server sent the same.
    public var isSame: Bool { deviationCount == 0 }

    mutating func add(_ deviation: Deviation) {
        deviationCount += 1
        if deviations.count < Self.maxDeviations { deviations.append(deviation) }
    }
}

extension PlayedConversation {
    /// A conversation that was not recorded, of which nothing can be played.
    public static func notPlayed(_ exchange: ExchangeID) -> PlayedConversation {
        var played = PlayedConversation(exchange)
        played.wasStopped = true
        return played
    }
}
