import Crypto
import Foundation
import Platform
import SwiftASN1
import Testing
import X509

@testable import Interception

struct CertificateAuthorityTests {
    /// 2026-01-01.
    let now: Int64 = 1_767_225_600

    @Test func `makes an authority that may sign and nothing else`() throws {
        let authority = try CertificateAuthority.create(host: "box", now: now)
        let certificate = authority.certificate
        #expect(authority.name.hasPrefix("Tapedeck CA box "))
        #expect(certificate.issuer == certificate.subject)
        #expect(
            try certificate.extensions.basicConstraints == .isCertificateAuthority(maxPathLength: 0)
        )
        #expect(
            try certificate.extensions.keyUsage == KeyUsage(keyCertSign: true, cRLSign: true))
        #expect(certificate.extensions[oid: .X509ExtensionID.basicConstraints]?.critical == true)
        #expect(try certificate.extensions.subjectKeyIdentifier != nil)
        #expect(certificate.notValidBefore == Date(timeIntervalSince1970: Double(now - 172_800)))
        #expect(
            certificate.notValidAfter == Date(timeIntervalSince1970: Double(now + 3650 * 86400)))
        #expect(certificate.publicKey.isValidSignature(certificate.signature, for: certificate))
        #expect(authority.fingerprintSHA256.count == 95)
        #expect(try Certificate(pemEncoded: authority.pem) == certificate)
        #expect(try Certificate(derEncoded: authority.der) == certificate)
    }

    @Test func `keeps a hostile machine name out of the certificate`() throws {
        let name = String(repeating: "x\n\u{0}é", count: 100)
        let authority = try CertificateAuthority.create(host: name, now: now)
        #expect(authority.name.utf8.count <= 64)
        #expect(authority.name.hasPrefix("Tapedeck CA xxx"))
    }

    @Test func `writes three files and finds them again`() async throws {
        try await withTemporaryDirectory { parent in
            let directory = "\(parent)/a/b"
            let made = try CertificateAuthority.open(directory: directory, createIfMissing: true)
            let found = try CertificateAuthority.open(directory: directory, createIfMissing: false)
            #expect(made.der == found.der)
            #expect(permissions("\(directory)/tapedeck-ca-key.pem") == 0o600)
            #expect(permissions(directory) == 0o700)
            #expect(
                try PrivateFile.read("\(directory)/tapedeck-ca.pem", secret: false)
                    == Array(made.pem.utf8))
            #expect(try PrivateFile.read("\(directory)/tapedeck-ca.der", secret: false) == made.der)
            // The public files are made again where somebody removed them.
            unlink("\(directory)/tapedeck-ca.der")
            _ = try CertificateAuthority.open(directory: directory, createIfMissing: false)
            #expect(try PrivateFile.read("\(directory)/tapedeck-ca.der", secret: false) == made.der)
        }
    }

    @Test func `agrees on one authority however many start at once`() async throws {
        try await withTemporaryDirectory { directory in
            let prints = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        try CertificateAuthority.open(directory: directory, createIfMissing: true)
                            .fingerprintSHA256
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(prints.count == 1)
        }
    }

    @Test func `does not make one unless asked`() async throws {
        try await withTemporaryDirectory { directory in
            #expect(throws: InterceptionError(.missing, "")) {
                try CertificateAuthority.open(directory: directory, createIfMissing: false)
            }
        }
    }

    @Test(arguments: [0o640, 0o604, 0o644, 0o660] as [mode_t])
    func `refuses a key that others can read`(mode: mode_t) async throws {
        try await withTemporaryDirectory { directory in
            _ = try CertificateAuthority.open(directory: directory, createIfMissing: true)
            chmod("\(directory)/tapedeck-ca-key.pem", mode)
            let error = #expect(throws: InterceptionError.self) {
                try CertificateAuthority.open(directory: directory, createIfMissing: true)
            }
            #expect(error?.code == .exposedKey)
            #expect(error?.reason.contains("chmod 600") == true)
        }
    }

    @Test func `refuses what is no key file`() async throws {
        let other = try CertificateAuthority.create(host: "other", now: nil)
        let mine = try CertificateAuthority.create(host: "mine", now: nil)
        let key = try mine.key.serializeAsPEM().pemString
        for text in ["", "rubbish", key, mine.pem, "\(key)\n\(other.pem)"] {
            try await withTemporaryDirectory { directory in
                try PrivateFile.write(
                    Array(text.utf8), to: "\(directory)/tapedeck-ca-key.pem", mode: 0o600,
                    .replacing)
                #expect(throws: InterceptionError(.damaged, "")) {
                    try CertificateAuthority.open(directory: directory, createIfMissing: true)
                }
            }
        }
    }

    @Test func `takes a key and a certificate of the user's own`() async throws {
        let mine = try CertificateAuthority.create(host: "mine", now: nil)
        try await withTemporaryDirectory { directory in
            try PrivateFile.write(
                Array(try mine.key.serializeAsPEM().pemString.utf8),
                to: "\(directory)/tapedeck-ca-key.pem", mode: 0o600, .replacing)
            try PrivateFile.write(
                Array(mine.pem.utf8), to: "\(directory)/tapedeck-ca.pem", mode: 0o644, .replacing)
            let found = try CertificateAuthority.open(directory: directory, createIfMissing: false)
            #expect(found.der == mine.der)
        }
    }

    @Test func `does not replace a certificate whose key is gone`() async throws {
        try await withTemporaryDirectory { directory in
            _ = try CertificateAuthority.open(directory: directory, createIfMissing: true)
            unlink("\(directory)/tapedeck-ca-key.pem")
            #expect(throws: InterceptionError(.damaged, "")) {
                try CertificateAuthority.open(directory: directory, createIfMissing: true)
            }
        }
    }

    @Test func `refuses one whose time is over`() async throws {
        try await withTemporaryDirectory { directory in
            _ = try CertificateAuthority.open(directory: directory, createIfMissing: true, now: now)
            #expect(throws: InterceptionError(.expired, "")) {
                try CertificateAuthority.open(
                    directory: directory, createIfMissing: true, now: now + 3650 * 86400)
            }
        }
    }

    @Test func `says when it cannot write`() {
        #expect(throws: InterceptionError(.storage, "")) {
            try CertificateAuthority.open(directory: "/proc/nowhere", createIfMissing: true)
        }
    }
}
