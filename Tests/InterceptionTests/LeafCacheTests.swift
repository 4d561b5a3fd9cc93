import Foundation
import NIOSSL
import SwiftASN1
import Synchronization
import Testing
import X509

@testable import Interception

struct LeafCacheTests {
    /// 2026-01-01.
    let now: Int64 = 1_767_225_600

    @Test(
        arguments: [
            ("Example.COM.", [.dnsName("example.com")]),
            ("under_score.example", [.dnsName("under_score.example")]),
            ("127.0.0.2", [.ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 2]))]),
            (
                "127.0.0.1",
                [
                    .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
                    .dnsName("localhost"),
                ]
            ),
            (
                "[::1]",
                [
                    .ipAddress(
                        ASN1OctetString(
                            contentBytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])),
                    .dnsName("localhost"),
                ]
            ),
        ] as [(String, [GeneralName])])
    func `makes a leaf for a name or an address`(host: String, names: [GeneralName]) throws {
        let authority = try CertificateAuthority.create(host: "box", now: now)
        let leaf = try LeafCache(authority: authority).leaf(try HostName(host), now)
        #expect(
            try leaf.extensions.subjectAlternativeNames == SubjectAlternativeNames(names))
        #expect(leaf.extensions[oid: .X509ExtensionID.subjectAlternativeName]?.critical == false)
        #expect(try leaf.extensions.basicConstraints == .notCertificateAuthority)
        #expect(try leaf.extensions.extendedKeyUsage == ExtendedKeyUsage([.serverAuth]))
        #expect(
            try leaf.extensions.authorityKeyIdentifier?.keyIdentifier == authority.keyIdentifier)
        #expect(try leaf.extensions.subjectKeyIdentifier == nil)
        #expect(leaf.issuer == authority.certificate.subject)
        #expect(authority.certificate.publicKey.isValidSignature(leaf.signature, for: leaf))
        #expect(leaf.notValidBefore == Date(timeIntervalSince1970: Double(now - 172_800)))
        #expect(leaf.notValidAfter.timeIntervalSince(leaf.notValidBefore) < 199 * 86400)
        #expect((16...20).contains(leaf.serialNumber.bytes.count))
    }

    @Test func `has no common name where the host is too long for one`() throws {
        let host = (0..<5).map { "\($0)" + String(repeating: "a", count: 30) }.joined(
            separator: ".")
        let authority = try CertificateAuthority.create(host: "box", now: now)
        let leaf = try LeafCache(authority: authority).leaf(try HostName(host), now)
        #expect(leaf.subject.isEmpty)
        #expect(leaf.extensions[oid: .X509ExtensionID.subjectAlternativeName]?.critical == true)
    }

    @Test(arguments: [
        "", ".", "..", "a..b", "a b", "a\u{0}b", "bücher.example", "*.example", "a/b", "[]", "[",
        "a:b", "fe80::1%eth0", "\\x00", "a\r\nb", String(repeating: "a", count: 64),
        String(repeating: "a.", count: 127) + "b", String(repeating: "x", count: 100_000),
    ])
    func `refuses a host that no certificate can name`(host: String) throws {
        let cache = try LeafCache(authority: try CertificateAuthority.create(host: "box"))
        let error = #expect(throws: InterceptionError.self) { try cache.context(for: host) }
        #expect(error?.code == .badHost)
        #expect((error?.reason.utf8.count ?? 0) < 1000)
        #expect(cache.count == 0)
    }

    @Test func `keeps what was used last`() throws {
        let cache = try LeafCache(authority: try CertificateAuthority.create(host: "box"), limit: 2)
        let first = try cache.context(for: "a.example")
        _ = try cache.context(for: "b.example")
        #expect(try cache.context(for: "A.example.") === first)
        _ = try cache.context(for: "c.example")
        #expect(cache.count == 2)
        #expect(try cache.context(for: "a.example") === first)
    }

    @Test func `makes another leaf before the time of one is over`() throws {
        let clock = Clock(now)
        let cache = try LeafCache(
            authority: try CertificateAuthority.create(host: "box", now: now),
            now: { clock.seconds.withLock { $0 } })
        let first = try cache.context(for: "a.example")
        clock.seconds.withLock { $0 += 190 * 86400 }
        #expect(try cache.context(for: "a.example") === first)
        clock.seconds.withLock { $0 += 6 * 86400 }
        #expect(try cache.context(for: "a.example") !== first)
    }

    @Test func `serves many threads`() async throws {
        let cache = try LeafCache(authority: try CertificateAuthority.create(host: "box"), limit: 8)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<64 {
                group.addTask { _ = try cache.context(for: "host\(index % 16).example") }
            }
            try await group.waitForAll()
        }
        #expect(cache.count <= 8)
    }

    /// A clock that is set by hand.
    private final class Clock: Sendable {
        let seconds: Mutex<Int64>
        init(_ seconds: Int64) { self.seconds = Mutex(seconds) }
    }
}
