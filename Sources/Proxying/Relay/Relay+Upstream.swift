import Framing
import Wire

/// Requests that an upstream proxy gets itself, with the server in their target.
///
/// What is changed for that proxy alone is not recorded, as nothing is that is said to it: the trace has
/// what the server gets. Such a change takes nothing out and has the reason `hop-by-hop`.
extension Relay {
    /// What a request becomes for the proxy of a leg, besides what it becomes for its server.
    func upstreamRewrites(of head: HTTPHead, on id: LegID) -> [Patch] {
        guard let index = legs.firstIndex(where: { $0.id == id }), legs[index].proxy != nil,
            let target = try? head.parsedTarget(), target.form != .absolute
        else { return [] }
        let server = "http://\(legs[index].address.authority)"
        return [Self.insert(server, at: head.targetRange.lowerBound)]
    }

    private static func insert(_ text: String, at offset: Int) -> Patch {
        Patch(offset: offset, removed: 0, inserted: Array(text.utf8), reason: .hopByHop)
    }

    /// A proxy did not pass a request on, since it wants to know who asks: the client can do nothing
    /// about that, and gets an answer of ours in place of the one that begins `rest`.
    mutating func refuseUpstream(
        _ proxy: UpstreamProxy, _ index: Int, _ rest: HeldBytes, _ commands: inout [RelayCommand]
    ) {
        let leg = legs[index]
        for part in legs[index].scan.partial.takeAll() + [rest] {
            undeliver(
                part, on: leg.id, "the upstream proxy wants a user and a password", &commands)
        }
        let version = outstanding.first { $0.leg == leg.id }?.openRosaVersion
        outstanding.removeAll { $0.leg == leg.id }
        _ = legs[index].ends.endPeer()
        if current == leg.id { current = nil }
        commands.append(.close(leg.id, isReset: false))
        let why =
            proxy.credentials == nil
            ? "wants a user and a password: --upstream SCHEME://USER:PASSWORD@HOST:PORT"
            : "does not accept the user and the password"
        let text = "the upstream proxy \(proxy.address) \(why)"
        warn(text, rest.at, &commands)
        refuse(502, "Bad Gateway", "tapedeck: \(text)", openRosa: version, rest.at, &commands)
    }
}

extension [Patch] {
    /// Those that the trace has of a request to a proxy: what its server gets.
    var recorded: [Patch] { filter { $0.reason != .hopByHop || $0.inserted.isEmpty } }

    /// Those that are carried out for the proxy: the target stays what it is.
    var forProxy: [Patch] {
        filter { $0.reason != .requestTarget }.sorted { $0.offset < $1.offset }
    }
}
