/// Which kind of message a direction of an HTTP connection carries.
public enum HTTPRole: Hashable, Sendable {
    /// Requests: what a client sends.
    case request
    /// Responses: what a server sends.
    case response
}
