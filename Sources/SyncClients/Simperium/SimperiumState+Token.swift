/// What the state remembers of a token that the server called invalid, so that the next run of the
/// client does not send it over and over.
///
/// Kept by a hash, so that the state holds no token. Source: Simperium/Specification.md#init.
extension SimperiumState {
    private static let fact = "refused_token"

    /// How often the server called a token invalid, without taking it since.
    func refusals(of token: String) throws(SimperiumClientError) -> Int {
        let parts = try value(Self.fact)?.split(separator: " ") ?? []
        guard parts.count == 2, parts[0] == Self.hash(token) else { return 0 }
        return Int(parts[1]) ?? 0
    }

    /// Stores how often the server called a token invalid; of one token at a time.
    func set(refusals count: Int, of token: String) throws(SimperiumClientError) {
        try set(Self.fact, "\(Self.hash(token)) \(count)")
    }

    /// FNV-1a of 64 bits, in hexadecimal.
    private static func hash(_ token: String) -> String {
        let hash = token.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return String(hash, radix: 16)
    }
}
