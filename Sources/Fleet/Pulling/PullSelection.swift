internal import Filters
public import Wire

/// What is brought back from a fleet.
public struct PullSelection: Sendable {
    /// Which rows choose it.
    public enum Choice: Sendable {
        /// Whole sessions of this number.
        case session(SessionID)
        /// A connection.
        case connection(ConnectionID)
        /// The connections of all rows that a filter holds for.
        case rows(FleetQuestion)
    }

    /// Which rows choose it.
    public var choice: Choice
    /// The beginning of the recorder's identifier; empty for any.
    public var recorder: String

    /// What `choice` names, of recorders whose identifiers begin with `recorder`.
    public init(_ choice: Choice, recorder: String = "") {
        self.choice = choice
        self.recorder = recorder.lowercased()
    }

    /// SQL that a row of such a recorder fits.
    var recorderCondition: String {
        recorder.isEmpty ? "1" : "startsWith(recorder, \(TabSeparated.literal(recorder)))"
    }
}

/// Sessions or connections of one recorder that are brought back.
struct PulledPart: Hashable, Sendable {
    var recorder: String
    var sessions: Set<Int64>
    /// The connections; nil for all of the sessions.
    var connections: Set<Int64>?

    /// SQL that rows of the sessions fit.
    var sessionCondition: String {
        """
        recorder = \(TabSeparated.literal(recorder)) AND session_id IN (\(Self.list(sessions)))
        """
    }

    /// Numbers with commas between them, in ascending order.
    static func list(_ numbers: Set<Int64>) -> String {
        numbers.sorted().map(String.init).joined(separator: ", ")
    }
}
