import Framing

/// The address of a server and its protocol.
public struct ServerAddress: Hashable, Sendable {
    /// Host name or IP address, without brackets, lower case.
    public var host: String
    /// TCP port, in 1...65535.
    public var port: Int
    /// Whether it uses TLS.
    public var isTLS: Bool

    /// The server at `host` and `port`.
    public init(host: String, port: Int, isTLS: Bool) {
        self.host = host
        self.port = port
        self.isTLS = isTLS
    }

    /// `HOST` or `HOST:PORT`, as a `Host` field names it: the port only if it is not the scheme's.
    public var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isTLS ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// `http` or `https`.
    public var scheme: String { isTLS ? "https" : "http" }
}

extension ServerAddress {
    /// The server of an `http://` or `https://` URL (`ws` and `wss` count as these); nil for
    /// anything else, also for a URL with a path, since requests keep their own.
    public init?(url: String) {
        guard let server = HTTPTarget.server(of: url) else { return nil }
        self.init(host: server.host, port: server.port, isTLS: server.isTLS)
    }
}
