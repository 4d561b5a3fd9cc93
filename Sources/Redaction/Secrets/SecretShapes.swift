/// Finds what looks like a secret in text, whatever it is called.
///
/// One pass without backtracking, apart from the user's own expressions.
struct SecretShapes {
    /// Something found.
    struct Match: Hashable {
        /// Its place in the text.
        var range: Range<Int>
        /// What it looks like.
        var kind: SecretKind
    }

    /// The maximum number of bytes of a text on which the user's expressions run.
    ///
    /// They may take time quadratic in it: 1 MiB.
    static let longestForExpressions = 1 << 20
    /// The maximum number of bytes of an address, RFC 5321, 4.5.3.1: 254; of a name before a value:
    /// 64.
    private static let longestAddress = 254
    private static let longestName = 64

    private let expressions: [Regex<AnyRegexOutput>]
    private let places: RedactionPlaces

    init(_ expressions: [Regex<AnyRegexOutput>], _ places: RedactionPlaces) {
        self.expressions = expressions
        self.places = places
    }

    /// What is found in `text`, ascending, not overlapping.
    func find(in text: [UInt8]) -> [Match] {
        var found: [Match] = []
        var position = 0
        func add(_ range: Range<Int>, _ kind: SecretKind) {
            guard !range.isEmpty else { return }
            // A value in which an address was found already is a secret as a whole.
            while let last = found.last, last.range.lowerBound >= range.lowerBound {
                found.removeLast()
            }
            guard (found.last?.range.upperBound ?? 0) <= range.lowerBound else { return }
            found.append(Match(range: range, kind: kind))
            position = max(position, range.upperBound)
        }
        while position < text.count {
            let start = position
            position += 1
            switch text[start] {
            case 0x40: if let range = Self.address(text, around: start) { add(range, .email) }
            case 0x3D, 0x3A:
                if let (range, kind) = value(text, after: start) { add(range, kind) }
            case UInt8(ascii: "e"), UInt8(ascii: "A"), UInt8(ascii: "g"), UInt8(ascii: "x"),
                UInt8(ascii: "s"), UInt8(ascii: "r"):
                guard start == 0 || !Self.isWord(text[start - 1]) else { continue }
                if text[start...].starts(with: "eyJ".utf8) {
                    let (end, isToken) = Self.webToken(text, from: start)
                    if isToken { add(start..<end, .token) }
                    // No token begins inside of what is none.
                    position = max(position, end)
                } else if let range = Self.key(text, from: start) {
                    add(range, .token)
                }
            case UInt8(ascii: "B"), UInt8(ascii: "b"):
                guard start == 0 || !Self.isWord(text[start - 1]) else { continue }
                if let range = Self.bearer(text, from: start) { add(range, .token) }
            case 0x2D: if let range = Self.privateKey(text, from: start) { add(range, .privateKey) }
            default: continue
            }
        }
        return expressions.isEmpty ? found : merge(found, own(text))
    }

    // MARK: Addresses

    private static func address(_ text: [UInt8], around at: Int) -> Range<Int>? {
        var start = at
        while start > 0, at - start < 64, isLocal(text[start - 1]) { start -= 1 }
        while start < at, text[start] == 0x2E { start += 1 }
        guard start < at else { return nil }
        var end = at + 1
        while end < text.count, end - at < longestAddress, isHost(text[end]) { end += 1 }
        // Back to the last label of letters: what follows is not part of the name of a host.
        while end > at + 1 {
            while end > at + 1, text[end - 1] == 0x2E || text[end - 1] == 0x2D { end -= 1 }
            guard let dot = text[at + 1..<end].lastIndex(of: 0x2E) else { return nil }
            let label = text[dot + 1..<end]
            if label.count >= 2, label.allSatisfy(isLetter), dot > at + 1 { return start..<end }
            end = dot
        }
        return nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func isWord(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte) || byte == 0x5F || byte >= 0x80
    }
    private static func isLocal(_ byte: UInt8) -> Bool {
        isWord(byte) || [0x2E, 0x2B, 0x2D].contains(byte)
    }
    private static func isHost(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2E
    }

    // MARK: Values behind names

    /// The value after the `=` or `:` at `mark`, where the name before it is that of a token or
    /// password.
    private func value(_ text: [UInt8], after mark: Int) -> (Range<Int>, SecretKind)? {
        var end = mark
        while end > 0, [0x20, 0x22, 0x27].contains(text[end - 1]) { end -= 1 }
        var start = end
        while start > 0, end - start <= Self.longestName,
            Self.isWord(text[start - 1]) || text[start - 1] == 0x2D
        { start -= 1 }
        guard start < end, text[start] < 0x80 else { return nil }
        let name = text[start..<end]
        let kind = places.kind(.member, name) ?? places.kind(.element, name)
        // A name in quotes is that of a member, whatever is around it.
        let isMember = text[mark] == 0x3A && end < mark && text[end] == 0x22
        guard let kind, isMember || kind == .token || kind == .password || kind == .pattern else {
            return nil
        }
        var first = mark + 1
        while first < text.count, [0x20, 0x22, 0x27].contains(text[first]) { first += 1 }
        // An address, or nothing.
        guard first < text.count, text[first] != 0x2F else { return nil }
        // The ellipsis of a quotation is not part of it.
        let ends: [UInt8] =
            isMember && text[first - 1] == 0x22
            ? [0x22, 0x5C, 0x0A, 0xE2]
            : [
                0x22, 0x26, 0x27, 0x3B, 0x3C, 0x3E, 0x5C, 0x29, 0x7D, 0x2C, 0x20, 0x09, 0x0A, 0x0D,
                0xE2,
            ]
        let cut = text[first...].firstIndex { ends.contains($0) } ?? text.count
        guard isMember ? cut > first : cut - first >= 4 else { return nil }
        let word = String(decoding: text[first..<cut], as: UTF8.self).lowercased()
        guard !["basic", "bearer", "digest", "token", "null", "true", "false"].contains(word) else {
            return nil
        }
        return (first..<cut, kind)
    }

    // MARK: Keys and tokens

    private struct Prefix {
        var text: [UInt8]
        var least: Int

        init(_ text: String, _ least: Int) {
            self.text = Array(text.utf8)
            self.least = least
        }
    }

    /// What keys of well-known services begin with, and how many characters follow at least.
    private static let prefixes = [
        Prefix("AKIA", 16), Prefix("ASIA", 16), Prefix("AIza", 35), Prefix("ghp_", 30),
        Prefix("gho_", 30), Prefix("ghs_", 30), Prefix("ghu_", 30), Prefix("ghr_", 30),
        Prefix("github_pat_", 30), Prefix("glpat-", 20), Prefix("xoxb-", 20), Prefix("xoxp-", 20),
        Prefix("xoxa-", 20), Prefix("xoxr-", 20), Prefix("xoxs-", 20), Prefix("sk_live_", 16),
        Prefix("rk_live_", 16),
    ]

    private static func key(_ text: [UInt8], from start: Int) -> Range<Int>? {
        for prefix in prefixes where text[start...].starts(with: prefix.text) {
            var end = start + prefix.text.count
            while end < text.count, isWord(text[end]) || text[end] == 0x2D { end += 1 }
            if end - start - prefix.text.count >= prefix.least { return start..<end }
        }
        return nil
    }

    /// A JSON web token: three parts of base64url, the last of which may be empty (RFC 7515).
    private static func webToken(
        _ text: [UInt8], from start: Int
    ) -> (end: Int, isToken: Bool) {
        var end = start
        var dots = 0
        while end < text.count, text[end] < 0x80 {
            if text[end] == 0x2E {
                guard dots < 2 else { break }
                dots += 1
            } else if !isWord(text[end]), text[end] != 0x2D {
                break
            }
            end += 1
        }
        return (end, dots == 2 && end - start >= 20)
    }

    private static func bearer(_ text: [UInt8], from start: Int) -> Range<Int>? {
        let scheme = text[start...].prefix(7)
        let word = String(decoding: scheme, as: UTF8.self).lowercased()
        let size = word == "bearer " ? 7 : word.hasPrefix("basic ") ? 6 : 0
        guard size > 0 else { return nil }
        let first = start + size
        var end = first
        while end < text.count, text[end] < 0x80,
            isWord(text[end]) || [0x2B, 0x2D, 0x2E, 0x2F, 0x3D, 0x7E].contains(text[end])
        { end += 1 }
        while end > first, text[end - 1] == 0x2E { end -= 1 }
        if size == 6 {
            guard let plain = Base64Text(Array(text[first..<end])), plain.bytes.contains(0x3A)
            else {
                return nil
            }
        }
        return end - first >= 8 ? first..<end : nil
    }

    // MARK: Private keys

    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)
    private static let mark = Array("PRIVATE KEY-----".utf8)

    /// What is between the lines that begin and end a private key (RFC 7468).
    private static func privateKey(_ text: [UInt8], from start: Int) -> Range<Int>? {
        guard text[start...].starts(with: begin) else { return nil }
        let line = text[start...].prefix(64)
        let ending = line.indices.first { line[$0...].starts(with: mark) }
        guard let first = ending.map({ $0 + mark.count }) else { return nil }
        var last = first
        while last < text.count, !(text[last] == 0x2D && text[last...].starts(with: end)) {
            last += 1
        }
        return first..<last
    }

    // MARK: The user's own

    private func own(_ text: [UInt8]) -> [Match] {
        guard text.count <= Self.longestForExpressions,
            String(validating: text, as: UTF8.self) != nil
        else { return [] }
        let string = String(decoding: text, as: UTF8.self)
        var found: [Match] = []
        for expression in expressions {
            for match in string.matches(of: expression) where !match.range.isEmpty {
                let range =
                    string.utf8.distance(
                        from: string.startIndex, to: match.range.lowerBound)..<string.utf8.distance(
                        from: string.startIndex, to: match.range.upperBound)
                found.append(Match(range: range, kind: .pattern))
            }
        }
        return found
    }

    /// Both together; of those that overlap the first and longest.
    private func merge(_ a: [Match], _ b: [Match]) -> [Match] {
        let all = (a + b).sorted {
            ($0.range.lowerBound, -$0.range.count) < ($1.range.lowerBound, -$1.range.count)
        }
        var result: [Match] = []
        for match in all {
            let end = result.last?.range.upperBound ?? 0
            guard match.range.upperBound > end else { continue }
            if match.range.lowerBound >= end {
                result.append(match)
            } else {
                result.append(Match(range: end..<match.range.upperBound, kind: match.kind))
            }
        }
        return result
    }
}
