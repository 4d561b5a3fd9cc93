internal import Crypto
internal import FoundationEssentials
internal import Platform
internal import SwiftASN1
internal import X509

/// The certificate authority in whose name Tapedeck makes the certificates of hosts.
///
/// Clients that are to be intercepted have to trust it. It is made on the user's machine and its
/// key never leaves it.
public struct CertificateAuthority: Sendable {
    /// How long an authority is valid, in seconds: ten years.
    static let lifetime: Int64 = 3650 * 86400
    /// How far validity starts in the past, in seconds.
    ///
    /// Devices under test often have a clock that runs late.
    static let backdating: Int64 = 2 * 86400

    /// The certificate.
    let certificate: Certificate
    /// The key that signs leaves.
    let key: Certificate.PrivateKey
    /// What leaves name as their issuer's key, RFC 5280, 4.2.1.1.
    let keyIdentifier: ArraySlice<UInt8>

    /// The certificate in PEM, as browsers and most tools import it; ends with a newline.
    public let pem: String
    /// The certificate in DER, as Android and Windows import it.
    public let der: [UInt8]

    /// The common name of the certificate, as a list of trusted authorities shows it.
    public var name: String {
        certificate.subject.flatMap { $0.map { "\($0.value)" } }.first ?? ""
    }

    /// The end of its validity, in seconds since 1970.
    public var validUntilSeconds: Int64 {
        Int64(certificate.notValidAfter.timeIntervalSince1970)
    }

    /// SHA-256 of the certificate: 64 upper-case hexadecimal digits in pairs, with colons.
    public var fingerprintSHA256: String {
        SHA256.hash(data: der)
            .map {
                String($0 >> 4, radix: 16, uppercase: true)
                    + String($0 & 15, radix: 16, uppercase: true)
            }
            .joined(separator: ":")
    }

    /// An authority from its parts.
    init(certificate: Certificate, key: Certificate.PrivateKey) throws {
        self.certificate = certificate
        self.key = key
        if let own = try certificate.extensions.subjectKeyIdentifier {
            keyIdentifier = own.keyIdentifier
        } else {
            keyIdentifier = SubjectKeyIdentifier(hash: certificate.publicKey).keyIdentifier
        }
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        der = serializer.serializedBytes
        pem = PEMDocument(type: Certificate.defaultPEMDiscriminator, derBytes: der).pemString + "\n"
    }

    /// A new authority with a fresh P-256 key, in memory alone.
    ///
    /// Valid for ten years, from two days ago.
    ///
    /// - Parameters:
    ///   - host: Name of the machine, which the certificate's name repeats; up to 32 characters of
    ///     it are kept.
    ///   - now: Seconds since 1970; the system's clock where nil.
    /// - Returns: The authority, which no file holds yet.
    /// - Throws: ``InterceptionError`` with code `refused`.
    public static func create(
        host: String = CertificateAuthority.machineName, now: Int64? = nil
    ) throws(InterceptionError) -> CertificateAuthority {
        let now = now ?? systemSeconds
        do {
            let secret = P256.Signing.PrivateKey()
            let key = Certificate.PrivateKey(secret)
            let id = SHA256.hash(data: secret.publicKey.x963Representation)
                .prefix(4).map { hexadecimal($0) }.joined()
            let place = String(
                host.unicodeScalars.filter { $0.isASCII && $0.value > 0x20 }.prefix(32))
            let name = try DistinguishedName {
                CommonName("Tapedeck CA \(place.isEmpty ? "local" : place) \(id)")
                OrganizationName("Tapedeck")
            }
            let certificate = try Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
                notValidBefore: date(now - backdating), notValidAfter: date(now + lifetime),
                issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
                extensions: try Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                    Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                    SubjectKeyIdentifier(hash: key.publicKey)
                },
                issuerPrivateKey: key)
            return try CertificateAuthority(certificate: certificate, key: key)
        } catch {
            throw InterceptionError(.refused, "cannot make a certificate authority: \(error)")
        }
    }

    /// Whether the certificate is valid `now`, in seconds since 1970.
    func isValid(at now: Int64) -> Bool {
        certificate.notValidBefore <= Self.date(now) && Self.date(now) < certificate.notValidAfter
    }

    /// The name this machine gives itself; `local` where it has none.
    public static var machineName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "local" }
        let bytes = buffer.lazy.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes.prefix { $0 != 0 && $0 != UInt8(ascii: ".") }, as: UTF8.self)
    }

    /// The system's clock, in seconds since 1970.
    static var systemSeconds: Int64 { Int64(time(nil)) }

    /// The time `seconds` after the start of 1970, as X509 requires it.
    static func date(_ seconds: Int64) -> Date { Date(timeIntervalSince1970: Double(seconds)) }

    /// Two lower-case hexadecimal digits.
    private static func hexadecimal(_ byte: UInt8) -> String {
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
}
