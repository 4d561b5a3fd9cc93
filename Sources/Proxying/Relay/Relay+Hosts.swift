import Framing

/// Which names a reverse proxy answers to.
extension Relay {
    /// Refuses a request for a name that is not the proxy's.
    ///
    /// A page in a browser can have its own name resolve to this machine (DNS rebinding). Its
    /// requests name its own host; with `Host` and `Origin` rewritten, the server behind could not
    /// distinguish them from those of its own pages.
    mutating func hostRefusal(_ head: HTTPHead, server: ServerAddress) -> Refusal? {
        guard let hosts = settings.hosts, let field = head.first("host") else { return nil }
        // Nearly every request of a connection has the same.
        if let answeredName, head.isText(answeredName, in: field.value) { return nil }
        let text = head.text(field.value)
        guard let host = try? HTTPAuthority.parse(text, defaultPort: 80).host.lowercased(),
            !Self.isLocal(host), host != server.host.lowercased(),
            !hosts.contains(where: { $0.matches(host) })
        else {
            answeredName = text
            return nil
        }
        return Refusal(
            status: 421, phrase: "Misdirected Request",
            detail:
                "this proxy was asked for the host \(host), which is not one of its names: pages in "
                + "browsers could reach the server behind it under a name of their own. If the "
                + "name is yours, start it with --host \(host)")
    }

    /// Whether `host`, in lower case, is resolved without a name server: an address, `localhost`
    /// and what is below it (RFC 6761, 6.3), or a name of one label.
    static func isLocal(_ host: String) -> Bool {
        if host.contains(":") { return true }
        let labels = host.split(separator: ".")
        if labels.count <= 1 || labels.last == "localhost" { return true }
        // Browsers take a name whose last label is a number for an address, and for nothing else.
        return labels.count == 4 && labels.allSatisfy { UInt8($0) != nil }
    }
}
