/// How keys come from secrets.
enum TLSKeySchedule {
    /// HKDF-Expand-Label of TLS 1.3 with an empty context (RFC 8446, 7.1).
    ///
    /// At most 255 hashes can be requested.
    static func expand(
        _ secret: [UInt8], label: String, count: Int, _ hash: TLSHash
    ) -> [UInt8] {
        let label = Array("tls13 \(label)".utf8)
        let info = [UInt8(count >> 8), UInt8(count & 0xFF), UInt8(label.count)] + label + [0]
        var expanded: [UInt8] = []
        var block: [UInt8] = []
        var number: UInt8 = 1
        while expanded.count < count {
            block = TLSCryptography.authenticate(block + info + [number], key: secret, hash)
            expanded += block
            number &+= 1
        }
        return Array(expanded.prefix(count))
    }

    /// The pseudorandom function of TLS 1.2 (RFC 5246, 5).
    static func derive(
        _ secret: [UInt8], label: String, seed: [UInt8], count: Int, _ hash: TLSHash
    ) -> [UInt8] {
        let seed = Array(label.utf8) + seed
        var derived: [UInt8] = []
        var chain = seed
        while derived.count < count {
            chain = TLSCryptography.authenticate(chain, key: secret, hash)
            derived += TLSCryptography.authenticate(chain + seed, key: secret, hash)
        }
        return Array(derived.prefix(count))
    }
}
