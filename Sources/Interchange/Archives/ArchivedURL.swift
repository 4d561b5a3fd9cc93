internal import Framing

/// The URL of an archived exchange in the parts that a request is made of.
struct ArchivedURL: Hashable {
    /// `http` or `https`; `ws` and `wss` are the HTTP they begin with.
    let scheme: String
    /// Whether it was `ws` or `wss`.
    let isSocket: Bool
    /// Host and port.
    let authority: HTTPAuthority
    /// Path and query, with what cannot stand in a request line escaped.
    let target: String

    /// Nil where `text` is no absolute URL of these four schemes.
    ///
    /// User information and fragment are left out, as clients do.
    init?(_ text: String) {
        let escaped = Self.escaped(text)
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

    /// What `Host` says: the port is left out where it is the scheme's own.
    var host: String {
        let name =
            authority.host.utf8.contains(0x3A) ? "[\(authority.host)]" : authority.host
        return HTTPTarget.defaultPort(of: scheme) == authority.port ? name : authority.description
    }

    /// Control bytes, spaces and bytes outside ASCII as percent escapes.
    private static func escaped(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            guard byte <= 0x20 || byte >= 0x7F else {
                bytes.append(byte)
                continue
            }
            bytes.append(0x25)
            for digit in [byte >> 4, byte & 0xF] {
                bytes.append(digit < 10 ? digit + 0x30 : digit + 0x37)
            }
        }
        return bytes
    }
}
