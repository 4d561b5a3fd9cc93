internal import Framing
internal import Notation

/// The URL of an archived exchange in the parts that a request is made of.
struct ArchivedURL: Hashable {
    /// `http` or `https`; `ws` and `wss` are the HTTP they begin with.
    let scheme: String
    /// Whether it was `ws` or `wss`.
    let isSocket: Bool
    /// Host and port.
    let authority: HTTPAuthority
    /// Path and query, with what is invalid in a request line escaped.
    let target: String

    /// Nil where `text` is not an absolute URL of these four schemes.
    ///
    /// User information and fragment are left out, as clients do.
    init?(_ text: String) {
        var escaped: [UInt8] = []
        PercentEncoding.encode(text.utf8, keeping: .visible, to: &escaped)
        guard let parsed = try? HTTPTarget.parse(escaped.span, method: "GET"),
            let scheme = parsed.scheme, let authority = parsed.authority,
            HTTPTarget.defaultPort(of: scheme) != nil
        else { return nil }
        isSocket = scheme == "ws" || scheme == "wss"
        self.scheme = scheme == "https" || scheme == "wss" ? "https" : "http"
        self.authority = authority
        target = parsed.path + (parsed.query.map { "?" + $0 } ?? "")
    }

    /// Whether the connection is encrypted.
    var isTLS: Bool { scheme == "https" }

    /// The value of `Host`: the port is left out where it is the scheme's own.
    var host: String {
        let name =
            authority.host.utf8.contains(0x3A) ? "[\(authority.host)]" : authority.host
        return HTTPTarget.defaultPort(of: scheme) == authority.port ? name : authority.description
    }
}
