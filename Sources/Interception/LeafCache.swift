internal import Crypto
internal import NIOCore
public import NIOSSL
internal import SwiftASN1
internal import Synchronization
internal import X509

/// The server side of TLS for any host, each with a certificate made for it.
///
/// Certificates are kept, as is what they need to resume sessions; the least recently used is
/// evicted when there are too many. All leaves share one key, which lives as long as this object.
/// May be used from any thread; making a leaf takes a fraction of a millisecond.
public final class LeafCache: Sendable {
    /// How long a leaf is valid, in seconds, the two days in the past included.
    ///
    /// Apple's systems refuse what is valid for more than 398 days and browsers are about to
    /// refuse more than 200.
    static let lifetime: Int64 = 199 * 86400 - 60

    /// A leaf that is kept.
    private struct Entry {
        /// What serves TLS with it.
        let context: NIOSSLContext
        /// When to make another, in seconds since 1970.
        let staleAt: Int64
        /// The number of the last use.
        var used: UInt64
    }

    /// What changes.
    private struct State {
        /// The leaves, by what they were made for.
        var entries: [HostName: Entry] = [:]
        /// How many uses there were.
        var uses: UInt64 = 0
    }

    /// The authority that signs.
    private let authority: CertificateAuthority
    /// The key of every leaf.
    let key: P256.Signing.PrivateKey
    /// The same key as NIOSSL requires it.
    private let tlsKey: NIOSSLPrivateKey
    /// The authority's certificate as NIOSSL requires it.
    private let issuer: NIOSSLCertificate
    /// Largest number of leaves kept.
    private let limit: Int
    /// The oldest version of TLS.
    private let minimum: OldestTLS
    /// Whether clients are asked for certificates.
    private let asksClients: Bool
    /// Where session secrets go.
    private let keyLog: KeyLog?
    /// The clock, in seconds since 1970.
    private let now: @Sendable () -> Int64
    /// The leaves.
    private let state = Mutex(State())

    /// An empty cache.
    ///
    /// - Parameters:
    ///   - authority: The authority that signs the leaves.
    ///   - limit: Largest number of leaves kept, at least 1.
    ///   - minimum: The oldest version of TLS.
    ///   - asksClients: Whether clients are asked for certificates; any will do, and none.
    ///   - keyLog: Where the secrets of the sessions go.
    ///   - now: The clock, in seconds since 1970; the system's where nil.
    /// - Throws: ``InterceptionError`` with code `refused`.
    public init(
        authority: CertificateAuthority, limit: Int = 1000, minimum: OldestTLS = .tls12,
        asksClients: Bool = false, keyLog: KeyLog? = nil, now: (@Sendable () -> Int64)? = nil
    ) throws(InterceptionError) {
        self.authority = authority
        self.limit = max(1, limit)
        self.minimum = minimum
        self.asksClients = asksClients
        self.keyLog = keyLog
        self.now = now ?? { CertificateAuthority.systemSeconds }
        key = P256.Signing.PrivateKey()
        do {
            tlsKey = try NIOSSLPrivateKey(bytes: Array(key.derRepresentation), format: .der)
            issuer = try NIOSSLCertificate(bytes: authority.der, format: .der)
        } catch {
            throw InterceptionError(
                .refused,
                "the TLS library refused the key of the leaves: "
                    + "\(error)")
        }
    }

    /// How many leaves are kept.
    public var count: Int { state.withLock { $0.entries.count } }

    /// The server side of TLS for `host`.
    ///
    /// Offers TLS 1.3 and those before it down to the oldest, and `http/1.1` alone.
    ///
    /// - Parameter host: A DNS name or IP address, as the client's server name, a CONNECT target
    ///   or the listening address give it; may be hostile.
    /// - Returns: What serves TLS with a leaf for `host`, new or kept.
    /// - Throws: ``InterceptionError``: `badHost` where no certificate can be made for `host`,
    ///   `refused` where the TLS library would not have it.
    public func context(for host: String) throws(InterceptionError) -> NIOSSLContext {
        let name = try HostName(host)
        let now = now()
        let kept = state.withLock { state -> NIOSSLContext? in
            state.uses += 1
            guard let entry = state.entries[name], now < entry.staleAt else { return nil }
            state.entries[name]?.used = state.uses
            return entry.context
        }
        if let kept { return kept }
        // Made outside the lock, so that other hosts need not wait; two threads may make the same.
        let context = try make(name, now)
        state.withLock { state in
            if state.entries.count >= limit, state.entries[name] == nil,
                let oldest = state.entries.min(by: { $0.value.used < $1.value.used })
            {
                state.entries[oldest.key] = nil
            }
            state.entries[name] = Entry(
                context: context, staleAt: now + Self.lifetime - 4 * 86400, used: state.uses)
        }
        return context
    }

    /// The server side of TLS for `host` with a leaf that expired a day ago, to see what a client
    /// does with it.
    ///
    /// - Parameter host: As for ``context(for:)``.
    /// - Returns: The TLS server context; a new one for every call.
    /// - Throws: As ``context(for:)``.
    public func expiredContext(for host: String) throws(InterceptionError) -> NIOSSLContext {
        let past = now() - Self.lifetime + CertificateAuthority.backdating - 86400
        return try make(try HostName(host), past)
    }

    /// The TLS handler for a client, with what ``context(for:)`` gave.
    ///
    /// - Parameter context: The server side of TLS.
    /// - Returns: A handler for one connection, to be first in its pipeline.
    public func handler(_ context: NIOSSLContext) -> NIOSSLServerHandler {
        guard asksClients else { return NIOSSLServerHandler(context: context) }
        // Who the client is does not matter here: the trace has what it showed.
        return NIOSSLServerHandler(
            context: context,
            customVerificationCallback: { _, promise in promise.succeed(.certificateVerified) })
    }

    /// TLS with a new leaf.
    private func make(_ name: HostName, _ now: Int64) throws(InterceptionError) -> NIOSSLContext {
        do {
            var serializer = DER.Serializer()
            try serializer.serialize(try leaf(name, now))
            let certificate = try NIOSSLCertificate(bytes: serializer.serializedBytes, format: .der)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: [.certificate(certificate), .certificate(issuer)],
                privateKey: .privateKey(tlsKey))
            configuration.minimumTLSVersion = minimum.version
            if asksClients { configuration.certificateVerification = .optionalVerification }
            configuration.maximumTLSVersion = .tlsv13
            configuration.applicationProtocols = ["http/1.1"]
            // A peer that does not answer the close alert is not waited for.
            configuration.shutdownTimeout = .milliseconds(200)
            if let keyLog { configuration.keyLogCallback = { keyLog.append($0) } }
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw InterceptionError(
                .refused, "cannot make a certificate for \(name.text): \(error)")
        }
    }

    /// The addresses of this machine that `localhost` stands for.
    private static let loopback: [[UInt8]] = [
        [127, 0, 0, 1], Array(repeating: 0, count: 15) + [1],
    ]

    /// A new leaf for `name`, signed by the authority.
    func leaf(_ name: HostName, _ now: Int64) throws -> Certificate {
        let publicKey = Certificate.PublicKey(key.publicKey)
        // X.520 bounds a common name to 64 characters; verifiers read the alternative name.
        let common = name.text.utf8.count <= 64 ? name.text : nil
        let subject = try DistinguishedName { if let common { CommonName(common) } }
        var alternatives: [GeneralName] = []
        switch name {
        case .name(let text): alternatives = [.dnsName(text)]
        case .address(let bytes):
            alternatives = [.ipAddress(ASN1OctetString(contentBytes: bytes[...]))]
            // Clients such as Java's send no server name that has no dot, and mean this one.
            if Self.loopback.contains(bytes) { alternatives.append(.dnsName("localhost")) }
        }
        let begin = now - CertificateAuthority.backdating
        return try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
            notValidBefore: CertificateAuthority.date(begin),
            notValidAfter: CertificateAuthority.date(begin + Self.lifetime),
            issuer: authority.certificate.subject, subject: subject,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                AuthorityKeyIdentifier(keyIdentifier: authority.keyIdentifier)
                // Without a subject the alternative names have to be critical: RFC 5280, 4.2.1.6.
                if common == nil {
                    Critical(SubjectAlternativeNames(alternatives))
                } else {
                    SubjectAlternativeNames(alternatives)
                }
            },
            issuerPrivateKey: authority.key)
    }
}
