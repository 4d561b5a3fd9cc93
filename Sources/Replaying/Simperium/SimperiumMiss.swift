public import Wire

/// A command of a live client that the recording does not have there.
public struct SimperiumMiss: Hashable, Sendable {
    /// Why it has no counterpart.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The next recorded command of the channel is another.
        case different
        /// The recording has no more commands on the channel.
        case nothingLeft = "nothing-left"
        /// No channel of the recording that is left was opened like this.
        case noSuchChannel = "no-such-channel"
        /// Nothing was opened on the channel before.
        case notOpened = "not-opened"
    }

    /// A recorded command that comes close.
    public struct Candidate: Hashable, Sendable {
        /// The command.
        public var command: CommandID
        /// What it is, on one line.
        public var line: String
        /// Where the live command differs.
        public var differences: Differences
    }

    /// The WebSocket, as the shell numbers it.
    public var socket: Int
    /// Channel of the live client.
    public var channel: Int?
    /// The bucket of the channel.
    public var bucket: String?
    /// What came, on one line and without tokens.
    public var line: String
    /// Why it has no counterpart.
    public var reason: Reason
    /// The closest recorded command, if there is any.
    public var candidate: Candidate?

    /// A few lines of text, without a line feed at the end.
    public var description: String {
        let place =
            "socket \(socket)" + (channel.map { ", channel \($0)" } ?? "")
            + (bucket.map { " (\(OneLine.text($0)))" } ?? "")
        var lines = ["\(place): \(line): \(reason.description)"]
        if let candidate {
            lines.append("  closest: command \(candidate.command), \(candidate.line)")
            lines += candidate.differences.items.map { "    \($0)" }
            if candidate.differences.isCut { lines.append("    … and more") }
        }
        return lines.joined(separator: "\n")
    }
}

extension SimperiumMiss.Reason: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .different: "the recording continues with another command"
        case .nothingLeft: "the recording has no further commands on this channel"
        case .noSuchChannel: "the recording opens no such channel, or no further one"
        case .notOpened: "no bucket is open on this channel"
        }
    }
}
