internal import Crypto
internal import Foundation
internal import Notation

/// Makes the stand-in for a secret: the same for the same secret, other for another, of the same
/// shape, and nothing that the secret could be found from without the key.
///
/// The replacement of each character is drawn from HMAC-SHA256 of the whole secret under a key that
/// is discarded with this value. Of the candidates one is taken whose checksum, for which no key is
/// needed, is divisible by ``modulus(_:)``, so that a later check distinguishes stand-ins from
/// secrets.
struct StandIns {
    /// Bytes of the key.
    static let keySize = 32

    private let key: SymmetricKey
    private var taken: Set<[UInt8]> = []
    /// Candidates scanned before one is taken whose checksum does not fit; 4,096.
    private static let maxCandidates = 4_096

    /// Stand-ins under `key`, of ``keySize`` bytes.
    init(key: [UInt8]) { self.key = SymmetricKey(data: key) }

    /// A stand-in for `secret`; itself where it has no character that could be replaced.
    ///
    /// - Parameters:
    ///   - secret: The secret.
    ///   - isEmail: Whether it is an e-mail address, whose domain becomes a reserved one.
    ///   - avoid: Returns whether a candidate is unsuitable, for instance since it contains a
    ///     secret.
    /// - Returns: The stand-in, as long as the secret.
    mutating func make(
        for secret: [UInt8], isEmail: Bool, avoid: ([UInt8]) -> Bool
    ) -> [UInt8] {
        let variable = CharacterShape.variable(secret)
        guard variable > 0 else { return secret }
        var best = secret
        for number in 0..<Self.maxCandidates {
            let candidate = candidate(secret, number, isEmail)
            guard candidate != secret else { continue }
            best = candidate
            let isReserved = isEmail && ReservedDomain.ends(candidate)
            // The most selective tests first, and of those the cheapest.
            guard
                isReserved || variable < 4
                    || Self.checksum(candidate) % Self.modulus(4) == 0 && Self.isStandIn(candidate)
            else { continue }
            guard !taken.contains(candidate), !avoid(candidate) else { continue }
            break
        }
        taken.insert(best)
        return best
    }

    private func candidate(_ secret: [UInt8], _ number: Int, _ isEmail: Bool) -> [UInt8] {
        var stream = KeyStream(key: key, secret: secret, number: number)
        let replaced = CharacterShape.replace(secret) { _, choice in
            (choice.index + stream.next(choice.count)) % choice.count
        }
        return isEmail ? ReservedDomain.put(into: replaced) : replaced
    }

    // MARK: Recognising them

    /// What the checksum of a stand-in is divisible by.
    ///
    /// `variable` is how many of its characters can be replaced; fewer than 4 are not judged, and a
    /// secret with more is taken for a stand-in once in this many times.
    static func modulus(_ variable: Int) -> UInt64 { variable < 4 ? 1 : variable < 6 ? 8 : 64 }

    /// Whether `text` may be a stand-in, by its checksum.
    static func isStandIn(_ text: [UInt8]) -> Bool {
        checksum(text) % modulus(CharacterShape.variable(text)) == 0
    }

    /// FNV-1a of 64 bits, both halves added.
    private static func checksum(_ text: [UInt8]) -> UInt64 {
        let hash = FNV1a.hash(text)
        return hash >> 32 &+ hash & 0xFFFF_FFFF
    }
}

/// Numbers that depend on a key and a secret.
private struct KeyStream {
    private let key: SymmetricKey
    private let secret: [UInt8]
    private let number: Int
    private var block: [UInt8] = []
    private var position = 0
    private var blocks = 0

    init(key: SymmetricKey, secret: [UInt8], number: Int) {
        self.key = key
        self.secret = secret
        self.number = number
    }

    /// A number below `count`, which is at most 4,096.
    mutating func next(_ count: Int) -> Int {
        if position + 2 > block.count {
            var input = secret
            for value in [UInt32(number), UInt32(blocks)] {
                for shift in [0, 8, 16, 24] {
                    input.append(UInt8(truncatingIfNeeded: value >> UInt32(shift)))
                }
            }
            block = Array(HMAC<SHA256>.authenticationCode(for: input, using: key))
            blocks += 1
            position = 0
        }
        defer { position += 2 }
        return (Int(block[position]) << 8 | Int(block[position + 1])) % count
    }
}
