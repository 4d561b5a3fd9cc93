internal import FoundationEssentials
internal import SwiftASN1
internal import Synchronization
@_spi(FixedExpiryValidationTime) internal import X509

/// Judges the certificates that a server shows.
///
/// The library's own check of host names accepts a certificate for a host whose address it
/// contains, and reports no reason; so everything is verified here, with the reason. Source: RFC
/// 5280, 6; RFC 9525, 6.
struct ServerVerifier: Sendable {
    private let roots: TrustedRoots
    private let accepted = AcceptedChains()

    /// A verifier that trusts these authorities and those of the system.
    init(_ roots: TrustedRoots) { self.roots = roots }

    /// Whether these certificates were accepted for this host within the last minute, and none of
    /// them has expired since.
    ///
    /// - Parameters:
    ///   - chain: The server's certificates, its own first, in DER.
    ///   - host: Who is to be talked to.
    ///   - now: Seconds since 1970.
    /// - Returns: Whether that is so; false for what was refused.
    func hasAccepted(_ chain: [[UInt8]], for host: HostName, now: Int64) -> Bool {
        accepted.contains(chain, host, now)
    }

    /// Why a server's certificates are not accepted.
    ///
    /// - Parameters:
    ///   - chain: The server's certificates, its own first, in DER; hostile.
    ///   - host: Who is to be talked to.
    ///   - now: Seconds since 1970.
    /// - Returns: The reasons, in a few words; nil where the certificates are accepted.
    func refusal(_ chain: [[UInt8]], for host: HostName, now: Int64) async -> String? {
        guard let first = chain.first else { return "the server sent none" }
        if let bits = KeyStrength.rsaBits(certificate: first), bits < KeyStrength.least {
            return "RSA key of \(bits) bits; at least \(KeyStrength.least) are needed"
        }
        let leaf: Certificate
        let names: ServerNames
        do {
            leaf = try Certificate(derEncoded: first)
            names = try ServerNames(leaf)
        } catch {
            if ServerChainPolicy.isSignedWithSHA1(der: first) {
                return ServerChainPolicy.weakSignature("it")
            }
            let words = "\(error)"
            return "it cannot be read: \(words.readable(most: 200))"
        }
        var reasons: [String] = []
        if let reason = Self.expiry(of: leaf, now) { reasons.append(reason) }
        if !names.cover(host) { reasons.append("other name (\(names.text))") }
        if let reason = await authority(of: leaf, chain.dropFirst(), now) {
            reasons.append(reason)
        }
        guard reasons.isEmpty else { return reasons.joined(separator: "; ") }
        let end = chain.compactMap { try? Certificate(derEncoded: $0).notValidAfter }.min()
        if let end = end.map({ Int64($0.timeIntervalSince1970) }) {
            accepted.insert(chain, host, now...max(now, min(end, now + AcceptedChains.lifetime)))
        }
        return nil
    }

    /// Why no trusted authority signed a certificate.
    private func authority(
        of leaf: Certificate, _ others: ArraySlice<[UInt8]>, _ now: Int64
    ) async -> String? {
        if roots.names(leaf) { return ServerChainPolicy.refusal([leaf]) }
        // What cannot be read is not used: servers also send unneeded certificates.
        let others = others.prefix(Self.maximumChain)
        let intermediates = others.compactMap { try? Certificate(derEncoded: $0) }
        // The leaf's validity period was reported already.
        let isTimely = Self.expiry(of: leaf, now) == nil
        let moment = isTimely ? CertificateAuthority.date(now) : leaf.notValidBefore
        var verifier = Verifier(rootCertificates: roots.store) {
            RFC5280Policy(fixedExpiryValidationTime: moment)
            ServerChainPolicy()
        }
        let result = await verifier.validate(
            leaf: leaf, intermediates: CertificateStore(intermediates))
        guard case .couldNotValidate(let failures) = result else { return nil }
        if let unknown = Self.unknownExtension([leaf]) {
            return "an unknown critical extension (\(unknown))"
        }
        guard let failure = failures.first else {
            return unknownAuthority(of: leaf, intermediates, others)
        }
        for certificate in failure.chain.dropFirst() where isTimely {
            if let reason = Self.expiry(of: certificate, now) {
                return "the certificate of its authority \(Self.name(certificate)) \(reason)"
            }
        }
        if let reason = ServerChainPolicy.refusal(Array(failure.chain)) { return reason }
        // A time that ends before it begins is not judged again.
        guard isTimely else { return nil }
        return "its chain of authorities violates a constraint of one of them (RFC 5280, 6)"
    }

    /// The reason where no trusted authority was found.
    private func unknownAuthority(
        of leaf: Certificate, _ intermediates: [Certificate], _ sent: ArraySlice<[UInt8]>
    ) -> String {
        let short = sent.compactMap { KeyStrength.rsaBits(certificate: $0) }
            .first { $0 < KeyStrength.least }
        if let short {
            return "RSA key of \(short) bits of its authority; at least \(KeyStrength.least) are "
                + "needed"
        }
        if leaf.issuer == leaf.subject { return "unknown authority (it is signed by itself)" }
        let last = intermediates.last { $0.issuer != $0.subject } ?? leaf
        let issuer = "\(last.issuer)".readable(most: 200)
        let isSigned = [leaf] + intermediates
        if sent.contains(where: ServerChainPolicy.isSignedWithSHA1(der:)) {
            return ServerChainPolicy.weakSignature("a certificate of its authorities")
        }
        if isSigned.contains(where: { !Self.known.contains($0.signatureAlgorithm) }) {
            return "a signature of a kind that cannot be verified (by \(issuer))"
        }
        return "unknown authority (\(issuer))"
    }

    /// Why a certificate's time is not now; nil where it is.
    private static func expiry(of certificate: Certificate, _ now: Int64) -> String? {
        let now = CertificateAuthority.date(now)
        if now > certificate.notValidAfter { return "expired on \(certificate.notValidAfter)" }
        if now < certificate.notValidBefore {
            return "not valid before \(certificate.notValidBefore)"
        }
        return nil
    }

    /// The first critical extension that is unknown.
    private static func unknownExtension(_ chain: [Certificate]) -> String? {
        let known =
            RFC5280Policy().verifyingCriticalExtensions
            + ServerChainPolicy().verifyingCriticalExtensions
        for certificate in chain {
            if let other = certificate.extensions.first(where: {
                $0.critical && !known.contains($0.oid)
            }) {
                return "\(other.oid)"
            }
        }
        return nil
    }

    private static func name(_ certificate: Certificate) -> String {
        "\(certificate.subject)".readable(most: 200)
    }

    /// The maximum number of a server's certificates that are inspected besides its own.
    private static let maximumChain = 16

    /// Signatures that the library verifies.
    private static let known: Set<Certificate.SignatureAlgorithm> = [
        .ecdsaWithSHA256, .ecdsaWithSHA384, .ecdsaWithSHA512, .sha1WithRSAEncryption,
        .sha256WithRSAEncryption, .sha384WithRSAEncryption, .sha512WithRSAEncryption, .ed25519,
    ]
}

/// The chains that were accepted lately, each with the seconds in which that holds.
private final class AcceptedChains: Sendable {
    private struct Chain: Hashable {
        var certificates: [[UInt8]]
        var host: HostName
    }

    private let chains = Mutex<[Chain: ClosedRange<Int64>]>([:])

    /// Seconds for which a chain is not judged again.
    static let lifetime: Int64 = 60
    /// Chains that are kept: more than a client's hosts.
    private static let most = 64
    /// Bytes of a chain that is kept.
    private static let longest = 1 << 15

    func contains(_ certificates: [[UInt8]], _ host: HostName, _ now: Int64) -> Bool {
        let chain = Chain(certificates: certificates, host: host)
        return chains.withLock { $0[chain]?.contains(now) ?? false }
    }

    func insert(_ certificates: [[UInt8]], _ host: HostName, _ seconds: ClosedRange<Int64>) {
        guard certificates.reduce(0, { $0 + $1.count }) <= Self.longest else { return }
        let chain = Chain(certificates: certificates, host: host)
        chains.withLock { chains in
            if chains.count >= Self.most { chains = [:] }
            chains[chain] = seconds
        }
    }
}

/// The requirements on a server's chain besides those of RFC 5280 on every chain: it is for
/// servers, and signed by certificates that may sign.
struct ServerChainPolicy: VerifierPolicy {
    /// subjectAltName and extKeyUsage are checked; certificate policies do not apply where none is
    /// required.
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [
        [2, 5, 29, 17], [2, 5, 29, 37], [2, 5, 29, 32], [2, 5, 29, 36], [2, 5, 29, 54],
    ]

    func chainMeetsPolicyRequirements(
        chain: UnverifiedCertificateChain
    ) -> PolicyEvaluationResult {
        guard let refusal = Self.refusal(Array(chain)) else { return .meetsPolicy }
        return .failsToMeetPolicy(reason: refusal)
    }

    /// Why a chain, the server's certificate first and the trusted one last, is not for a server.
    static func refusal(_ chain: [Certificate]) -> String? {
        for (place, certificate) in chain.enumerated() {
            let isTrusted = place == chain.count - 1
            let whose = place == 0 ? "it" : "its authority \(certificate.subject)"
            if !isTrusted || place == 0, !mayServe(certificate) {
                return "\(whose.readable(most: 200)) is not for servers (extKeyUsage)"
            }
            if !isTrusted, isSignedWithSHA1(certificate) {
                return weakSignature(whose.readable(most: 200))
            }
            if place > 0, !maySign(certificate) {
                return "\(whose.readable(most: 200)) may not sign certificates (keyUsage)"
            }
        }
        return nil
    }

    /// Whether a signature is one by SHA-1, for which another certificate can be made.
    static func isSignedWithSHA1(_ certificate: Certificate) -> Bool {
        certificate.signatureAlgorithm == .sha1WithRSAEncryption
    }

    /// Whether a certificate, in DER, is signed by ECDSA with SHA-1 (RFC 3279, 2.2.3), which the library
    /// does not read.
    static func isSignedWithSHA1(der: [UInt8]) -> Bool {
        der.firstRange(of: [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x01]) != nil
    }

    static func weakSignature(_ whose: String) -> String {
        "\(whose) is signed with SHA-1, which can be forged"
    }

    private static func mayServe(_ certificate: Certificate) -> Bool {
        guard let extensions = try? certificate.extensions.extendedKeyUsage else {
            // None, or one that cannot be read.
            return certificate.extensions[oid: [2, 5, 29, 37]] == nil
        }
        return extensions.contains(.serverAuth) || extensions.contains(.any)
    }

    private static func maySign(_ certificate: Certificate) -> Bool {
        guard let usage = try? certificate.extensions.keyUsage else {
            return certificate.extensions[oid: [2, 5, 29, 15]] == nil
        }
        return usage.keyCertSign
    }
}
