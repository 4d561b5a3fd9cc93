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
        let bytes = Array(url.utf8)
        guard let target = try? HTTPTarget.parse(bytes.span, method: "GET"),
            target.form == .absolute, let authority = target.authority,
            let standard = target.defaultPort, !authority.host.isEmpty, authority.port > 0,
            target.path == "/", target.query == nil
        else { return nil }
        self.init(host: authority.host, port: authority.port, isTLS: standard == 443)
    }
}
