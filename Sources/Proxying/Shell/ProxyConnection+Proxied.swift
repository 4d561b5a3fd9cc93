import NIOCore
import Wire

/// A leg to another proxy that gets requests, and who asks in them.
struct ProxiedLeg {
    let proxy: UpstreamProxy
    let server: ServerAddress
    var requests = ProxiedRequests()
    /// Whether the leg is to be half-closed once everything is sent again.
    var isEnding = false
}

/// Requests that another proxy gets, which are sent again where it wants to know who asks.
extension ProxyConnection {
    /// What the proxy of a leg gets of these bytes; nil for nothing now.
    func forProxy(_ line: Line, _ bytes: [UInt8]) -> [UInt8]? {
        guard let proxy = line.proxied?.proxy else { return bytes }
        let sent = line.proxied?.requests.send(bytes, authorizing(proxy)) ?? bytes
        return sent.isEmpty ? nil : sent
    }

    /// Who asks, by what the proxy asked for, or else by Basic.
    private func authorizing(_ proxy: UpstreamProxy) -> ProxiedRequests.Authorize {
        let memory = resources.upstreams
        return { method, target in
            memory.authorization(for: proxy, method: method, target: target)
                ?? proxy.credentials.map(ProxyChallenge.basic) ?? ""
        }
    }

    /// A leg is to be half-closed.
    ///
    /// - Returns: Whether that is done now.
    func endsProxied(_ leg: LegID) -> Bool {
        guard let proxied = lines[leg]?.proxied else { return true }
        if proxied.requests.isWaiting {
            lines[leg]?.proxied?.isEnding = true
            return false
        }
        write(lines[leg]?.proxied?.requests.finishSending() ?? [], leg)
        return true
    }

    private func write(_ bytes: [UInt8], _ leg: LegID) {
        guard !bytes.isEmpty, let channel = lines[leg]?.channel else { return }
        channel.writeAndFlush(channel.allocator.buffer(bytes: bytes), promise: nil)
    }

    /// Bytes came of the proxy of a leg.
    func receivedOfProxy(_ leg: LegID, _ bytes: [UInt8]) {
        for step in lines[leg]?.proxied?.requests.receive(bytes) ?? [] {
            switch step {
            case .pass(let bytes): dispatch(.received(leg, bytes))
            case .challenged(let challenge): askAgain(leg, challenge)
            case .missed(let challenge, let why):
                if let proxy = lines[leg]?.proxied?.proxy {
                    resources.upstreams.learn(challenge, from: proxy)
                }
                proxyFailed(leg, why)
            case .failed(let why): proxyFailed(leg, why)
            }
        }
    }

    /// The proxy of a leg sends nothing more.
    func proxyEnded(_ leg: LegID) {
        guard let rest = lines[leg]?.proxied?.requests.finishReceiving(), !rest.isEmpty else {
            return
        }
        dispatch(.received(leg, rest))
    }

    /// Connects a leg once more, and sends everything again that is unanswered.
    private func askAgain(_ leg: LegID, _ challenge: ProxyChallenge) {
        guard let line = lines[leg], let proxied = line.proxied else { return }
        resources.upstreams.learn(challenge, from: proxied.proxy)
        line.handler.leave()
        line.channel.close(promise: nil)
        if let own = line.own {
            forget(own)
            lines[leg]?.own = nil
        }
        connect(leg, proxied.server, through: proxied.proxy, isTunnel: false, attempt: 2)
    }

    /// The connection to a proxy is up, for the first time or again.
    func proxyIsConnected(_ leg: LegID) {
        guard let proxied = lines[leg]?.proxied, proxied.requests.isWaiting else { return }
        guard let bytes = lines[leg]?.proxied?.requests.again(authorizing(proxied.proxy)) else {
            return proxyFailed(leg, "more came than can be sent again while it was connected anew")
        }
        write(bytes, leg)
        if proxied.isEnding { lines[leg]?.channel.close(mode: .output, promise: nil) }
    }

    /// There is no way through the proxy of a leg.
    private func proxyFailed(_ leg: LegID, _ why: String) {
        guard let line = lines[leg], let proxied = line.proxied else { return }
        dispatch(.refused(leg, "the upstream proxy \(proxied.proxy.address): \(why)"))
        line.channel.close(promise: nil)
    }
}
