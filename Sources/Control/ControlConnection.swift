import Notation
internal import Serving
public import Wire

/// An open connection, as the connection list shows it.
public struct ControlConnection: Hashable, Sendable {
    /// Number of the connection in the trace.
    public let id: ConnectionID
    /// Address of the client, `HOST:PORT`.
    public let client: String
    /// The only server it can mean, `HOST:PORT`; nil in a forward proxy outside of tunnels.
    public let server: String?
    /// When it was accepted.
    public let openedAt: Instant
    /// Whether WebSocket messages pass, between which messages can be sent.
    public let isWebSocket: Bool

    /// A connection with these values.
    public init(
        id: ConnectionID, client: String, server: String?, openedAt: Instant, isWebSocket: Bool
    ) {
        self.id = id
        self.client = client
        self.server = server
        self.openedAt = openedAt
        self.isWebSocket = isWebSocket
    }

    var json: JSONValue {
        .object([
            ("id", .integer(id.rawValue)), ("client", .string(client)),
            ("server", server.map { .string($0) } ?? .null),
            ("opened_ns", .integer(openedAt.nanoseconds)), ("is_websocket", .bool(isWebSocket)),
        ])
    }
}
