import Notation

/// The identifiers of the recorded client and server, with the live ones for them.
///
/// One for each played client; its HTTP requests and its sockets share it. All synthesized
/// identifiers derive from the seed, so that a seed repeats a run.
public struct ReplayIdentity: Sendable {
    /// What an identifier names; identifiers of different kinds are apart from each other.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// An access token that a server gave out.
        case token
        /// The name of a user.
        case user
        /// A server's identifier of a user.
        case userID
        /// The sync token of a restore.
        case syncToken
        /// The identifier of a filled form.
        case instanceID
        /// The identifier of a case.
        case caseID
        /// The identifier of a device.
        case deviceID
        /// The identifier of a Simperium client.
        case clientID
        /// The identifier of a Simperium change.
        case ccid
        /// The key of a Simperium object; where keys of several buckets differ, `BUCKET/KEY`.
        case objectKey
        /// The version of a Simperium object, as `OBJECT/VERSION`.
        case version
        /// The version that a Simperium bucket has after a change (`cv`).
        case changeVersion
        /// The value of a cookie, as `NAME=VALUE`.
        case cookie
        /// What a conditional request names: an entity tag or a time.
        case validator

        /// Whether it is replaced wherever a text mentions it.
        var isMentioned: Bool {
            switch self {
            case .token, .user, .userID, .syncToken, .instanceID, .caseID, .deviceID, .clientID,
                .ccid, .objectKey:
                true
            case .version, .changeVersion, .cookie, .validator: false
            }
        }
    }

    private struct Names {
        var live: [String: String] = [:]
        var recorded: [String: String] = [:]
    }

    /// Whether everything keeps its recorded name.
    public let isVerbatim: Bool
    private var kinds: [Kind: Names] = [:]
    private var mentions = MentionTable()
    private var numbers: SplitMix64
    /// Counts what was bound otherwise than before.
    private(set) var revision = 0

    /// An identity in which nothing is bound yet.
    ///
    /// - Parameters:
    ///   - seed: The random seed of all synthesized identifiers.
    ///   - isVerbatim: Whether everything keeps its recorded name; nothing is bound then.
    public init(seed: UInt64, isVerbatim: Bool = false) {
        self.isVerbatim = isVerbatim
        numbers = SplitMix64(seed: seed)
    }

    /// The live name; nil where none is bound.
    ///
    /// A verbatim identity gives the recorded one.
    public func live(_ kind: Kind, _ recorded: String) -> String? {
        isVerbatim ? recorded : kinds[kind]?.live[recorded]
    }

    /// The recorded name; nil where none is bound.
    ///
    /// A verbatim identity returns the live one.
    public func recorded(_ kind: Kind, _ live: String) -> String? {
        isVerbatim ? live : kinds[kind]?.recorded[live]
    }

    /// Binds `live` to `recorded` from now on; a verbatim identity ignores it.
    public mutating func bind(_ kind: Kind, recorded: String, live: String) {
        guard !isVerbatim else { return }
        let before = kinds[kind]?.live[recorded]
        guard before != live else { return }
        revision += 1
        kinds[kind, default: Names()].live[recorded] = live
        kinds[kind, default: Names()].recorded[live] = recorded
        guard kind.isMentioned, before != nil || recorded != live else { return }
        mentions.set(recorded, to: live, isUser: kind == .user)
    }

    /// The live name, which is synthesized and bound where there is none.
    ///
    /// A synthesized name has the form of the recorded one: a UUID, hexadecimal digits, or the
    /// recorded name with a suffix. A verbatim identity returns the recorded one.
    public mutating func fresh(_ kind: Kind, for recorded: String) -> String {
        if let known = live(kind, recorded) { return known }
        // Servers sort by these, and what is sorted is compared in its order.
        let isSorted = kind == .caseID || kind == .objectKey
        let made = makeName(like: recorded, keepsOrder: isSorted)
        bind(kind, recorded: recorded, live: made)
        return made
    }

    /// `text` with the live names in place of the recorded ones; nil where that changes nothing.
    ///
    /// A name counts where no letter or digit is next to it; short ones need more distance, and
    /// names of users count only after the word `username`.
    public func translated(_ text: [UInt8]) -> [UInt8]? {
        isVerbatim ? nil : mentions.replace(in: text)
    }

    /// `text` with the live names in place of the recorded ones.
    public func translated(_ text: String) -> String {
        guard !mentions.isEmpty, let bytes = translated(Array(text.utf8)) else { return text }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Making up

    /// The next number of the seed.
    public mutating func next() -> UInt64 { numbers.next() }

    /// A new name that looks like `recorded`, bound to nothing.
    ///
    /// - Parameters:
    ///   - recorded: The recorded name.
    ///   - keepsOrder: Whether new names sort as the recorded ones do: their first half stays.
    /// - Returns: The name.
    public mutating func makeName(like recorded: String, keepsOrder: Bool = false) -> String {
        var bytes = Array(recorded.utf8)
        guard let range = Self.digits(of: bytes) else { return recorded + "-" + hexadecimal(12) }
        let kept = keepsOrder ? range.count / 2 : 0
        var digits = Array(hexadecimal(range.count).utf8)
        let isUpper = bytes[range].contains { 0x41...0x46 ~= $0 }
        let hasDashes = bytes[range].contains(0x2D)
        for (place, index) in range.enumerated() where place >= kept {
            if bytes[index] == 0x2D { digits[place] = 0x2D }
            // A UUID of version 4, variant 1 (RFC 9562, 5.4), as the recorded one may have been.
            if hasDashes, place == 14 { digits[place] = 0x34 }
            if hasDashes, place == 19 { digits[place] = Array("89ab".utf8)[Int(digits[place] & 3)] }
            if isUpper, digits[place] >= 0x61 { digits[place] &= 0xDF }
            bytes[index] = digits[place]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The ranges of UUIDs and runs of at least 16 hexadecimal digits.
    private static func digits(of bytes: [UInt8]) -> Range<Int>? {
        var start = 0
        while start < bytes.count {
            let end =
                bytes[start...].firstIndex { Hexadecimal.digit($0) == nil && $0 != 0x2D }
                ?? bytes.count
            let run = bytes[start..<end]
            if run.count == 36, [8, 13, 18, 23].allSatisfy({ run[start + $0] == 0x2D }),
                run.count(where: { $0 == 0x2D }) == 4
            {
                return start..<end
            }
            if run.count >= 16, !run.contains(0x2D) { return start..<end }
            start = end + 1
        }
        return nil
    }

    private mutating func hexadecimal(_ count: Int) -> String {
        var text = ""
        while text.utf8.count < count {
            text += Hexadecimal.text(next(), digits: 16)
        }
        return String(text.prefix(count))
    }
}
