public import Wire

/// The result of a recorded socket that was played to a live server.
public struct PlayedSocket: Hashable, Sendable {
    /// An answer that is not as recorded.
    public struct Deviation: Hashable, Sendable {
        /// The recorded channel; nil for what belongs to the connection.
        public var channel: Int?
        /// Its bucket, where one is open.
        public var bucket: String?
        /// The recorded server command; nil where what came was not recorded.
        public var command: CommandID?
        /// What it is about, on one line.
        public var line: String
        /// Where it differs.
        public var differences: Differences

        /// A few lines of text, without a line feed at the end.
        public var description: String {
            let place =
                (channel.map { "channel \($0)" } ?? "connection")
                + (bucket.map { " (\(OneLine.text($0)))" } ?? "")
            var lines = ["\(place): \(command.map { "command \($0), " } ?? "")\(line)"]
            lines += differences.items.map { "  \($0)" }
            if differences.isCut { lines.append("  … and more") }
            return lines.joined(separator: "\n")
        }
    }

    /// The recorded socket.
    public let id: ConnectionID
    /// Recorded server commands, without heartbeats.
    public internal(set) var recorded = 0
    /// Those that had their counterpart, the same by meaning.
    public internal(set) var matched = 0
    /// Recorded client commands that were sent, or sent in another form.
    public internal(set) var sent = 0
    /// Recorded client commands that were not: what they answer did not happen, or the socket ended.
    public internal(set) var skipped = 0
    /// Changes that were sent again because the live server refused them.
    public internal(set) var recoveries = 0
    /// The first deviations, at most ``maxDeviations``.
    public internal(set) var deviations: [Deviation] = []
    /// How many there are.
    public internal(set) var deviationCount = 0

    /// What the server did otherwise than recorded and the client bridged, one line each; the first
    /// of them, at most ``maxDeviations``.
    public internal(set) var bridged: [String] = []
    /// How many there are.
    public internal(set) var bridgedCount = 0

    /// Deviations that are kept.
    public static let maxDeviations = 1_000

    /// Why no socket could be opened; nil where one could.
    public internal(set) var unreachable: String?
    /// Whether it was ended before everything was played.
    public internal(set) var wasStopped = false

    /// A socket of which nothing was played.
    public init(_ id: ConnectionID) { self.id = id }

    /// Whether the live server answered as recorded.
    public var isSame: Bool { deviationCount == 0 }
}
