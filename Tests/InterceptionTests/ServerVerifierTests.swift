import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

@testable import Interception

/// Chains that are good, and chains that are not, each with its reason.
struct ServerVerifierTests {
    /// Tue, 14 Nov 2023 22:13:20 GMT.
    private static let now: Int64 = 1_700_000_000
    private static let day: Int64 = 86_400

    /// A certificate and the key that belongs to it.
    struct Party {
        var certificate: Certificate
        var key: P256.Signing.PrivateKey

        var der: [UInt8] {
            get throws { try certificate.serializeAsPEM().derBytes }
        }
    }

    /// Makes a certificate; signed by itself without a signer.
    private static func make(
        _ name: String, by signer: Party? = nil, from: Int64 = -1, to: Int64 = 1,
        @ExtensionsBuilder _ extensions: () throws -> Result<Certificate.Extensions, any Error>
    ) throws -> Party {
        let secret = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName(name) }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(secret.publicKey),
            notValidBefore: CertificateAuthority.date(now + from * day),
            notValidAfter: CertificateAuthority.date(now + to * day),
            issuer: signer?.certificate.subject ?? subject, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256, extensions: try extensions().get(),
            issuerPrivateKey: Certificate.PrivateKey(signer?.key ?? secret))
        return Party(certificate: certificate, key: secret)
    }

    private static func authority(
        _ name: String = "good authority", by signer: Party? = nil, from: Int64 = -9, to: Int64 = 9
    ) throws -> Party {
        try make(name, by: signer, from: from, to: to) {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            Critical(KeyUsage(keyCertSign: true))
        }
    }

    private static func leaf(
        by signer: Party?, _ names: [GeneralName] = [.dnsName("a.example")], from: Int64 = -1,
        to: Int64 = 1, usage: [ExtendedKeyUsage.Usage] = [.serverAuth]
    ) throws -> Party {
        try make("server", by: signer, from: from, to: to) {
            SubjectAlternativeNames(names)
            try ExtendedKeyUsage(usage)
        }
    }

    private static func refusal(
        _ chain: [Party], for host: String = "a.example", trusting roots: [Party]
    ) async throws -> String? {
        let verifier = ServerVerifier(TrustedRoots(only: roots.map(\.certificate)))
        return await verifier.refusal(
            try chain.map { try $0.der }, for: try HostName(host), now: now)
    }

    @Test func `a chain to a trusted authority is good, in any order`() async throws {
        let root = try Self.authority()
        let middle = try Self.authority("middle", by: root)
        let lower = try Self.authority("lower", by: middle)
        let stray = try Self.authority("stray")
        let server = try Self.leaf(by: lower)
        for chain in [[server, lower, middle], [server, stray, middle, lower, root]] {
            #expect(try await Self.refusal(chain, trusting: [root]) == nil)
        }
        let own = try Self.leaf(by: nil)
        #expect(try await Self.refusal([own], trusting: [own]) == nil)
    }

    @Test func `what was accepted is not judged again within a minute, unless it expires`()
        async throws
    {
        let root = try Self.authority()
        let middle = try Self.authority("middle", by: root)
        let server = try Self.leaf(by: middle)
        let chain = [try server.der, try middle.der]
        let host = try HostName("a.example")
        let verifier = ServerVerifier(TrustedRoots(only: [root.certificate]))
        func isKnown(
            _ chain: [[UInt8]], _ name: String = "a.example", after: Int64 = 0
        ) throws
            -> Bool
        {
            verifier.hasAccepted(chain, for: try HostName(name), now: Self.now + after)
        }
        #expect(try !isKnown(chain))
        #expect(await verifier.refusal(chain, for: host, now: Self.now) == nil)
        #expect(try isKnown(chain) && isKnown(chain, after: 60))
        #expect(try !isKnown(chain, after: 61) && !isKnown(chain, after: -1))
        #expect(try !isKnown(chain, "b.example") && !isKnown([chain[0]]))
        #expect(try !isKnown(chain.reversed()) && !isKnown([]))
        // What was refused is judged each time.
        let other = try HostName("b.example")
        #expect(await verifier.refusal(chain, for: other, now: Self.now) != nil)
        #expect(try !isKnown(chain, "b.example"))
        // Of a server and of an authority that expire in 10 seconds.
        for end in [0, 1] {
            let moment = Self.now + Self.day - 10
            let signer = try Self.authority("short", by: root, to: end == 1 ? 1 : 9)
            let party = try Self.leaf(by: signer, to: end == 0 ? 1 : 9)
            let short = [try party.der, try signer.der]
            #expect(await verifier.refusal(short, for: host, now: moment) == nil)
            #expect(try isKnown(short, after: Self.day), "\(end)")
            #expect(try !isKnown(short, after: Self.day + 1), "\(end)")
            #expect(await verifier.refusal(short, for: host, now: moment + 11) != nil)
        }
    }

    @Test func `who signed it is not known`() async throws {
        let root = try Self.authority()
        let other = try Self.authority("other authority")
        let same = try Self.authority()
        let middle = try Self.authority("middle", by: other)
        func reason(_ chain: [Party]) async throws -> String? {
            try await Self.refusal(chain, trusting: [root])
        }
        #expect(
            try await reason([Self.leaf(by: other)])
                == "unknown authority (CN=other authority)")
        #expect(
            try await reason([Self.leaf(by: middle), middle])
                == "unknown authority (CN=other authority)")
        // One of the same name with another key.
        #expect(
            try await reason([Self.leaf(by: same)]) == "unknown authority (CN=good authority)")
        #expect(
            try await reason([Self.leaf(by: nil)])
                == "unknown authority (it is signed by itself)")
        #expect(try await Self.refusal([], trusting: [root]) == "the server sent none")
    }

    @Test func `its time, or that of its authority, is not now`() async throws {
        let root = try Self.authority()
        let late = try Self.leaf(by: root, from: -3, to: -2)
        #expect(
            try await Self.refusal([late], trusting: [root])
                == "expired on 2023-11-12 22:13:20 +0000")
        let early = try Self.leaf(by: root, from: 1, to: 2)
        #expect(
            try await Self.refusal([early], trusting: [root])
                == "not valid before 2023-11-15 22:13:20 +0000")
        let middle = try Self.authority("middle", by: root, from: -3, to: -2)
        #expect(
            try await Self.refusal([Self.leaf(by: middle), middle], trusting: [root])
                == "the certificate of its authority CN=middle expired on "
                + "2023-11-12 22:13:20 +0000")
        let both = try Self.leaf(by: nil, from: -3, to: -2)
        #expect(
            try await Self.refusal([both], for: "b.example", trusting: [root])
                == "expired on 2023-11-12 22:13:20 +0000; other name (it names a.example); "
                + "unknown authority (it is signed by itself)")
    }

    @Test(arguments: [
        ("a.example", true), ("A.Example.", true), ("b.example", false), ("aa.example", false),
        ("x.wild.example", true), ("wild.example", false), ("x.y.wild.example", false),
        ("x.example", false), ("localhost", false), ("10.0.0.1", true), ("10.0.0.2", false),
        ("::1", true), ("127.0.0.1", false), ("com", false), ("a.com", false),
    ])
    func `names`(host: String, isGood: Bool) async throws {
        let root = try Self.authority()
        let server = try Self.leaf(
            by: root,
            [
                .dnsName("a.example"), .dnsName("*.wild.example"), .dnsName("*"),
                .dnsName("*.com"), .dnsName("l*.example"), .dnsName("*.*.example"),
                .dnsName("127.0.0.1"), .ipAddress(ASN1OctetString(contentBytes: [10, 0, 0, 1])),
                .ipAddress(
                    ASN1OctetString(contentBytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])),
            ])
        let reason = try await Self.refusal([server], for: host, trusting: [root])
        #expect((reason == nil) == isGood, "\(String(describing: reason))")
        guard let reason else { return }
        #expect(
            reason
                == "other name (it names a.example, *.wild.example, *, *.com, l*.example and 4 more)"
        )
    }

    @Test func `an address does not stand for a name, nor a common name for a host`() async throws {
        let root = try Self.authority()
        let address = try Self.leaf(
            by: root, [.ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1]))])
        #expect(
            try await Self.refusal([address], for: "localhost", trusting: [root])
                == "other name (it names 127.0.0.1)")
        let common = try Self.make("a.example", by: root) { KeyUsage(digitalSignature: true) }
        #expect(
            try await Self.refusal([common], trusting: [root])
                == "other name (it names no host; a common name does not count)")
    }

    @Test func `who may not serve, and who may not sign`() async throws {
        let root = try Self.authority()
        #expect(
            try await Self.refusal([Self.leaf(by: root, usage: [.clientAuth])], trusting: [root])
                == "it is not for servers (extKeyUsage)")
        #expect(
            try await Self.refusal([Self.leaf(by: root, usage: [.any])], trusting: [root]) == nil)
        let other = try Self.leaf(by: root)
        let below = try Self.leaf(by: other)
        let reason = try await Self.refusal([below, other], trusting: [root])
        #expect(reason?.isEmpty == false)
        let weak = try Self.make("weak", by: root) {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            Critical(KeyUsage(digitalSignature: true))
        }
        #expect(
            try await Self.refusal([Self.leaf(by: weak), weak], trusting: [root])
                == "its authority CN=weak may not sign certificates (keyUsage)")
    }

    @Test func `what is no certificate is said to be none`() async throws {
        let verifier = ServerVerifier(TrustedRoots(only: []))
        let host = try HostName("a.example")
        for rubbish: [UInt8] in [
            [], [0x30], Array("rubbish".utf8), [UInt8](repeating: 0x30, count: 99),
        ] {
            let reason = await verifier.refusal([rubbish], for: host, now: Self.now)
            #expect(reason?.hasPrefix("it cannot be read") == true)
        }
    }

    @Test func `a short RSA key is refused with its length`() async throws {
        let der = try #require(Data(base64Encoded: Self.short))
        #expect(KeyStrength.rsaBits(certificate: Array(der)) == 1024)
        let verifier = ServerVerifier(TrustedRoots(only: []))
        let reason = await verifier.refusal(
            [Array(der)], for: try HostName("localhost"), now: Self.now)
        #expect(reason == "RSA key of 1024 bits; at least 2048 are needed")
        // However it is cut, or what it is changed to, nothing worse than a nil comes of it.
        for count in 0..<der.count {
            #expect(KeyStrength.rsaBits(certificate: Array(der.prefix(count))) == nil)
            var bytes = Array(der)
            bytes[count] ^= 0xFF
            _ = KeyStrength.rsaBits(certificate: bytes)
        }
    }

    /// `openssl req -x509 -newkey rsa:1024`.
    private static let short = """
        MIICEjCCAXugAwIBAgIUUmfDdi6ZvgY1FBkCujMKPFFUUCMwDQYJKoZIhvcNAQELBQAwEDEOMAwGA1UE\
        AwwFc2hvcnQwHhcNMjYxMTIyMjA0NjQxWhcNMjYxMTI0MjA0NjQxWjAQMQ4wDAYDVQQDDAVzaG9ydDCB\
        nzANBgkqhkiG9w0BAQEFAAOBjQAwgYkCgYEAxevUuZ4pbSEkp1h6+fz4I5UipE/A2CXTjl6Poq96oNpq\
        C1+kAXDF5z9ybvM686cilp/JOeptf2Gi77aIpakE/6nhqq3XlvPUk+udY4LxPes08M/CRgTTdlVwaTpf\
        iv+UiPWiwu4UvC78qHyItpSTSsjVoXKbb1i+FTngmbWrQ+UCAwEAAaNpMGcwHQYDVR0OBBYEFM25LJOh\
        877CsNF/C5E50l31jxdDMB8GA1UdIwQYMBaAFM25LJOh877CsNF/C5E50l31jxdDMA8GA1UdEwEB/wQF\
        MAMBAf8wFAYDVR0RBA0wC4IJbG9jYWxob3N0MA0GCSqGSIb3DQEBCwUAA4GBAKy2KWCJ0u3WoGPNREzk\
        sARjQDZtrYm3o5KWvi+XZgOykjIG6UagGKd43r2wX2hDig7FjgIpxaFywnFGYEU2WTMkKk5QW5eIPBwa\
        yQ/9yMSfdlx0JQMHQ1nmSz2Eu3tNIbeKHj+kRh7wPsGUWJVw8XfXzGqY/psMPQVMPb8jbBJk
        """
}
