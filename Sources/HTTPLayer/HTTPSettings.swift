/// How a manager sends its requests.
public struct HTTPSettings: Sendable {
    /// Requests in progress at once, at least 1; with 1 they are sent one after the other.
    public var width = 100
    /// The certificates to trust, in PEM; nil means SSL_CERT_FILE, or else the system's.
    ///
    /// The system's directory of certificates is trusted as well, as curl does.
    public var caFile: String?
    /// The proxy, `http://HOST:PORT`; nil means that of the environment, empty none.
    ///
    /// The environment's is `http_proxy`, `https_proxy` or `all_proxy`, but for hosts in
    /// `no_proxy`.
    public var proxy: String?
    /// The maximum number of bytes of a body in memory, after content decoding.
    public var bodyLimit = 64 << 20
    /// The maximum number of redirects to follow; 0 follows none.
    ///
    /// A POST stays a POST with its body after 301, 302, 307 and 308. Its 303, which would make a
    /// GET of it, is not followed: it is the answer. https never redirects to http.
    public var redirectLimit = 10
    /// Whether cookies that servers set are sent back to them, as long as the manager is there.
    public var keepsCookies = false
    /// How long to wait before attempts.
    public var backoff = Backoff()
    /// The User-Agent of requests that name none.
    public var userAgent = "tapedeck"
    /// Where completion handlers run; on the manager's thread, which they must not block, unless
    /// this takes them elsewhere.
    public var execute: @Sendable (_ work: @escaping @Sendable () -> Void) -> Void = { $0() }

    /// The usual settings.
    public init() {}
}
