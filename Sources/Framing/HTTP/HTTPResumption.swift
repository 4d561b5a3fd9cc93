/// What follows on a direction that paused after a possible change of protocol.
public enum HTTPResumption: Hashable, Sendable {
    /// The protocol was not changed: the next message follows.
    case http
    /// The protocol was changed: what follows is not HTTP.
    case tunnel
}
