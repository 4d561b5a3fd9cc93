internal import NIOSSL
internal import Platform

/// A certificate that Tapedeck shows to servers which ask for one, and its key.
public struct ClientCertificate: Sendable {
    /// The hosts that it is for, in lower case, `*.` in front for those below; nil for all.
    let host: String?
    /// The certificate and those of its authorities.
    let chain: [NIOSSLCertificate]
    /// Its key.
    let key: NIOSSLPrivateKey

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - file: PEM with the certificate, those of its authorities and the key, or PKCS#12.
    ///   - host: A host name, or `*.name` for the hosts below it; nil for all hosts.
    ///   - password: What the key is encrypted with; nil for nothing.
    /// - Throws: ``InterceptionError``: `storage` where the file cannot be read, `damaged` where it
    ///   has no certificate and key, or another password.
    public init(file: String, host: String? = nil, password: String?) throws(InterceptionError) {
        self.host = host?.lowercased()
        guard let bytes = try PrivateFile.read(file, secret: false, limit: 16 << 20) else {
            throw InterceptionError(.storage, "there is no file \(file)")
        }
        let isPEM = bytes.starts(with: Array("-----BEGIN ".utf8)) || Self.hasPEM(bytes)
        do {
            if isPEM {
                chain = try NIOSSLCertificate.fromPEMBytes(bytes)
                key =
                    try password.map { password in
                        try NIOSSLPrivateKey(bytes: bytes, format: .pem) { closure in
                            closure(password.utf8)
                        }
                    } ?? NIOSSLPrivateKey(bytes: bytes, format: .pem)
            } else {
                let bundle = try NIOSSLPKCS12Bundle(
                    buffer: bytes, passphrase: password.map { Array($0.utf8) })
                (chain, key) = (bundle.certificateChain, bundle.privateKey)
            }
        } catch {
            throw InterceptionError(
                .damaged,
                "\(file) is no \(isPEM ? "PEM with a certificate and its key" : "PKCS#12 file"), or "
                    + "its password is not the one in TAPEDECK_CERTIFICATE_PASSWORD")
        }
        guard !chain.isEmpty else {
            throw InterceptionError(.damaged, "\(file) has no certificate")
        }
    }

    /// Whether a block of PEM begins on some line: tools write attributes before it.
    private static func hasPEM(_ bytes: [UInt8]) -> Bool {
        String(decoding: bytes.prefix(64 << 10), as: UTF8.self).contains("\n-----BEGIN ")
    }

    /// Whether it is for `host`.
    func isMeant(for host: String) -> Bool {
        guard let own = self.host else { return true }
        let host = host.lowercased()
        return own.hasPrefix("*.") ? host.hasSuffix(own.dropFirst()) : host == own
    }
}
