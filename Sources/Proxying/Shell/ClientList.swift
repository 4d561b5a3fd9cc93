import Synchronization

/// The clients that had TLS connections through this proxy, or tried to.
final class ClientList: Sendable {
    /// Addresses that are kept, those with the latest handshakes.
    private static let most = 1_000

    private let known = Mutex<[String: ClientTrust]>([:])

    /// A handshake with a client is over.
    func note(_ handshake: ClientTrust.Handshake, of address: String) {
        known.withLock { known in
            var client = known[address] ?? ClientTrust(address: address)
            if handshake.failure == nil {
                client.accepted = handshake
            } else {
                client.refused = handshake
            }
            known[address] = client
            guard known.count > Self.most else { return }
            let oldest = known.values.min { Self.time($0) < Self.time($1) }
            if let oldest { known[oldest.address] = nil }
        }
    }

    /// What is known of an address.
    func client(at address: String) -> ClientTrust {
        known.withLock { $0[address] } ?? ClientTrust(address: address)
    }

    private static func time(_ client: ClientTrust) -> Int64 {
        max(client.accepted?.unixSeconds ?? 0, client.refused?.unixSeconds ?? 0)
    }
}
