import Framing
import Wire

extension Relay {
    /// What the proxy answers to a request for itself; nil for one for another host.
    func ownPage(_ host: String, _ head: HTTPHead) -> Route? {
        guard isOwn(host) else { return nil }
        let path = (try? head.parsedTarget())?.path ?? "/"
        guard let page = settings.ownPages[path.isEmpty ? "/" : path] else {
            return .refuse(
                Refusal(
                    status: 404, phrase: "Not Found",
                    detail: "there is no \(path); http://\(OwnPage.hosts[0])/ lists what there is"))
        }
        return .page(page)
    }

    /// The page as the client of a request gets it.
    func filled(_ page: OwnPage, _ head: HTTPHead, _ at: Instant) -> OwnPage {
        if head.method == "HEAD" { return OwnPage(type: page.type, content: []) }
        return page.filled {
            clientPart(head.first("user-agent").map { head.text($0.value) }, at)
        }
    }

    /// The page that is requested of the listener's own address; nil where there is none.
    func listenerPage(_ head: HTTPHead) -> Route? {
        let path = (try? head.parsedTarget())?.path ?? "/"
        guard let page = settings.ownPages[path], isOwnSite || namesListener(head) else {
            return nil
        }
        return .page(page)
    }

    /// Whether a request's `Host` may be an address of the listener: with another name the client takes
    /// the proxy for a server.
    private func namesListener(_ head: HTTPHead) -> Bool {
        guard let field = head.first("host"),
            let host = try? HTTPAuthority.parse(head.text(field.value), defaultPort: 80).host
        else { return false }
        return isOwn(host)
            || Self.isLocal(host)
                && (host.contains(":") || host.contains(".") || host == "localhost")
    }

    /// Whether a host is the one of the proxy's own pages.
    func isOwn(_ host: String) -> Bool {
        !settings.ownPages.isEmpty && OwnPage.hosts.contains(host.lowercased())
    }

    /// A client asked for a tunnel to the proxy's own pages, which shows whether it trusts the
    /// certificate in it.
    mutating func openOwnTunnel(_ at: Instant, _ commands: inout [RelayCommand]) {
        closeIdleServers(keeping: 0, &commands)
        isOwnSite = true
        isClientTLS = false
        scan = MessageScan()
        requests = HTTPFramer(role: .request)
        phase = .start
        acceptTunnel(isRecorded: isRecorded(clientLeg.id), at, &commands)
    }
}
