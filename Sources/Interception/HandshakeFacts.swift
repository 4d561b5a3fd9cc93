internal import Crypto
internal import SwiftASN1
internal import Synchronization
internal import X509

/// What a TLS handshake agreed on, as far as the server's first message has it in the clear.
///
/// Source: RFC 8446, 4.1.3; RFC 5246, 7.4.1.3.
public struct HandshakeFacts: Hashable, Sendable {
    /// Bytes of the server that are kept until its first message is read, at most: with
    /// HelloRetryRequest there are two.
    private static let most = 1 << 13

    private var held: [UInt8] = []
    private var isOver = false
    /// The version, such as `TLS 1.3`; nil while it is unknown.
    public private(set) var version: String?
    /// The cipher suite as IANA names it; nil while it is unknown.
    public private(set) var cipher: String?

    /// Nothing yet.
    public init() {}

    /// Takes what the server sent, before it is decrypted.
    public mutating func consume(_ bytes: borrowing Span<UInt8>) {
        guard !isOver else { return }
        for index in bytes.indices where held.count < Self.most { held.append(bytes[index]) }
        read()
        if held.count >= Self.most { stop() }
    }

    private mutating func stop() {
        isOver = true
        held = []
    }

    /// Reads the records that are whole, up to the message that says it.
    private mutating func read() {
        while held.count >= 5, !isOver {
            let length = Int(held[3]) << 8 | Int(held[4])
            // A change of cipher may stand between two hellos (RFC 8446, D.4).
            guard held[0] == 0x16 || held[0] == 0x14 else { return stop() }
            guard held.count >= 5 + length else { return }
            if held[0] == 0x16 { hello(Array(held[5..<5 + length])) }
            if !isOver { held.removeFirst(5 + length) }
        }
    }

    /// Reads a ServerHello at the start of a record.
    private mutating func hello(_ message: [UInt8]) {
        guard message.count >= 39, message[0] == 2 else { return stop() }
        var version = Int(message[4]) << 8 | Int(message[5])
        let isRetry = message[6..<38].elementsEqual(Self.retry)
        let after = 39 + Int(message[38])
        guard message.count >= after + 3, !isRetry else { return isRetry ? () : stop() }
        let suite = Int(message[after]) << 8 | Int(message[after + 1])
        var place = after + 5
        while place + 4 <= message.count {
            let kind = Int(message[place]) << 8 | Int(message[place + 1])
            let length = Int(message[place + 2]) << 8 | Int(message[place + 3])
            if kind == 43, length == 2, place + 6 <= message.count {
                version = Int(message[place + 4]) << 8 | Int(message[place + 5])
            }
            place += 4 + length
        }
        self.version = ClientHello.name(version: UInt16(truncatingIfNeeded: version))
        cipher = Self.names[suite] ?? "0x" + String(suite, radix: 16)
        stop()
    }

    /// The random number of a HelloRetryRequest: SHA-256 of its name.
    private static let retry: [UInt8] = [
        0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8,
        0x91, 0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8,
        0x33, 0x9C,
    ]

    /// The suites that the TLS library knows.
    private static let names: [Int: String] = [
        0x1301: "TLS_AES_128_GCM_SHA256", 0x1302: "TLS_AES_256_GCM_SHA384",
        0x1303: "TLS_CHACHA20_POLY1305_SHA256",
        0xC009: "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
        0xC00A: "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
        0xC013: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
        0xC014: "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
        0xC02B: "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
        0xC02C: "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
        0xC02F: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        0xC030: "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        0xCCA8: "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
        0xCCA9: "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
        0x002F: "TLS_RSA_WITH_AES_128_CBC_SHA", 0x0035: "TLS_RSA_WITH_AES_256_CBC_SHA",
        0x009C: "TLS_RSA_WITH_AES_128_GCM_SHA256", 0x009D: "TLS_RSA_WITH_AES_256_GCM_SHA384",
    ]
}

/// A certificate that a peer showed, in words.
public enum ShownCertificate {
    /// Its subject, and the SHA-256 of its bytes with colons.
    ///
    /// - Parameter der: The certificate; hostile.
    /// - Returns: The two; the subject is empty where it cannot be read.
    public static func words(_ der: [UInt8]) -> (subject: String, fingerprint: String) {
        if let known = known.withLock({ $0[der] }) { return known }
        let subject =
            (try? Certificate(derEncoded: der)).map { "\($0.subject)".readable(most: 200) } ?? ""
        let digits = SHA256.hash(data: der).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        let words = (subject, digits.joined(separator: ":"))
        guard der.count <= longest else { return words }
        known.withLock { known in
            if known.count >= most { known = [:] }
            known[der] = words
        }
        return words
    }

    /// The words for certificates that were shown before: a server shows the same one each time.
    private static let known = Mutex<[[UInt8]: (subject: String, fingerprint: String)]>([:])
    private static let most = 64
    /// Bytes of a certificate that is kept.
    private static let longest = 1 << 13
}
