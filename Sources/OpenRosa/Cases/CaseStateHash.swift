internal import Crypto
internal import Notation

/// The hash by which a server checks which cases a device has: the XOR of the MD5 of their
/// identifiers.
///
/// The order does not matter, and an identifier that is counted twice cancels itself.
/// Source: OpenRosa/Specification.md#state-hash (`checksum.py` of CommCare HQ).
public struct CaseStateHash: Hashable, Sendable, CustomStringConvertible {
    /// 128 bits.
    public struct Digest: Hashable, Sendable {
        /// The first eight bytes, big endian.
        public var high: UInt64
        /// The last eight bytes, big endian.
        public var low: UInt64

        /// All bits zero.
        public static let zero = Digest(high: 0, low: 0)

        /// A digest with these halves.
        public init(high: UInt64, low: UInt64) {
            self.high = high
            self.low = low
        }

        /// The MD5 of the text's UTF-8.
        public init(of text: String) {
            var text = text
            var hash = Insecure.MD5()
            text.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
            self.init(hash.finalize())
        }

        /// Reads 32 hexadecimal digits of either case.
        public init?(hexadecimal text: some StringProtocol) {
            guard let bytes = Hexadecimal.decode(text.utf8), bytes.count == 16 else { return nil }
            self.init(bytes)
        }

        /// A digest of 16 bytes.
        private init(_ bytes: some Sequence<UInt8>) {
            self = .zero
            for (place, byte) in bytes.enumerated() {
                if place < 8 {
                    high = high << 8 | UInt64(byte)
                } else {
                    low = low << 8 | UInt64(byte)
                }
            }
        }

        /// 32 lower-case hexadecimal digits.
        public var hexadecimal: String {
            Hexadecimal.text(high, digits: 16) + Hexadecimal.text(low, digits: 16)
        }

        /// The bits in which two digests differ.
        public static func ^ (a: Digest, b: Digest) -> Digest {
            Digest(high: a.high ^ b.high, low: a.low ^ b.low)
        }

    }

    /// Why a `state` is not a hash.
    public enum Problem: Error, Hashable, Sendable {
        /// It does not begin with `ccsh:`; CommCare HQ answers with a 500.
        case missingPrefix
        /// Neither nothing nor 32 digits follow the prefix.
        case wrongLength(Int)
        /// What follows the prefix is not hexadecimal.
        case notHexadecimal
    }

    /// The XOR; nil for no cases, which is written as nothing.
    public var digest: Digest?

    /// A hash with this digest.
    public init(digest: Digest?) { self.digest = digest }

    /// The hash of these identifiers; one that comes twice cancels itself.
    public init(caseIDs: some Sequence<String>) {
        for id in caseIDs { digest = (digest ?? .zero) ^ Digest(of: id) }
    }

    /// Reads the value of the parameter `state`, decoded.
    ///
    /// The prefix counts in either case, as CommCare HQ has it.
    ///
    /// - Throws: ``Problem``.
    public init(parsing text: String) throws(Problem) {
        let bytes = Array(text.utf8)
        let prefix = Array(Self.prefix.utf8)
        guard bytes.count >= prefix.count,
            zip(bytes, prefix).allSatisfy({ $0 == $1 || $0 | 0x20 == $1 && $1 >= 0x61 })
        else { throw .missingPrefix }
        let rest = text.utf8.dropFirst(prefix.count)
        guard !rest.isEmpty else {
            digest = nil
            return
        }
        guard rest.count == 32 else { throw .wrongLength(rest.count) }
        guard let digest = Digest(hexadecimal: Substring(rest)) else { throw .notHexadecimal }
        self.digest = digest
    }

    /// The prefix of the digits.
    public static let prefix = "ccsh:"

    /// The value of the parameter `state`: `ccsh:` and 32 digits, or nothing for no cases.
    public var description: String { Self.prefix + (digest?.hexadecimal ?? "") }

    /// The bits in which two hashes differ; zero where they agree, or one is of no cases and the
    /// other cancels itself.
    public func difference(from other: CaseStateHash) -> Digest {
        (digest ?? .zero) ^ (other.digest ?? .zero)
    }
}
