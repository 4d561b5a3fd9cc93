internal import Notation

/// Known findings, which are not reported any more.
///
/// A line for each: the rule and a fingerprint of the finding, regardless of its client and
/// numbers. A rule alone stands for all of its findings; text after a number sign is a comment.
package struct FindingBaseline: Sendable {
    /// A line that is not one of a baseline.
    package struct Mistake: Error, Hashable, Sendable {
        /// Its number, from 1 on.
        package let line: Int
    }

    private struct Entry: Hashable {
        var rule: String
        var fingerprint: String?
    }

    private var entries: Set<Entry> = []

    /// One that knows nothing.
    package init() {}

    /// Reads the lines of a baseline.
    ///
    /// - Throws: ``Mistake`` where a line is not one of a baseline.
    package init(parsing text: String) throws(Mistake) {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (number, line) in zip(1..., lines) {
            let words = line.prefix { $0 != "#" }.split { $0.isWhitespace }
            guard let rule = words.first else { continue }
            guard words.count <= 2, rule.contains(".") else { throw Mistake(line: number) }
            entries.insert(
                Entry(rule: String(rule), fingerprint: words.count == 2 ? String(words[1]) : nil))
        }
    }

    /// Whether the finding is known.
    package func knows(_ finding: Finding) -> Bool {
        knows(rule: finding.rule.id, fingerprint: Self.fingerprint(finding))
    }

    /// Whether a finding of this rule and ``fingerprint(_:)`` is known.
    package func knows(rule: String, fingerprint: String) -> Bool {
        entries.contains(Entry(rule: rule, fingerprint: nil))
            || entries.contains(Entry(rule: rule, fingerprint: fingerprint))
    }

    /// The parts of a finding that are equal for another client at another time: its rule,
    /// the bucket, and its message without names and numbers.
    package static func fingerprint(_ finding: Finding) -> String {
        var parts = [finding.rule.id]
        if let slash = finding.topic.firstIndex(of: "/") {
            parts.append(String(finding.topic[..<slash]))
        }
        var detail = finding.detail
        for name in [finding.client, finding.topic]
            + finding.topic.split(separator: "/").map(String.init)
        where !name.isEmpty {
            detail = detail.replacing(name, with: " ")
        }
        parts += words(detail)
        return Hexadecimal.text(FNV1a.hash(parts.joined(separator: " ").utf8), digits: 16)
    }

    /// The words outside of quotation marks that have no digits.
    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        var word = ""
        var end: Character?
        for character in text + " " {
            if let mark = end {
                if character == mark { end = nil }
                continue
            }
            switch character {
            case "\"": end = "\""
            case "“": end = "”"
            case "`": end = "`"
            case _ where character.isLetter || character.isNumber || "-_.".contains(character):
                word.append(character)
                continue
            default: break
            }
            if !word.isEmpty, !word.contains(where: \.isNumber) { words.append(word) }
            word = ""
        }
        return words
    }
}
