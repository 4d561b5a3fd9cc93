/// How a run of the client ended.
public enum CommCareOutcome: Hashable, Sendable {
    /// Everything was done.
    case done
    /// It must be tried later.
    case later(String)
    /// The server refused it permanently, or the user must act.
    case refused(String)
    /// There is no server.
    case unreachable(String)
}
