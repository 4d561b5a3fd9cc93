internal import SwiftASN1

/// How long the RSA key of a certificate is, read before anything else of it.
///
/// The library that reads certificates refuses short keys without a specific error. Source: RFC
/// 5280, 4.1; RFC 8017, A.1.1.
enum KeyStrength {
    /// Shortest RSA key that is accepted, in bits.
    static let least = 2048

    private static let rsa: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 1]

    /// The length in bits of the RSA key in a certificate; nil where it has another key, or cannot
    /// be read.
    static func rsaBits(certificate der: [UInt8]) -> Int? {
        guard let root = try? DER.parse(der), let toBeSigned = children(root).first else {
            return nil
        }
        let fields = children(toBeSigned)
        // Version, which may be missing; serial number, algorithm, issuer, validity, subject.
        let isVersioned = fields.first?.identifier.tagClass == .contextSpecific
        let place = isVersioned ? 6 : 5
        guard fields.indices.contains(place) else { return nil }
        let key = children(fields[place])
        guard key.count == 2, let algorithm = children(key[0]).first,
            (try? ASN1ObjectIdentifier(derEncoded: algorithm)) == rsa,
            let bits = try? ASN1BitString(derEncoded: key[1]),
            let numbers = try? DER.parse(bits.bytes), let modulus = children(numbers).first,
            case .primitive(let bytes) = modulus.content
        else { return nil }
        let digits = bytes.drop { $0 == 0 }
        guard let first = digits.first else { return 0 }
        return digits.count * 8 - first.leadingZeroBitCount
    }

    private static func children(_ node: ASN1Node) -> [ASN1Node] {
        guard case .constructed(let nodes) = node.content else { return [] }
        return Array(nodes)
    }
}
