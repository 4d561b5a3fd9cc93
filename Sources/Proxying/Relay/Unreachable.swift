/// Why a server could not be connected, as far as protocols can say it.
public enum Unreachable: Hashable, Sendable {
    /// The server refused the connection.
    case refused
    /// There is no way to the host, or no such host.
    case noHost
    /// There is no way to its network.
    case noNetwork
    /// It took too long.
    case timedOut
    /// A rule forbids it.
    case forbidden
    /// Something else.
    case other
}
