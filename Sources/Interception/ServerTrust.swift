internal import NIOCore
public import NIOSSL

/// What a server has to show before Tapedeck talks to it over TLS.
public struct ServerTrust: Sendable {
    /// How a server's certificate is judged.
    public enum Verification: Hashable, Sendable {
        /// It has to be valid for the host and come from an authority of the system or of one of
        /// these PEM files.
        case full(additionalRoots: [String])
        /// Anything goes.
        case insecure
    }

    /// How the certificate is judged.
    public let verification: Verification
    /// The client side of TLS for every server.
    public let context: NIOSSLContext

    /// Reads the trusted authorities.
    ///
    /// Offers TLS 1.2 and 1.3, and `http/1.1` alone, so that a server does not choose a protocol
    /// that the client's leg does not speak. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - verification: How certificates are judged.
    ///   - keyLog: Where the secrets of the sessions go.
    /// - Throws: ``InterceptionError``: `storage` or `damaged` for one of the files, `refused`.
    public init(
        _ verification: Verification, keyLog: KeyLog? = nil
    ) throws(InterceptionError) {
        self.verification = verification
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.maximumTLSVersion = .tlsv13
        configuration.applicationProtocols = ["http/1.1"]
        // A peer that does not answer our close is not waited for.
        configuration.shutdownTimeout = .milliseconds(200)
        if let keyLog { configuration.keyLogCallback = { keyLog.append($0) } }
        switch verification {
        case .insecure:
            configuration.certificateVerification = .none
        case .full(let files):
            configuration.certificateVerification = .fullVerification
            configuration.additionalTrustRoots = try files.map(Self.roots)
        }
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw InterceptionError(.refused, "the TLS library refused its settings: \(error)")
        }
    }

    /// The handler that speaks TLS to `host`.
    ///
    /// - Parameter host: DNS name or IP address of the server, without port; an address is
    ///   verified as one and not sent as server name (RFC 6066, 3).
    /// - Returns: A handler for one connection, to be first in its pipeline.
    /// - Throws: ``InterceptionError`` with code `badHost`.
    public func handler(for host: String) throws(InterceptionError) -> NIOSSLClientHandler {
        let name: String? =
            switch try HostName(host) {
            case .name(let text): text
            case .address: nil
            }
        do {
            return try NIOSSLClientHandler(context: context, serverHostname: name)
        } catch {
            throw InterceptionError(.badHost, "TLS cannot be spoken to \(host): \(error)")
        }
    }

    /// The authorities in a PEM file.
    private static func roots(
        _ file: String
    ) throws(InterceptionError) -> NIOSSLAdditionalTrustRoots {
        guard let bytes = try PrivateFile.read(file, secret: false) else {
            throw InterceptionError(.storage, "there is no file \(file)")
        }
        do {
            let certificates = try NIOSSLCertificate.fromPEMBytes(bytes)
            guard !certificates.isEmpty else {
                throw InterceptionError(.damaged, "\(file) holds no certificate")
            }
            return .certificates(certificates)
        } catch {
            throw InterceptionError(.damaged, "\(file) holds no certificate in PEM")
        }
    }
}
