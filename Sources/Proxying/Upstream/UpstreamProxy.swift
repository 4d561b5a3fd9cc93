/// Another proxy between this one and servers.
public struct UpstreamProxy: Hashable, Sendable {
    /// What it speaks.
    public enum Kind: String, Hashable, Sendable {
        /// HTTP: CONNECT, and absolute targets.
        case http
        /// The same over TLS.
        case https
        /// SOCKS 5, which resolves names itself.
        case socks5
    }

    /// A user, and the password.
    public struct Credentials: Hashable, Sendable {
        /// The user.
        public var user: String
        /// The password; may be empty.
        public var password: String

        /// A user and a password.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    /// What it speaks.
    public var kind: Kind
    /// Host name or address.
    public var host: String
    /// TCP port.
    public var port: Int
    /// The credentials that it gets; nil for none.
    public var credentials: Credentials?

    /// The proxy at `host` and `port`.
    public init(kind: Kind, host: String, port: Int, credentials: Credentials? = nil) {
        self.kind = kind
        self.host = host
        self.port = port
        self.credentials = credentials
    }

    /// `SCHEME://HOST:PORT`, without credentials.
    public var address: String {
        "\(kind.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
