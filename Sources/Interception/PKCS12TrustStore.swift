internal import Crypto
internal import SwiftASN1

/// A file of PKCS#12 with certificates to trust and no key.
///
/// Source: RFC 7292; the attribute by which Java takes a certificate without a key for a trusted one is
/// that of `sun.security.pkcs12.PKCS12KeyStore` of OpenJDK, `TrustedKeyUsage_OID`.
public enum PKCS12TrustStore {
    /// The password that its check sum is made with: nothing in it is secret, and programs want one.
    public static let password = "changeit"
    /// How often the key of the check sum is hashed.
    private static let iterations = 2048

    /// A store with one certificate, the same bytes each time.
    ///
    /// - Parameters:
    ///   - der: The certificate.
    ///   - name: What it is called there.
    /// - Returns: The content of the file.
    /// - Throws: ``InterceptionError`` with code `refused`.
    public static func bytes(
        certificate der: [UInt8], name: String
    ) throws(InterceptionError) -> [UInt8] {
        do {
            let contents = try contentInfos(bag(der, name))
            return try file(contents, salt: Array(SHA256.hash(data: der).prefix(16)))
        } catch {
            throw InterceptionError(.refused, "cannot make a PKCS#12 file: \(error)")
        }
    }

    /// `SafeContents` with one bag: a certificate that is not encrypted (4.2.3), and its attributes.
    private static func bag(_ der: [UInt8], _ name: String) throws -> [UInt8] {
        try encoded { coder in
            try coder.appendConstructedNode(identifier: .sequence) { coder in
                try coder.appendConstructedNode(identifier: .sequence) { coder in
                    try coder.serialize(Identifier.certificateBag)
                    try coder.explicitly { coder in
                        try coder.appendConstructedNode(identifier: .sequence) { coder in
                            try coder.serialize(Identifier.x509)
                            try coder.explicitly { try $0.serialize(octets(der)) }
                        }
                    }
                    try coder.serializeSetOf([
                        Attribute(
                            type: Identifier.friendlyName,
                            value: .text(ASN1BMPString(contentBytes: utf16(name)[...]))),
                        Attribute(
                            type: Identifier.javaTrusted, value: .identifier(Identifier.anyUsage)),
                    ])
                }
            }
        }
    }

    /// `AuthenticatedSafe` with these contents (4.1).
    private static func contentInfos(_ contents: [UInt8]) throws -> [UInt8] {
        try encoded { coder in
            try coder.appendConstructedNode(identifier: .sequence) { try data(contents, &$0) }
        }
    }

    /// `PFX` (4): the contents, and a check sum of them.
    private static func file(_ contents: [UInt8], salt: [UInt8]) throws -> [UInt8] {
        let key = SymmetricKey(data: macKey(salt: salt))
        let sum = Array(HMAC<SHA256>.authenticationCode(for: contents, using: key))
        return try encoded { coder in
            try coder.appendConstructedNode(identifier: .sequence) { coder in
                try coder.serialize(3)
                try data(contents, &coder)
                try coder.appendConstructedNode(identifier: .sequence) { coder in
                    try coder.appendConstructedNode(identifier: .sequence) { coder in
                        try coder.appendConstructedNode(identifier: .sequence) { coder in
                            try coder.serialize(Identifier.sha256)
                            coder.appendPrimitiveNode(identifier: .null) { _ in }
                        }
                        try coder.serialize(octets(sum))
                    }
                    try coder.serialize(octets(salt))
                    try coder.serialize(iterations)
                }
            }
        }
    }

    /// A `ContentInfo` of type `data`.
    private static func data(_ bytes: [UInt8], _ coder: inout DER.Serializer) throws {
        try coder.appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(Identifier.data)
            try coder.explicitly { try $0.serialize(octets(bytes)) }
        }
    }

    /// The key of the check sum (appendix B.2, with ID 3), which is as long as one hash.
    private static func macKey(salt: [UInt8]) -> [UInt8] {
        let block = SHA256.blockByteCount
        func filled(_ bytes: [UInt8]) -> [UInt8] {
            let count = (bytes.count + block - 1) / block * block
            return (0..<count).map { bytes[$0 % bytes.count] }
        }
        var key =
            [UInt8](repeating: 3, count: block) + filled(salt)
            + filled(utf16(password) + [0, 0])
        for _ in 0..<iterations { key = Array(SHA256.hash(data: key)) }
        return key
    }

    private static func utf16(_ text: String) -> [UInt8] {
        text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    private static func octets(_ bytes: [UInt8]) -> ASN1OctetString {
        ASN1OctetString(contentBytes: bytes[...])
    }

    private static func encoded(
        _ body: (inout DER.Serializer) throws -> Void
    ) rethrows -> [UInt8] {
        var coder = DER.Serializer()
        try body(&coder)
        return coder.serializedBytes
    }

    private enum Identifier {
        static let data: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 1]
        static let certificateBag: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 12, 10, 1, 3]
        static let x509: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 22, 1]
        static let friendlyName: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 20]
        static let javaTrusted: ASN1ObjectIdentifier = [2, 16, 840, 1, 113894, 746875, 1, 1]
        static let anyUsage: ASN1ObjectIdentifier = [2, 5, 29, 37, 0]
        static let sha256: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 1]
    }

    /// An attribute of a bag with one value.
    private struct Attribute: DERSerializable {
        enum Value {
            case text(ASN1BMPString)
            case identifier(ASN1ObjectIdentifier)
        }

        let type: ASN1ObjectIdentifier
        let value: Value

        func serialize(into coder: inout DER.Serializer) throws {
            try coder.appendConstructedNode(identifier: .sequence) { coder in
                try coder.serialize(type)
                try coder.appendConstructedNode(identifier: .set) { coder in
                    switch value {
                    case .text(let text): try coder.serialize(text)
                    case .identifier(let identifier): try coder.serialize(identifier)
                    }
                }
            }
        }
    }
}

extension DER.Serializer {
    /// What `body` writes, in the explicit tag 0.
    fileprivate mutating func explicitly(
        _ body: (inout DER.Serializer) throws -> Void
    ) rethrows {
        try appendConstructedNode(
            identifier: ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific), body)
    }
}
