import Framing

extension Relay {
    /// What the proxy answers to a request for itself; nil for one for another host.
    func ownPage(_ host: String, _ head: HTTPHead) -> Route? {
        guard host.lowercased() == OwnPage.host, !settings.ownPages.isEmpty else { return nil }
        let path = (try? head.parsedTarget())?.path ?? "/"
        guard let page = settings.ownPages[path.isEmpty ? "/" : path] else {
            return .refuse(
                Refusal(
                    status: 404, phrase: "Not Found",
                    detail: "there is no \(path); http://\(OwnPage.host)/ lists what there is"))
        }
        return .page(head.method == "HEAD" ? OwnPage(type: page.type, content: []) : page)
    }
}
