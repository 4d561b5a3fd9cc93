internal import NIOCore
public import NIOSSL
internal import Platform

/// The requirements on a server before Tapedeck uses TLS with it.
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
    /// The client side of TLS for servers that there is no certificate of ours for.
    public let context: NIOSSLContext
    /// The same with certificates of ours, the first that is meant for a host counts.
    private let identified: [(certificate: ClientCertificate, context: NIOSSLContext)]
    /// Judges certificates; nil where anything goes.
    private let verifier: ServerVerifier?
    /// What is being judged for all connections of this program.
    private static let pending = PendingVerdicts()

    /// Reads the trusted authorities.
    ///
    /// Offers TLS 1.3 and those before it down to `minimum`, and `http/1.1` alone, so that a server does not choose a protocol
    /// that the client's leg does not use. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - verification: How certificates are judged.
    ///   - minimum: The oldest version of TLS.
    ///   - certificates: What is shown to servers that ask for a certificate.
    ///   - keyLog: Where the secrets of the sessions go.
    /// - Throws: ``InterceptionError``: `storage` or `damaged` for one of the files, `refused`.
    public init(
        _ verification: Verification, minimum: OldestTLS = .tls12,
        certificates: [ClientCertificate] = [], keyLog: KeyLog? = nil
    ) throws(InterceptionError) {
        self.verification = verification
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = minimum.version
        configuration.maximumTLSVersion = .tlsv13
        configuration.applicationProtocols = ["http/1.1"]
        // A peer that does not answer the close alert is not waited for.
        configuration.shutdownTimeout = .milliseconds(200)
        if let keyLog { configuration.keyLogCallback = { keyLog.append($0) } }
        switch verification {
        case .insecure:
            configuration.certificateVerification = .none
            verifier = nil
        case .full(let files):
            // The library calls this instead of its own check, for the name as well.
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates([])
            verifier = ServerVerifier(try TrustedRoots(files: files))
        }
        do {
            context = try NIOSSLContext(configuration: configuration)
            identified = try certificates.map { certificate in
                var own = configuration
                own.certificateChain = certificate.chain.map { .certificate($0) }
                own.privateKey = .privateKey(certificate.key)
                return (certificate, try NIOSSLContext(configuration: own))
            }
        } catch {
            throw InterceptionError(.refused, "the TLS library refused its settings: \(error)")
        }
    }

    /// Returns once no certificate is being judged: before the event loops of connections end.
    public static func settled() async { await pending.settled() }

    /// The TLS handler for `host`.
    ///
    /// - Parameters:
    ///   - host: DNS name or IP address of the server, without port; an address is verified as one
    ///     and not sent as server name (RFC 6066, 3).
    ///   - verdict: Receives why the server's certificate is not accepted.
    /// - Returns: A handler for one connection, to be first in its pipeline.
    /// - Throws: ``InterceptionError`` with code `badHost`.
    public func handler(
        for host: String, verdict: ServerVerdict = ServerVerdict()
    ) throws(InterceptionError) -> NIOSSLClientHandler {
        let asked = try HostName(host)
        let name: String? =
            switch asked {
            case .name(let text): text
            case .address: nil
            }
        let context =
            identified.first { $0.certificate.isMeant(for: host) }?.context ?? context
        do {
            guard let verifier else {
                return try NIOSSLClientHandler(context: context, serverHostname: name)
            }
            let pending = Self.pending
            return try NIOSSLClientHandler(
                context: context, serverHostname: name,
                customVerificationCallback: { chain, promise in
                    let chain = chain.compactMap { try? $0.toDERBytes() }
                    let now = Int64(time(nil))
                    guard !verifier.hasAccepted(chain, for: asked, now: now) else {
                        promise.succeed(.certificateVerified)
                        return
                    }
                    pending.begin()
                    Task {
                        let reason = await verifier.refusal(chain, for: asked, now: now)
                        if let reason { verdict.refuse(reason) }
                        promise.succeed(reason == nil ? .certificateVerified : .failed)
                        pending.end()
                    }
                })
        } catch {
            throw InterceptionError(.badHost, "TLS cannot be used with \(host): \(error)")
        }
    }
}
