public import Wire

/// A request that no recorded exchange answers.
public struct HTTPMiss: Hashable, Sendable {
    /// The reason.
    public enum Reason: Hashable, Sendable {
        /// Nothing was recorded for this method, host and path.
        case unknownTarget
        /// Exchanges of this method, host and path are left, with other requests.
        case different
        /// The same request was recorded this many times, and each answer was given; only the first
        /// 1,000 exchanges of the method, host and path are counted, so that there may be more.
        case usedUp(times: Int, orMore: Bool = false)
    }

    /// A recorded exchange that comes close.
    public struct Candidate: Hashable, Sendable {
        /// The exchange.
        public var exchange: ExchangeID
        /// Its method, path and query.
        public var line: String
        /// Whether its answer was given to another request.
        public var isUsed: Bool
        /// Where the request differs from its request; empty where only the number of times does.
        public var differences: Differences
    }

    /// Method, path and query of the request.
    public var line: String
    /// Why it has no answer.
    public var reason: Reason
    /// The closest first, at most 3.
    public var candidates: [Candidate]

    /// A few lines of text, without a line feed at the end.
    public var description: String {
        var lines = ["\(line): \(reason.description)"]
        for candidate in candidates {
            let state = candidate.isUsed ? ", used" : ""
            lines.append("  closest: exchange \(candidate.exchange), \(candidate.line)\(state)")
            lines += candidate.differences.items.map { "    \($0)" }
            if candidate.differences.isCut { lines.append("    … and more") }
        }
        return lines.joined(separator: "\n")
    }
}

extension HTTPMiss.Reason: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .unknownTarget: "nothing was recorded for this method, host and path"
        case .different: "no unused recorded request is equivalent"
        case .usedUp(let times, let orMore):
            "recorded \(orMore ? "at least " : "")\(times == 1 ? "once" : "\(times) times"), "
                + "received once more"
        }
    }
}
