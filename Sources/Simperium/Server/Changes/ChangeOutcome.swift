public import Notation

/// The result of a change that a client requested.
public enum ChangeOutcome: Hashable, Sendable {
    /// It was made; all clients on the bucket receive it, including the author.
    ///
    /// `v` and `sv` are those it was made with, which are not the client's where it was rebased.
    case accepted(SimperiumChange<JSONValue>)
    /// It was not made, for this reason; only the author receives that.
    case refused(SimperiumChange<JSONValue>, ChangeCheck)

    /// The element of the server's `c`.
    public var change: SimperiumChange<JSONValue> {
        switch self {
        case .accepted(let change), .refused(let change, _): change
        }
    }
}
