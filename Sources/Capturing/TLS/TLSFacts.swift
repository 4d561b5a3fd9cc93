/// What the handshake of a connection shows to who only listens.
public struct TLSFacts: Hashable, Sendable {
    /// The server name that the client requests; nil where there is none or its hello was not
    /// captured.
    ///
    /// Printable ASCII: any other byte, and a backslash, is written as `\xNN`.
    public var serverName: String?
    /// Application protocols that the client offers, its favourite first.
    public var offeredProtocols: [String] = []
    /// The one that the server chose; nil where it chose none, or sent it encrypted.
    public var applicationProtocol: String?
    /// The version chosen, `0x0303` is TLS 1.2; nil where the server's hello was not captured.
    public var version: UInt16?
    /// The cipher suite chosen, as IANA numbers it.
    public var suite: UInt16?
    /// Whether the session of an earlier connection is resumed.
    public var isResumed = false
    /// Whether the server requested a second hello.
    public var wasRetried = false
    /// Whether the client sends data before the server answers (0-RTT).
    public var offersEarlyData = false
    /// Whether the server takes that data; nil where its answer was not read.
    public var takesEarlyData: Bool?
    /// Whether the client sent an encrypted second hello, which ``serverName`` may then not match.
    public var hasEncryptedHello = false
    /// Whether the server's later messages could be read, so that ``applicationProtocol`` is sure.
    public var isComplete = false

    /// Nothing is known.
    public init() {}

    /// As one line of text, which begins as the proxy's event rows of TLS do.
    public var detail: String {
        var parts: [String] = []
        if let serverName { parts.append("server name \(serverName)") }
        if let applicationProtocol {
            parts.append("ALPN \(applicationProtocol)")
        } else if !offeredProtocols.isEmpty {
            let offered = "ALPN offered \(offeredProtocols.joined(separator: " "))"
            parts.append(isComplete ? "\(offered), none chosen" : offered)
        }
        if let version { parts.append(Self.name(version: version)) }
        if let suite { parts.append(TLSCipherSuite.name(suite)) }
        if isResumed { parts.append("resumed") }
        if wasRetried { parts.append("hello retried") }
        if offersEarlyData {
            let outcome = takesEarlyData.map { $0 ? "accepted" : "refused" } ?? "offered"
            parts.append("early data \(outcome)")
        }
        if hasEncryptedHello { parts.append("encrypted hello offered") }
        return parts.isEmpty ? "handshake not captured" : parts.joined(separator: ", ")
    }

    /// The name of a protocol version.
    package static func name(version: UInt16) -> String {
        switch version {
        case 0x0300: "SSL 3.0"
        case 0x0301: "TLS 1.0"
        case 0x0302: "TLS 1.1"
        case 0x0303: "TLS 1.2"
        case 0x0304: "TLS 1.3"
        default: "TLS version 0x\(String(version, radix: 16))"
        }
    }
}
