/// Why something that was sent has no answer.
public enum SendFailure: Error, Hashable, Sendable {
    /// The settings of TLS are invalid.
    case trust(String)
    /// No connection to the server can be opened.
    case unreachable(String)
    /// The server did not answer, or not in time, or with something else.
    case unanswered(String)

    /// What happened and what to do.
    public var reason: String {
        switch self {
        case .trust(let reason), .unreachable(let reason), .unanswered(let reason): reason
        }
    }
}
