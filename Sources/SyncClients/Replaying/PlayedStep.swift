public import Replaying

/// The result of an exchange or a socket that was played.
public struct PlayedStep: Sendable {
    /// How it ended.
    public enum Outcome: Sendable {
        /// The server answered; the answer may differ.
        case played
        /// No connection could be opened; with the reason as text.
        case unreachable(String)
        /// It was not played, or not to its end, because the replay was ended.
        case stopped
    }

    /// How it ended.
    public var outcome: Outcome
    /// What it is, on one line.
    public var line = ""
    /// Recorded answers, or commands or messages of the recorded server, in all.
    public var recorded: Int
    /// Those that had their counterpart without a difference.
    public var matched: Int
    /// Differences: answers, and commands and messages that were received differently or not at
    /// all.
    public var differing: Int
    /// Some of them, in order.
    public var items: [ReplayReport.Item]
    /// What the server did otherwise than recorded and the client bridged.
    public var bridged = 0
    /// Some of it, in order.
    public var bridgedItems: [ReplayReport.Item] = []
    /// What an exchange is for, such as `commcare.submit`.
    public var api = "http"
    /// Requests that were sent.
    public var requests = 0
    /// Nanoseconds from the last request to its answer; nil without one.
    public var latency: Int64?

    /// A step of which one answer was recorded, and came.
    public init(
        _ outcome: Outcome = .played, recorded: Int = 1, matched: Int = 1, differing: Int = 0,
        items: [ReplayReport.Item] = []
    ) {
        self.outcome = outcome
        self.recorded = recorded
        self.matched = matched
        self.differing = differing
        self.items = items
    }
}

/// Plays the steps of one recorded client to a live server.
public protocol StepPlayer: Sendable {
    /// Plays an exchange or a socket to its end; cancelled with its task.
    ///
    /// - Parameter step: No command or message: these are played by their socket.
    /// - Returns: The result.
    func play(_ step: ReplaySchedule.Step) async -> PlayedStep
}
