internal import Framing

/// Redirects the client to Tapedeck where the recorded server redirected it to its own address.
struct LocationRewrite {
    /// The recorded server's addresses: by its name, and as recorded clients reached it.
    var recorded: Set<HTTPAuthority>
    /// Tapedeck's address for the live client, with the port if it stated one.
    var live: String
    /// Whether the client uses TLS.
    var isSecure: Bool

    /// A URL, with the live address where it names the recorded one.
    func applied(to value: String) -> String {
        guard let target = try? HTTPTarget.parse(Array(value.utf8).span, method: "GET"),
            target.form == .absolute, let authority = target.authority,
            recorded.contains(authority), !isLive(authority)
        else { return value }
        let rest = String(decoding: Array(value.utf8)[target.originStart...], as: UTF8.self)
        return "\(isSecure ? "https" : "http")://\(live)\(rest)"
    }

    private func isLive(_ authority: HTTPAuthority) -> Bool {
        (try? HTTPAuthority.parse(live, defaultPort: authority.port)) == authority
    }
}
