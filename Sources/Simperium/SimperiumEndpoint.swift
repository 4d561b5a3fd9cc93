/// The endpoint of a Simperium WebSocket, from the path of the request.
public struct SimperiumEndpoint: Hashable, Sendable {
    /// How commands travel.
    public enum Transport: String, Hashable, Sendable, CaseIterable {
        /// One command per WebSocket message.
        case webSocket
        /// Commands in the frames of SockJS, over a WebSocket.
        case sockJS
    }

    /// Identifier of the application; nil on the old path without one.
    public var app: String?
    /// How commands travel.
    public var transport: Transport

    /// An endpoint with these values.
    public init(app: String?, transport: Transport) {
        self.app = app
        self.transport = transport
    }

    /// The endpoint that `path` names; nil where it is none.
    ///
    /// `/sock/1/APP/websocket` is the raw endpoint of the SockJS server at `/sock/1/APP`, whose own
    /// is `/sock/1/APP/SERVER/SESSION/websocket`; `/sock/websocket` is the old one without an app.
    ///
    /// - Parameter path: Path of the request target, without query; more after a `?` is left out.
    /// - Returns: Nil where the path is that of no socket.
    public static func recognise(path: String) -> SimperiumEndpoint? {
        guard mayBeSocket(path) else { return nil }
        let parts = segments(path)
        guard parts.first == "sock", parts.last == "websocket" else { return nil }
        switch parts.count {
        case 2: return SimperiumEndpoint(app: nil, transport: .webSocket)
        case 4 where parts[1] == "1" && !parts[2].isEmpty:
            return SimperiumEndpoint(app: String(parts[2]), transport: .webSocket)
        case 6 where parts[1] == "1" && !parts[2].isEmpty && !parts[3].isEmpty && !parts[4].isEmpty:
            return SimperiumEndpoint(app: String(parts[2]), transport: .sockJS)
        default: return nil
        }
    }

    /// What a request is for: `simperium.socket`, `simperium.auth`, `simperium.http`.
    ///
    /// A socket is recognised by its path alone. The others are recognised by the path and a host
    /// under `simperium.com`, `authorize` and `create` on any host, since a debugged client is
    /// often pointed elsewhere.
    ///
    /// - Parameters:
    ///   - host: Host without port, in lower case.
    ///   - path: Path of the request target, without query.
    /// - Returns: Nil where it is nothing of Simperium's.
    public static func api(host: String, path: String) -> String? {
        guard mayBeSocket(path) || path.utf8.starts(with: "/1/".utf8) else { return nil }
        if recognise(path: path) != nil { return "simperium.socket" }
        var parts = segments(path)
        if parts.last?.isEmpty == true { parts.removeLast() }
        let isOurs = host == "simperium.com" || host.hasSuffix(".simperium.com")
        if isOurs, parts.first == "sock" { return "simperium.socket" }
        guard parts.count >= 3, parts[0] == "1", !parts[1].isEmpty else { return nil }
        if parts.count == 3, parts[2] == "authorize" || parts[2] == "create" {
            return "simperium.auth"
        }
        guard isOurs else { return nil }
        return host.hasPrefix("auth.") ? "simperium.auth" : "simperium.http"
    }

    /// Whether the path begins as that of a socket: nearly none does, and taking a path apart
    /// takes far longer than that.
    private static func mayBeSocket(_ path: String) -> Bool {
        path.utf8.starts(with: "/sock".utf8)
    }

    /// The segments between the slashes, up to a query.
    private static func segments(_ path: String) -> [Substring] {
        let plain = path.prefix { $0 != "?" && $0 != "#" }
        guard plain.hasPrefix("/") else { return [] }
        return plain.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    }
}
