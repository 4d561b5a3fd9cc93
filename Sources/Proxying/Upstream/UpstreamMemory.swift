import Synchronization

/// What upstream proxies asked for, so that further connections begin with the answer.
final class UpstreamMemory: Sendable {
    private struct Known {
        let challenge: ProxyChallenge
        var count: UInt32 = 0
    }

    private let known = Mutex<[UpstreamProxy: Known]>([:])

    /// A proxy wants its clients to authenticate in this way.
    func learn(_ challenge: ProxyChallenge, from proxy: UpstreamProxy) {
        known.withLock { $0[proxy] = Known(challenge: challenge) }
    }

    /// The value of `Proxy-Authorization` for a request; nil where the proxy did not ask for any.
    func authorization(
        for proxy: UpstreamProxy, method: String = "CONNECT", target: String
    ) -> String? {
        guard let credentials = proxy.credentials else { return nil }
        return known.withLock { known in
            guard var entry = known[proxy] else { return nil }
            entry.count += 1
            known[proxy] = entry
            var random = SystemRandomNumberGenerator()
            return entry.challenge.authorization(
                credentials, method: method, target: target, count: entry.count,
                random: String(random.next() as UInt64, radix: 16))
        }
    }
}
