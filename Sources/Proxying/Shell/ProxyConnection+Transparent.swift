import NIOCore
import Platform
import Wire

/// Which server a client meant whose connection was redirected.
extension ProxyConnection {
    /// Finds the server and has it connected; a client that connected here itself is refused.
    func findServer() {
        guard let channel = lines[clientLeg]?.channel else { return }
        if resources.ownSockets.isOwn(channel.remoteAddress) {
            if resources.ownSockets.isFirstReport() {
                configuration.notice("tapedeck: loop: \(Refusal.redirectedLoop.detail)")
            }
            refusal = .redirectedLoop
            return refuseSoon(.redirectedLoop)
        }
        if takesAnyAddress {
            // The socket has the address that the client connected to.
            let isOwn = channel.localAddress?.port == channel.parent?.localAddress?.port
            return redirected(to: isOwn ? nil : channel.localAddress, channel)
        }
        guard let provider = channel as? any SocketOptionProvider else { return }
        // SO_ORIGINAL_DST of IPv4, or IP6T_SO_ORIGINAL_DST (linux/netfilter_ipv4.h, …_ipv6/ip6_tables.h).
        let four: EventLoopFuture<sockaddr_in> = provider.unsafeGetSocketOption(
            level: .init(rawValue: 0), name: .init(rawValue: 80))
        four.assumeIsolated().whenComplete { [self] result in
            if let address = try? result.get() {
                return redirected(to: SocketAddress(address), channel)
            }
            let six: EventLoopFuture<sockaddr_in6> = provider.unsafeGetSocketOption(
                level: .init(rawValue: 41), name: .init(rawValue: 80))
            six.assumeIsolated().whenComplete { [self] result in
                redirected(to: (try? result.get()).map { SocketAddress($0) }, channel)
            }
        }
    }

    /// The address is known that the client connected to, where it is one that was redirected.
    private func redirected(to address: SocketAddress?, _ channel: any Channel) {
        guard let address, let host = address.ipAddress, let port = address.port,
            takesAnyAddress || address != channel.localAddress
        else {
            refusal = .notRedirected
            return refuseSoon(.notRedirected)
        }
        let name = configuration.names.name(of: host) ?? host
        dispatch(.redirected(ServerAddress(host: name, port: port, isTLS: false)))
    }
}

extension Refusal {
    /// A client connected to a transparent listener as to a server.
    static let notRedirected = Refusal(
        status: 400, phrase: "Bad Request",
        detail:
            "this listener takes connections that the system redirects to it (tapedeck redirect prints "
            + "the rules), and this one was made to it")

    /// A connection of the proxy to a server was redirected to it.
    static let redirectedLoop = Refusal(
        status: 508, phrase: "Loop Detected",
        detail:
            "connections of tapedeck itself are redirected to it: leave its user out of the rules, or "
            + "run it as another one")
}
