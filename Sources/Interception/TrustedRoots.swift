internal import Platform
internal import SwiftASN1
internal import Synchronization
internal import X509

/// The authorities that are trusted: those that were named, and those of the system.
final class TrustedRoots: Sendable {
    /// Where systems keep the certificates of trusted authorities.
    private static let files = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ]

    private let named: [Certificate]
    private let usesSystem: Bool
    private let loaded = Mutex<CertificateStore?>(nil)

    /// Those in the PEM files, and those of the system.
    ///
    /// - Throws: ``InterceptionError``: `storage` or `damaged` for one of the files.
    init(files: [String]) throws(InterceptionError) {
        var named: [Certificate] = []
        for file in files { named += try Self.certificates(in: file) }
        self.named = named
        usesSystem = true
    }

    /// These alone.
    init(only named: [Certificate]) {
        self.named = named
        usesSystem = false
    }

    /// Whether the user named this very certificate.
    func names(_ certificate: Certificate) -> Bool { named.contains(certificate) }

    /// All of them; blocks on the disk on first use.
    var store: CertificateStore {
        loaded.withLock { loaded in
            if let loaded { return loaded }
            let store = CertificateStore(named + (usesSystem ? Self.system() : []))
            loaded = store
            return store
        }
    }

    /// The authorities of the system; those that cannot be read are left out.
    private static func system() -> [Certificate] {
        ((try? PEMDocument.parseMultiple(pemString: systemPEM())) ?? [])
            .compactMap { try? Certificate(pemDocument: $0) }
    }

    /// The file with the authorities of the system, or the one that `SSL_CERT_FILE` names in its
    /// place, as it does for OpenSSL; empty where none can be read.
    static func systemPEM() -> String {
        let named = getenv("SSL_CERT_FILE").map { String(cString: $0) } ?? ""
        for file in named.isEmpty ? files : [named] {
            guard let bytes = try? PrivateFile.read(file, secret: false, limit: 64 << 20) else {
                continue
            }
            let text = String(decoding: bytes, as: UTF8.self)
            if (try? PEMDocument.parseMultiple(pemString: text)) != nil { return text }
        }
        return ""
    }

    /// The authorities in a PEM file.
    private static func certificates(in file: String) throws(InterceptionError) -> [Certificate] {
        guard let bytes = try PrivateFile.read(file, secret: false, limit: 64 << 20) else {
            throw InterceptionError(.storage, "there is no file \(file)")
        }
        let documents: [PEMDocument]
        do {
            documents = try PEMDocument.parseMultiple(
                pemString: String(decoding: bytes, as: UTF8.self)
            ).filter { $0.discriminator == Certificate.defaultPEMDiscriminator }
        } catch {
            throw InterceptionError(.damaged, "\(file) has no certificate in PEM")
        }
        guard !documents.isEmpty else {
            throw InterceptionError(.damaged, "\(file) has no certificate in PEM")
        }
        var found: [Certificate] = []
        for document in documents {
            if let bits = KeyStrength.rsaBits(certificate: document.derBytes),
                bits < KeyStrength.least
            {
                throw InterceptionError(
                    .damaged,
                    "\(file) has a certificate with an RSA key of \(bits) bits; at least "
                        + "\(KeyStrength.least) are needed")
            }
            do {
                found.append(try Certificate(pemDocument: document))
            } catch {
                throw InterceptionError(
                    .damaged, "\(file) has a certificate that cannot be read: \(error)")
            }
        }
        return found
    }
}
