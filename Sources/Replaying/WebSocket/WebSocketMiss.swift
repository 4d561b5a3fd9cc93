public import Wire

/// A WebSocket message of a live client that the recording does not have there.
public struct WebSocketMiss: Hashable, Sendable {
    /// Why it has no counterpart.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The next recorded message of the client is another.
        case different
        /// The recorded client sent no more.
        case nothingLeft = "nothing-left"
    }

    /// A recorded message that comes close.
    public struct Candidate: Hashable, Sendable {
        /// The message.
        public var message: MessageID
        /// What it is, on one line.
        public var line: String
        /// Where the live message differs.
        public var differences: Differences
    }

    /// The WebSocket, as the shell numbers it.
    public var socket: Int
    /// The exchange that opened the recorded one.
    public var exchange: ExchangeID
    /// What came, on one line.
    public var line: String
    /// Why it has no counterpart.
    public var reason: Reason
    /// The closest recorded message, if there is any.
    public var candidate: Candidate?

    /// A few lines of text, without a line feed at the end.
    public var description: String {
        var lines = [
            "socket \(socket) of exchange \(exchange): \(line): \(reason.description)"
        ]
        if let candidate {
            lines.append("  closest: message \(candidate.message), \(candidate.line)")
            lines += candidate.differences.items.map { "    \($0)" }
            if candidate.differences.isCut { lines.append("    … and more") }
        }
        return lines.joined(separator: "\n")
    }
}

extension WebSocketMiss.Reason: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .different: "the recorded client continued with another message"
        case .nothingLeft: "the recorded client sent no further message"
        }
    }
}
