public import Notation

/// What became of a change that a client asked for.
public enum ChangeOutcome: Hashable, Sendable {
    /// It was made; everybody on the bucket is told so, the author too.
    ///
    /// `v` and `sv` are those it was made with, which are not the client's where it was rebased.
    case accepted(SimperiumChange<JSONValue>)
    /// It was not made, for this reason; the author alone is told so.
    case refused(SimperiumChange<JSONValue>, ChangeCheck)

    /// The element of the server's `c`.
    public var change: SimperiumChange<JSONValue> {
        switch self {
        case .accepted(let change), .refused(let change, _): change
        }
    }
}
