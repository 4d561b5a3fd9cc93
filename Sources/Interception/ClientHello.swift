/// The first message of a TLS client, as far as it decides how the client is answered.
///
/// Source: RFC 8446, 4.1.2; the server name RFC 6066, 3; ALPN RFC 7301, 3.1.
public struct ClientHello: Hashable, Sendable {
    /// Largest handshake message that is read, in bytes.
    ///
    /// Real ones have a few hundred, with post-quantum key shares about two thousand.
    public static let limit = 1 << 16

    /// What the first bytes of a stream turned out to be.
    public enum Result: Hashable, Sendable {
        /// They may become a client's first message: more are needed.
        case needMore
        /// They are not TLS.
        case notTLS
        /// They are TLS until `offset`, in bytes from the start of the stream.
        case malformed(offset: Int, reason: String)
        /// The whole message is there.
        case hello(ClientHello)
    }

    /// Version of the first record, `0x0301` in most clients whatever version they use.
    public var recordVersion: UInt16
    /// Versions offered, the client's favourite first: `0x0304` is TLS 1.3, `0x0303` TLS 1.2.
    public var versions: [UInt16]
    /// Cipher suites offered, the client's favourite first, as IANA numbers them.
    public var cipherSuites: [UInt16]
    /// The server name that the client requests; nil for none.
    ///
    /// Printable ASCII: any other byte, and a backslash, is written as `\xNN`. May be empty.
    public var serverName: String?
    /// Application protocols offered, the client's favourite first, as ``serverName`` is written.
    public var protocols: [String]
    /// Whether the client sent an encrypted second hello, which ``serverName`` may then not match.
    public var hasEncryptedHello: Bool

    /// A hello with these values.
    public init(
        recordVersion: UInt16 = 0x0301, versions: [UInt16], cipherSuites: [UInt16],
        serverName: String? = nil, protocols: [String] = [], hasEncryptedHello: Bool = false
    ) {
        self.recordVersion = recordVersion
        self.versions = versions
        self.cipherSuites = cipherSuites
        self.serverName = serverName
        self.protocols = protocols
        self.hasEncryptedHello = hasEncryptedHello
    }

    /// What the client offers, as one line of text.
    public var detail: String {
        var parts: [String] = []
        let named = versions.filter { !Self.isGrease($0) }.map(Self.name(version:))
        parts.append(named.isEmpty ? "no version" : named.joined(separator: ", "))
        parts.append(serverName.map { "server name \($0)" } ?? "no server name")
        if !protocols.isEmpty { parts.append("ALPN \(protocols.joined(separator: ", "))") }
        let suites = cipherSuites.filter { !Self.isGrease($0) }
        parts.append("\(suites.count) cipher suite\(suites.count == 1 ? "" : "s")")
        return parts.joined(separator: "; ")
    }

    /// The name of a protocol version.
    static func name(version: UInt16) -> String {
        switch version {
        case 0x0300: "SSL 3.0"
        case 0x0301: "TLS 1.0"
        case 0x0302: "TLS 1.1"
        case 0x0303: "TLS 1.2"
        case 0x0304: "TLS 1.3"
        default: "version 0x\(String(version, radix: 16))"
        }
    }

    /// Whether `value` is one of the meaningless numbers of RFC 8701.
    static func isGrease(_ value: UInt16) -> Bool {
        value & 0x0F0F == 0x0A0A && value >> 8 == value & 0xFF
    }
}
