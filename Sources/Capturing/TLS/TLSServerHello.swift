/// What a server chose of what its client offered.
///
/// Source: RFC 8446, 4.1.3; RFC 5246, 7.4.1.3.
struct TLSServerHello: Hashable, Sendable {
    /// What the server chose at random, 32 bytes.
    var random: [UInt8]
    /// The session that is resumed, or in TLS 1.3 what the client sent.
    var sessionID: [UInt8]
    /// The version that is used.
    var version: UInt16
    /// The cipher suite, as IANA numbers it.
    var suite: UInt16
    /// Whether records are compressed, which only versions before TLS 1.3 support.
    var isCompressed: Bool
    /// The application protocol chosen; TLS 1.3 sends it later and encrypted.
    var applicationProtocol: String?
    /// Whether CBC records are authenticated after their encryption (RFC 7366).
    var encryptsThenAuthenticates: Bool
    /// Whether a session of TLS 1.3 is resumed.
    var takesPreSharedKey: Bool

    /// Whether this requests another hello of the client, and chooses nothing yet.
    var isRetryRequest: Bool { random == Self.retryRandom }

    /// Reads the body of a message, nil where it is cut short.
    init?(_ body: [UInt8]) {
        var cursor = TLSCursor(body[...])
        guard let version = cursor.number(2), let random = cursor.bytes(32),
            let sessionID = cursor.vector(1), let suite = cursor.number(2),
            let compression = cursor.number(1), let extensions = cursor.extensions()
        else { return nil }
        self.random = Array(random)
        self.sessionID = Array(sessionID)
        self.suite = UInt16(truncatingIfNeeded: suite)
        isCompressed = compression != 0
        var chosen = TLSCursor(extensions[TLSExtension.supportedVersions] ?? [])
        self.version = UInt16(truncatingIfNeeded: chosen.number(2) ?? version)
        applicationProtocol = TLSCursor.protocols(extensions[TLSExtension.protocols]).first
        encryptsThenAuthenticates = extensions[TLSExtension.encryptThenMAC] != nil
        takesPreSharedKey = extensions[TLSExtension.preSharedKey] != nil
    }

    /// SHA-256 of `HelloRetryRequest`.
    private static let retryRandom: [UInt8] = [
        0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8,
        0x91, 0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8,
        0x33, 0x9C,
    ]
}
