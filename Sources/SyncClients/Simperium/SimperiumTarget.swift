internal import Framing

/// The address of a Simperium server, and its paths.
public struct SimperiumTarget: Hashable, Sendable {
    /// DNS name or IP address, without brackets.
    public var host: String
    /// Port in 1...65535.
    public var port: Int
    /// Whether TLS is used.
    public var isSecure: Bool
    /// What comes before the paths of the API; empty, or with a slash first and none at its end.
    public var prefix: String

    /// A server at this place.
    public init(host: String, port: Int, isSecure: Bool = false, prefix: String = "") {
        self.host = host
        self.port = port
        self.isSecure = isSecure
        self.prefix = prefix
    }

    /// Reads a URL with `ws`, `wss`, `http` or `https`.
    ///
    /// A path in it comes before the paths of the API; nil for anything else.
    public init?(url: String) {
        let bytes = Array(url.utf8)
        guard let target = try? HTTPTarget.parse(bytes.span, method: "GET"),
            target.form == .absolute, let scheme = target.scheme?.lowercased(),
            let authority = target.authority, !authority.host.isEmpty,
            HTTPTarget.defaultPort(of: scheme) != nil, target.query == nil,
            1...65535 ~= authority.port
        else { return nil }
        var path = target.lacksPath ? "" : target.path
        while path.hasSuffix("/") { path.removeLast() }
        guard path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        self.init(
            host: authority.host, port: authority.port,
            isSecure: scheme == "https" || scheme == "wss", prefix: path)
    }

    /// The value of a `Host` field, without the port that the scheme has anyway.
    public var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// The path of a plain WebSocket.
    public func socketPath(app: String) -> String { "\(prefix)/sock/1/\(app)/websocket" }

    /// The path of a WebSocket that carries SockJS.
    ///
    /// - Parameters:
    ///   - app: Identifier of the application.
    ///   - server: In 0...999, any; SockJS has three digits for who balances load.
    ///   - session: Any number; together with `server` never the same for two connections.
    /// - Returns: The path.
    public func sockJSPath(app: String, server: Int, session: UInt64) -> String {
        let number = String(server)
        let digits = String(repeating: "0", count: max(0, 3 - number.count)) + number
        let name = String(session, radix: 36)
        return "\(prefix)/sock/1/\(app)/\(digits)/\(name)/websocket"
    }

    /// The path of the auth API.
    public func authorizePath(app: String) -> String { "\(prefix)/1/\(app)/authorize/" }
}
