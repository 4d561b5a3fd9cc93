internal import SwiftASN1
internal import X509

extension CertificateAuthority {
    /// Name of the file with the certificate in PEM.
    public static let pemFile = "tapedeck-ca.pem"
    /// Name of the file with the certificate in DER.
    public static let derFile = "tapedeck-ca.der"
    /// Name of the file with the private key, and a copy of the certificate, in PEM.
    public static let keyFile = "tapedeck-ca-key.pem"

    /// The authority kept in `directory`.
    ///
    /// The key file has key and certificate together and is created atomically, so that two
    /// processes that start at once use the same authority, and a killed one leaves none or a
    /// complete one. A key file with the key alone is completed by `tapedeck-ca.pem`: this is how a
    /// user supplies an authority. Blocks on the disk: never call on an event loop.
    ///
    /// - Parameters:
    ///   - directory: Where the files are; made with mode 0700 where it is missing.
    ///   - createIfMissing: Whether to make an authority where there is none.
    ///   - now: Seconds since 1970; the system's clock where nil.
    /// - Returns: The authority, with its public files beside it on the disk.
    /// - Throws: ``InterceptionError``: `missing`, `exposedKey`, `damaged`, `expired`, `storage`.
    public static func open(
        directory: String, createIfMissing: Bool, now: Int64? = nil
    ) throws(InterceptionError) -> CertificateAuthority {
        let path = directory.isEmpty ? "." : directory
        if let authority = try load(path) {
            return try authority.checked(now: now ?? systemSeconds, path)
        }
        guard createIfMissing else {
            throw InterceptionError(
                .missing, "there is no certificate authority in \(path); run: tapedeck ca")
        }
        // A certificate without its key may be one that clients already trust: it is not replaced.
        if try PrivateFile.read("\(path)/\(pemFile)", secret: false) != nil {
            throw InterceptionError(
                .damaged,
                "\(path) has \(pemFile) without \(keyFile); put the key back, or move the "
                    + "certificate away to get a new authority")
        }
        try PrivateFile.makeDirectory(path)
        let fresh = try create(now: now)
        let secret: String
        do {
            secret = try fresh.key.serializeAsPEM().pemString
        } catch {
            throw InterceptionError(.refused, "cannot write a private key: \(error)")
        }
        try PrivateFile.write(
            Array("\(secret)\n\(fresh.pem)".utf8), to: "\(path)/\(keyFile)", mode: 0o600, .first)
        // Read back rather than kept: another process may have been faster.
        guard let authority = try load(path) else {
            throw InterceptionError(
                .storage,
                "\(path)/\(keyFile) was deleted while it was being "
                    + "made")
        }
        return try authority.checked(now: now ?? systemSeconds, path)
    }

    /// The authority that the key file holds; nil where there is no key file.
    private static func load(_ path: String) throws(InterceptionError) -> CertificateAuthority? {
        let file = "\(path)/\(keyFile)"
        guard let bytes = try PrivateFile.read(file, secret: true) else { return nil }
        var documents = try blocks(bytes, file)
        let hadCertificate = documents.contains { $0.discriminator == certificateMark }
        if !hadCertificate {
            let other = "\(path)/\(pemFile)"
            guard let bytes = try PrivateFile.read(other, secret: false) else {
                throw InterceptionError(.damaged, "\(file) has a key, and there is no \(other)")
            }
            documents += try blocks(bytes, other)
        }
        guard let certificate = documents.first(where: { $0.discriminator == certificateMark }),
            let secret = documents.first(where: { $0.discriminator.hasSuffix("PRIVATE KEY") })
        else { throw InterceptionError(.damaged, "\(file) has no private key") }
        let authority: CertificateAuthority
        do {
            authority = try CertificateAuthority(
                certificate: Certificate(pemDocument: certificate),
                key: Certificate.PrivateKey(pemDocument: secret))
        } catch {
            throw InterceptionError(
                .damaged, "\(file) cannot be read as key and certificate: \(error)")
        }
        guard authority.key.publicKey == authority.certificate.publicKey else {
            throw InterceptionError(.damaged, "the key in \(file) is not that of the certificate")
        }
        if hadCertificate { try authority.writeCertificate(path) }
        return authority
    }

    /// Puts the public files beside the key file where they are missing or of another authority.
    private func writeCertificate(_ path: String) throws(InterceptionError) {
        for (name, bytes) in [(Self.pemFile, Array(pem.utf8)), (Self.derFile, der)]
        where try PrivateFile.read("\(path)/\(name)", secret: false) != bytes {
            try PrivateFile.write(bytes, to: "\(path)/\(name)", mode: 0o644, .replacing)
        }
    }

    /// This authority, if its time has come and is not over.
    private func checked(now: Int64, _ path: String) throws(InterceptionError) -> Self {
        guard isValid(at: now) else {
            throw InterceptionError(
                .expired,
                "the certificate authority in \(path) is valid from \(certificate.notValidBefore) "
                    + "until \(certificate.notValidAfter); move it away to get a new one")
        }
        return self
    }

    /// What marks a certificate in PEM.
    private static var certificateMark: String { Certificate.defaultPEMDiscriminator }

    /// The PEM documents in a file.
    private static func blocks(
        _ bytes: [UInt8], _ file: String
    ) throws(InterceptionError) -> [PEMDocument] {
        do {
            return try PEMDocument.parseMultiple(pemString: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw InterceptionError(.damaged, "\(file) is not PEM: \(error)")
        }
    }
}
