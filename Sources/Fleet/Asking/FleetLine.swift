internal import Dissection
public import Trace
internal import Wire

/// A line of a listing of a fleet: that of a trace, with its session and what a trace has elsewhere.
public struct FleetLine: Sendable {
    /// The session.
    public var session: FleetSession
    /// The line, with the numbers of its recorder.
    public var line: TraceLine
    /// The whole text of a command.
    public var text: [UInt8] = []
    /// The rules that touched it.
    public var rules: TouchingRules = []
    /// The findings that it shows, and what could not be decided.
    public var marks: [DiagnosedRows.Mark] = []
    /// What the messages of a WebSocket that it opened have together.
    public var socket: SocketSize?

    /// Whether it comes before `other`: by session, time, kind and number, as in a trace.
    func precedes(_ other: FleetLine) -> Bool {
        session == other.session
            ? line.precedes(other.line) : session.precedes(other.session)
    }
}
