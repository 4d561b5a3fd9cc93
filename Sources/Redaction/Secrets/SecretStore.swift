internal import Trace

/// The secrets of a trace, with the stand-in of each.
///
/// First all are collected, then all are replaced; what is found later than ``freeze()`` gets its
/// stand-in in place.
final class SecretStore {
    /// How far a secret is looked for.
    enum Reach: Int, Comparable {
        /// Where it was found: it is too short, a word of the protocols, or nothing but digits.
        case place
        /// In every value, as a separate word.
        case values
        /// In all bytes.
        case everywhere

        static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    /// The maximum number of different secrets: 200,000.
    static let maxSecrets = 200_000
    /// The maximum number of bytes of all secrets together: 8 MiB; their usual spellings take
    /// several times as much.
    static let maxBytes = 8 << 20
    /// Fewest bytes of a secret that is looked for elsewhere too: 6; of one of digits alone: 8.
    static let shortestWord = 6
    static let shortestNumber = 8
    /// Fewest bytes of a token that is replaced inside words and binary data: 16.
    static let shortestToken = 16

    private var kinds: [[UInt8]: SecretKind] = [:]
    private var bytes = 0
    private var made: [[UInt8]: [UInt8]] = [:]
    private var standIns: StandIns
    private var originals: [[UInt8]: (secret: [UInt8], spelling: Spelling)] = [:]
    private var reaches: [[UInt8]: Reach] = [:]
    private var search = PhraseSearch([])
    private let shapes = SecretShapes([], RedactionPlaces())

    /// A store without secrets, whose stand-ins are made with `key`.
    init(key: [UInt8]) { standIns = StandIns(key: key) }

    /// Number of different secrets.
    var count: Int { kinds.count }

    /// Takes a secret.
    func add(_ secret: [UInt8], _ kind: SecretKind) throws(FileError) {
        guard kinds[secret] == nil else { return }
        guard kinds.count < Self.maxSecrets, bytes + secret.count <= Self.maxBytes else {
            throw FileError(
                .malformed,
                "there are more than \(Self.maxSecrets) secrets or \(Self.maxBytes >> 20) MiB of "
                    + "them, which cannot be kept in memory; leave connections out of the trace")
        }
        kinds[secret] = kind
        bytes += secret.count
    }

    /// Ends the collecting: from now on secrets are found wherever they occur.
    func freeze() {
        for (secret, kind) in kinds {
            let reach = Self.reach(secret, kind)
            guard reach > .place else { continue }
            originals[secret] = (secret, .plain)
            reaches[secret] = reach
        }
        for (secret, reach) in reaches {
            for variant in Spelling.variants(of: secret) where originals[variant.spelled] == nil {
                originals[variant.spelled] = (secret, variant.spelling)
                reaches[variant.spelled] = reach
            }
        }
        search = PhraseSearch(originals.keys)
    }

    /// The stand-in for `secret`.
    func standIn(for secret: [UInt8], _ kind: SecretKind) -> [UInt8] {
        if let known = made[secret] { return known }
        let isEmail = kinds[secret].map { $0 == .email } ?? (kind == .email)
        let made = standIns.make(
            for: secret, isEmail: isEmail || secret.contains(0x40) && isAddress(secret)
        ) { candidate in
            kinds[candidate] != nil
                || candidate.indices.contains {
                    search.longest(in: candidate, at: $0) { $0 != secret } != nil
                }
        }
        self.made[secret] = made
        return made
    }

    private func isAddress(_ secret: [UInt8]) -> Bool {
        shapes.find(in: secret)
            == [SecretShapes.Match(range: 0..<secret.count, kind: .email)]
    }

    // MARK: Elsewhere

    /// Replaces the known secrets in `text` that reach as far as `least`, apart from what is in
    /// `done`, ascending ranges.
    func replace(
        in text: inout [UInt8], least: Reach, apartFrom done: [Range<Int>] = []
    ) {
        guard !search.isEmpty else { return }
        let original = text
        var rest = done[...]
        var place = 0
        while place < original.count {
            if let next = rest.first, place >= next.lowerBound {
                place = max(place, next.upperBound)
                rest = rest.dropFirst()
                continue
            }
            let limit = rest.first?.lowerBound ?? original.count
            let phrase = search.longest(in: original, at: place) {
                place + $0.count <= limit && isFit($0, original, place, least)
            }
            guard let phrase, let (secret, spelling) = originals[phrase] else {
                place += 1
                continue
            }
            let spelled = SpelledText(phrase, spelling)
            let standIn = spelled.spell(standIn(for: secret, kinds[secret] ?? .token))
            text.replaceSubrange(place..<place + phrase.count, with: standIn)
            place += phrase.count
        }
    }

    /// Whether `text` contains a known secret.
    func isIn(_ text: [UInt8]) -> Bool {
        !search.isEmpty
            && text.indices.contains { place in
                search.longest(in: text, at: place) { isFit($0, text, place, .values) } != nil
            }
    }

    /// The maximum number of bytes of the beginning of a secret that are looked for in a quotation:
    /// 512.
    private static let longestBeginning = 512

    /// Replaces what ends at `end` of `text` and is the beginning of a known secret.
    ///
    /// For quotations, which leave out the rest. Fewer than `least` bytes, at least 1, are taken for
    /// nothing.
    func replaceBeginning(in text: inout [UInt8], endingAt end: Int, least: Int = 4) {
        for start in max(0, end - Self.longestBeginning)..<max(0, end - least + 1) {
            guard let phrase = search.phrase(beginningWith: text[start..<end]),
                let (secret, spelling) = originals[phrase]
            else { continue }
            let standIn = SpelledText(phrase, spelling).spell(
                standIn(for: secret, kinds[secret] ?? .token))
            text.replaceSubrange(start..<end, with: standIn.prefix(end - start))
            return
        }
    }

    private func isFit(_ phrase: [UInt8], _ text: [UInt8], _ place: Int, _ least: Reach) -> Bool {
        guard let reach = reaches[phrase], reach >= least else { return false }
        if reach == .everywhere { return true }
        let end = place + phrase.count
        return (place == 0 || !Self.isWord(text[place - 1]))
            && (end == text.count || !Self.isWord(text[end]))
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte >= 0x80
    }

    private static func reach(_ secret: [UInt8], _ kind: SecretKind) -> Reach {
        let isNumber = secret.allSatisfy { (0x30...0x39).contains($0) }
        guard secret.count >= (isNumber ? shortestNumber : shortestWord),
            secret.count <= PhraseSearch.longest,
            !ProtocolWords.all.contains(String(decoding: secret, as: UTF8.self).lowercased())
        else { return .place }
        if kind == .email { return .everywhere }
        // A person's name may be part of other text.
        if kind == .person { return .values }
        let hasDigit = secret.contains { (0x30...0x39).contains($0) }
        let hasLetter = secret.contains { (0x61...0x7A).contains($0 | 0x20) }
        let isToken = secret.count >= shortestToken && hasDigit && hasLetter
        return isToken && !secret.contains(0x20) ? .everywhere : .values
    }
}
