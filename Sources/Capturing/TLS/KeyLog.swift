internal import Wire

/// Secrets of TLS sessions, as browsers and curl write them where `SSLKEYLOGFILE` is set.
///
/// Source: the SSLKEYLOGFILE format (draft-ietf-tls-keylogfile), which began in NSS.
public struct KeyLog: Sendable {
    /// The secrets of one session.
    package struct Secrets: Hashable, Sendable {
        /// The master secret of TLS 1.2, 48 bytes.
        var master: [UInt8]?
        /// What a client of TLS 1.3 encrypts data with that it sends before the server answers.
        var early: [UInt8]?
        /// What the handshake of TLS 1.3 is encrypted with, by sender.
        var handshake: [Peer: [UInt8]] = [:]
        /// What the first application data of TLS 1.3 is encrypted with, by sender.
        var application: [Peer: [UInt8]] = [:]
    }

    /// A line that could not be used.
    public struct Mistake: Hashable, Sendable, CustomStringConvertible {
        /// What the text was called.
        public var source: String
        /// The line, from 1.
        public var line: Int
        /// The error.
        public var reason: String

        /// `SOURCE:LINE: REASON`.
        public var description: String { "\(source):\(line): \(reason)" }
    }

    /// The maximum number of sessions that are kept: 131072, about 60 MB.
    public static let sessionLimit = 1 << 17
    /// Longest line that is read, in bytes: 1024.
    public static let lineLimit = 1024
    /// The maximum number of mistakes that are kept: 20; all are counted.
    public static let mistakeLimit = 20

    /// Sessions by the random of their first hello, 32 bytes.
    private var sessions: [[UInt8]: Secrets] = [:]
    /// The first lines that could not be used, at most ``mistakeLimit``.
    public private(set) var mistakes: [Mistake] = []
    /// Lines that could not be used.
    public private(set) var mistakeCount = 0

    /// No secrets.
    public init() {}

    /// Sessions of which a secret is known.
    public var sessionCount: Int { sessions.count }

    /// The secrets of the session with this client random.
    package subscript(clientRandom: [UInt8]) -> Secrets? { sessions[clientRandom] }

    /// Adds a whole key log; may be called again with another one.
    ///
    /// Comments, empty lines and unused secrets are skipped; an invalid line is counted and listed
    /// in ``mistakes``.
    ///
    /// - Parameters:
    ///   - text: Lines that end with a line feed, perhaps after a carriage return; hostile.
    ///   - source: What to call the text in mistakes: the name of a file, or where it was found.
    public mutating func append(_ text: ArraySlice<UInt8>, from source: String) {
        var number = 0
        for var line in text.split(separator: 0x0A, omittingEmptySubsequences: false) {
            number += 1
            if line.last == 0x0D { line = line.dropLast() }
            guard let reason = take(line) else { continue }
            mistakeCount += 1
            if mistakes.count < Self.mistakeLimit {
                mistakes.append(Mistake(source: source, line: number, reason: reason))
            }
        }
    }

    /// Adds one line; returns its error.
    private mutating func take(_ line: ArraySlice<UInt8>) -> String? {
        guard let first = line.first, first != UInt8(ascii: "#") else { return nil }
        guard line.count <= Self.lineLimit else {
            return "a line of \(line.count) bytes; it may have at most \(Self.lineLimit)"
        }
        let words = line.split(separator: 0x20).map(Array.init)
        guard words.count == 3 else {
            return "\(words.count) words; it has to be LABEL CLIENT-RANDOM SECRET"
        }
        let label = String(decoding: words[0], as: UTF8.self)
        guard let use = Self.uses[label] else {
            return Self.others.contains(label) ? nil : "an unknown label"
        }
        guard let random = Self.bytes(words[1]), random.count == 32 else {
            return "a client random that is not 64 hexadecimal digits"
        }
        guard let secret = Self.bytes(words[2]) else {
            return "a secret that is not hexadecimal"
        }
        let isLong = use == .master ? secret.count == 48 : secret.count == 32 || secret.count == 48
        guard isLong else { return "a secret of \(secret.count) bytes" }
        guard sessions.count < Self.sessionLimit || sessions[random] != nil else {
            return "secrets of more than \(Self.sessionLimit) sessions"
        }
        switch use {
        case .master: sessions[random, default: Secrets()].master = secret
        case .early: sessions[random, default: Secrets()].early = secret
        case .handshake(let peer):
            sessions[random, default: Secrets()].handshake[peer] = secret
        case .application(let peer):
            sessions[random, default: Secrets()].application[peer] = secret
        }
        return nil
    }

    /// What a secret is for.
    private enum Use: Hashable {
        case master
        case early
        case handshake(Peer)
        case application(Peer)
    }

    /// Labels of secrets that are kept.
    private static let uses: [String: Use] = [
        "CLIENT_RANDOM": .master,
        "CLIENT_EARLY_TRAFFIC_SECRET": .early,
        "CLIENT_HANDSHAKE_TRAFFIC_SECRET": .handshake(.client),
        "SERVER_HANDSHAKE_TRAFFIC_SECRET": .handshake(.server),
        "CLIENT_TRAFFIC_SECRET_0": .application(.client),
        "SERVER_TRAFFIC_SECRET_0": .application(.server),
    ]

    /// Labels that are known and not needed.
    private static let others: Set<String> = [
        "EARLY_EXPORTER_SECRET", "EARLY_EXPORTER_MASTER_SECRET",
        "EXPORTER_SECRET", "ECH_SECRET", "ECH_CONFIG", "RSA",
    ]

    /// The bytes of an even number of hexadecimal digits.
    private static func bytes(_ digits: [UInt8]) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digit(digits[index]), let low = digit(digits[index + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The value of one hexadecimal digit.
    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
