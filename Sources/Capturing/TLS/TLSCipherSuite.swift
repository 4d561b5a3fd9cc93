import Notation

/// A cipher suite whose records can be decrypted.
///
/// Source: the IANA registry of TLS cipher suites.
struct TLSCipherSuite: Hashable, Sendable {
    /// What records are encrypted with.
    enum Cipher: Hashable, Sendable {
        /// AES with a key of so many bytes, in Galois/counter mode.
        case aesGCM(keyCount: Int)
        /// ChaCha20 with Poly1305.
        case chaCha
        /// AES with a key of so many bytes in CBC mode, authenticated with HMAC.
        case aesCBC(keyCount: Int, TLSHash)
    }

    /// The name that IANA has for it.
    var name: String
    /// What records are encrypted with.
    var cipher: Cipher
    /// The hash that keys are derived with.
    var hash: TLSHash

    /// Bytes of a key.
    var keyCount: Int {
        switch cipher {
        case .aesGCM(let count), .aesCBC(let count, _): count
        case .chaCha: 32
        }
    }

    /// The suite with this number, nil where its records cannot be decrypted.
    init?(_ number: UInt16) {
        guard let suite = Self.all[number] else { return nil }
        self = suite
    }

    /// The name of the suite with this number.
    static func name(_ number: UInt16) -> String {
        all[number]?.name ?? others[number]
            ?? "cipher suite 0x" + Hexadecimal.text(number, digits: 4)
    }

    private init(_ name: String, _ cipher: Cipher, _ hash: TLSHash = .sha256) {
        self.name = name
        self.cipher = cipher
        self.hash = hash
    }

    /// All that can be decrypted, by number.
    private static let all: [UInt16: TLSCipherSuite] = {
        var all: [UInt16: TLSCipherSuite] = [
            0x1301: .init("TLS_AES_128_GCM_SHA256", .aesGCM(keyCount: 16)),
            0x1302: .init("TLS_AES_256_GCM_SHA384", .aesGCM(keyCount: 32), .sha384),
            0x1303: .init("TLS_CHACHA20_POLY1305_SHA256", .chaCha),
            0xCCA8: .init("TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", .chaCha),
            0xCCA9: .init("TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", .chaCha),
            0xCCAA: .init("TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256", .chaCha),
            0xCCAB: .init("TLS_PSK_WITH_CHACHA20_POLY1305_SHA256", .chaCha),
            0xCCAC: .init("TLS_ECDHE_PSK_WITH_CHACHA20_POLY1305_SHA256", .chaCha),
            0xCCAD: .init("TLS_DHE_PSK_WITH_CHACHA20_POLY1305_SHA256", .chaCha),
            0xCCAE: .init("TLS_RSA_PSK_WITH_CHACHA20_POLY1305_SHA256", .chaCha),
        ]
        // For each key exchange: GCM, then CBC with SHA, then CBC with the longer hashes, each
        // with the shorter key first; 0 where there is none.
        let exchanges: [(name: String, numbers: [UInt16], longHash: TLSHash)] = [
            ("RSA", [0x009C, 0x009D, 0x002F, 0x0035, 0x003C, 0x003D], .sha256),
            ("DHE_RSA", [0x009E, 0x009F, 0x0033, 0x0039, 0x0067, 0x006B], .sha256),
            ("DHE_DSS", [0x00A2, 0x00A3, 0x0032, 0x0038, 0x0040, 0x006A], .sha256),
            ("DH_anon", [0x00A6, 0x00A7, 0x0034, 0x003A, 0x006C, 0x006D], .sha256),
            ("ECDHE_ECDSA", [0xC02B, 0xC02C, 0xC009, 0xC00A, 0xC023, 0xC024], .sha384),
            ("ECDHE_RSA", [0xC02F, 0xC030, 0xC013, 0xC014, 0xC027, 0xC028], .sha384),
            ("PSK", [0x00A8, 0x00A9, 0x008C, 0x008D, 0x00AE, 0x00AF], .sha384),
            ("DHE_PSK", [0x00AA, 0x00AB, 0x0090, 0x0091, 0x00B2, 0x00B3], .sha384),
            ("RSA_PSK", [0x00AC, 0x00AD, 0x0094, 0x0095, 0x00B6, 0x00B7], .sha384),
            ("ECDHE_PSK", [0xD001, 0xD002, 0xC035, 0xC036, 0xC037, 0xC038], .sha384),
        ]
        for (name, numbers, hash) in exchanges {
            let start = "TLS_\(name)_WITH_AES_"
            let long = hash == .sha384 ? "SHA384" : "SHA256"
            let suites = [
                TLSCipherSuite(start + "128_GCM_SHA256", .aesGCM(keyCount: 16)),
                TLSCipherSuite(start + "256_GCM_SHA384", .aesGCM(keyCount: 32), .sha384),
                TLSCipherSuite(start + "128_CBC_SHA", .aesCBC(keyCount: 16, .sha1)),
                TLSCipherSuite(start + "256_CBC_SHA", .aesCBC(keyCount: 32, .sha1)),
                TLSCipherSuite(start + "128_CBC_SHA256", .aesCBC(keyCount: 16, .sha256)),
                TLSCipherSuite(start + "256_CBC_\(long)", .aesCBC(keyCount: 32, hash), hash),
            ]
            for (number, suite) in zip(numbers, suites) { all[number] = suite }
        }
        return all
    }()

    /// Names of some that cannot.
    private static let others: [UInt16: String] = [
        0x0004: "TLS_RSA_WITH_RC4_128_MD5",
        0x0005: "TLS_RSA_WITH_RC4_128_SHA",
        0x000A: "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
        0x1304: "TLS_AES_128_CCM_SHA256",
        0x1305: "TLS_AES_128_CCM_8_SHA256",
        0xC012: "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA",
        0xC09C: "TLS_RSA_WITH_AES_128_CCM",
        0xC09D: "TLS_RSA_WITH_AES_256_CCM",
        0xC0AC: "TLS_ECDHE_ECDSA_WITH_AES_128_CCM",
        0xC0AD: "TLS_ECDHE_ECDSA_WITH_AES_256_CCM",
        0xC0AE: "TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8",
        0xC0AF: "TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8",
    ]
}
