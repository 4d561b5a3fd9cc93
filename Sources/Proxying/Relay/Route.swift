import Framing
import Wire

/// Where a request goes.
enum Route {
    /// A server, which a rule put in the place of the one that is named where `isMapped`.
    case server(ServerAddress, patches: [Patch], isMapped: Bool = false)
    case tunnel(ServerAddress)
    case page(OwnPage)
    case refuse(Refusal)
}

/// Requests that rules send to other servers.
extension Relay {
    /// The server that a rule sends a request to, where it is for one at all.
    mutating func route(of head: HTTPHead, mapping server: ServerAddress) -> Route {
        let route = ownRoute(of: head)
        guard case .server = route, let target = try? head.parsedTarget() else { return route }
        let patches =
            target.form == .absolute
            ? HeadRewrite.forwarded(head, target, server: server)
            : HeadRewrite.reversed(head, scheme: server.scheme, authority: server.authority)
        return .server(server, patches: patches.map(\.ofRule), isMapped: true)
    }
}
