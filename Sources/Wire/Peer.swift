/// One of the two sides of a conversation.
public enum Peer: Int, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The side that opened the connection; 0 in the trace.
    case client = 0
    /// The side that was connected to; 1 in the trace.
    case server = 1

    /// The other side of the connection.
    public var other: Peer { self == .client ? .server : .client }

    /// `client` or `server`, as the filter language and the trace's views write it.
    public var description: String { self == .client ? "client" : "server" }
}
