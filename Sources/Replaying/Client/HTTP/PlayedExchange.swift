public import Wire

/// The result of playing a recorded exchange to a live server.
public struct PlayedExchange: Hashable, Sendable {
    /// How it ended.
    public enum Outcome: Hashable, Sendable {
        /// The final answer was compared with the recorded one.
        case compared
        /// It was not sent, or its answer is not compared: the recording polls here, and the live
        /// server was faster.
        case joined
        /// The server gave no answer; the recording has one.
        case unanswered
        /// The connection was refused.
        case unreachable
        /// It could not be sent.
        case notSent
        /// The replay was ended before its answer was there.
        case stopped
    }

    /// The recorded exchange.
    public var exchange: ExchangeID
    /// Its method, path and query.
    public var line: String
    /// Its API, as in the column `api` of an exchange; nil where it is unknown.
    public var api: String?
    /// How it ended.
    public var outcome: Outcome
    /// Status of the final answer; nil without one.
    public var status: Int?
    /// Where the final answer differs from the recorded one.
    public var differences: Differences
    /// Requests that were sent.
    public var requests = 0
    /// When the first was sent, or would have been.
    public var startedAt: Instant
    /// When the final answer was there.
    public var endedAt: Instant
    /// Nanoseconds that the last request took.
    public var latency: Int64 = 0
    /// Nanoseconds spent waiting because the server required it.
    public var waited: Int64 = 0
    /// What else happened, one line each; no difference in itself.
    public var notes: [String] = []
    /// What the server did otherwise than recorded on the way to the final answer, one line each:
    /// the client bridged it, by waiting, asking again or restoring.
    public var bridged: [String] = []

    /// An exchange that is compared, with no difference yet.
    public init(
        _ exchange: ExchangeID, line: String, api: String? = nil, outcome: Outcome = .compared,
        status: Int? = nil, differences: Differences = Differences(), at: Instant = .zero
    ) {
        self.exchange = exchange
        self.line = line
        self.api = api
        self.outcome = outcome
        self.status = status
        self.differences = differences
        startedAt = at
        endedAt = at
    }

    /// Whether the live server answered as recorded.
    public var isSame: Bool {
        differences.isEmpty && (outcome == .compared || outcome == .joined)
    }

    /// A few lines of text, without a line feed at the end.
    public var description: String {
        var lines = ["exchange \(exchange), \(line)"]
        lines += differences.items.map { "  \($0)" }
        if differences.isCut { lines.append("  … and more") }
        lines += (bridged + notes).map { "  \(OneLine.text($0))" }
        return lines.joined(separator: "\n")
    }
}
