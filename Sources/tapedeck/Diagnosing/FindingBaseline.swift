import Diagnosis
import Foundation
import Notation
import Wire

/// Findings that are known, so that nothing is said about them any more.
///
/// A line for each: the rule and what is told of the finding, whichever client and numbers it is
/// about. A rule alone stands for all of its findings; what follows a number sign is a comment.
struct FindingBaseline {
    private struct Entry: Hashable {
        var rule: String
        var fingerprint: String?
    }

    private var entries: Set<Entry> = []

    /// Reads the file at `path`.
    ///
    /// - Throws: ``Failure`` where it cannot be read, or has a line that is none of a baseline.
    init(path: String) throws(Failure) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(.noInput, "\(path) can not be read; check the name")
        }
        let text = String(decoding: data, as: UTF8.self)
        for (number, line) in zip(
            1..., text.split(separator: "\n", omittingEmptySubsequences: false))
        {
            let words = line.prefix { $0 != "#" }.split { $0.isWhitespace }
            guard let rule = words.first else { continue }
            guard words.count <= 2, rule.contains(".") else {
                throw Failure(.data, "\(path):\(number): a line is a rule and a fingerprint")
            }
            entries.insert(
                Entry(rule: String(rule), fingerprint: words.count == 2 ? String(words[1]) : nil))
        }
    }

    /// Whether the finding is known.
    func knows(_ finding: Finding) -> Bool {
        entries.contains(Entry(rule: finding.rule.id, fingerprint: nil))
            || entries.contains(
                Entry(rule: finding.rule.id, fingerprint: Self.fingerprint(finding)))
    }

    /// The baseline of these findings.
    static func text(_ findings: [Finding]) -> String {
        var lines: [String: String] = [:]
        for finding in findings {
            let line = "\(finding.rule.id) \(fingerprint(finding))"
            if lines[line] == nil {
                lines[line] = ListLine.clean(finding.says).replacing("#", with: "")
            }
        }
        return "# Findings that are known: rule, fingerprint, and what one of them said.\n"
            + lines.sorted { $0.key < $1.key }.map { "\($0.key) # \($0.value)\n" }.joined()
    }

    /// What a finding has in common with the same one of another client at another time: its rule,
    /// the bucket, and what it says without names and numbers.
    static func fingerprint(_ finding: Finding) -> String {
        var parts = [finding.rule.id]
        if let slash = finding.topic.firstIndex(of: "/") {
            parts.append(String(finding.topic[..<slash]))
        }
        var says = finding.says
        for name in [finding.client, finding.topic]
            + finding.topic.split(separator: "/").map(String.init)
        where !name.isEmpty {
            says = says.replacing(name, with: " ")
        }
        parts += words(says)
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
