package import Notation
internal import Wire

/// The difference of two JSON values as text that a reader takes in at a glance.
///
/// Members that are the same are left out; within a string, `[-…-]` was expected and is not there,
/// and `{+…+}` is there and was not expected: `content: "note 0[-, offline-]"`.
package enum JSONDifference {
    /// Characters of a value, or of the equal text beside a difference, that are shown.
    private static let most = 120

    /// The differences between what was expected and what is there.
    package static func text(from expected: JSONValue, to there: JSONValue) -> String {
        guard case .object(let a) = expected, case .object(let b) = there else {
            return change(expected, there)
        }
        var parts: [String] = []
        for member in a.members where a[member.key.string] == member.value {
            let name = member.key.string
            guard let found = b[name] else {
                parts.append("[-\(name): \(short(member.value))-]")
                continue
            }
            if !found.isSame(as: member.value) {
                parts.append("\(name): \(change(member.value, found))")
            }
        }
        for member in b.members where a[member.key.string] == nil {
            parts.append("{+\(member.key.string): \(short(member.value))+}")
        }
        return parts.joined(separator: ", ")
    }

    /// The value as JSON, its beginning where it is long.
    static func short(_ value: JSONValue) -> String {
        let text = value.text()
        return text.count > most ? "\(text.prefix(most))…" : text
    }

    private static func change(_ expected: JSONValue, _ there: JSONValue) -> String {
        guard case .string(let a) = expected, case .string(let b) = there else {
            return "[-\(short(expected))-]{+\(short(there))+}"
        }
        let (old, new) = (Array(a.unicodeScalars), Array(b.unicodeScalars))
        var start = 0
        while start < min(old.count, new.count), old[start] == new[start] { start += 1 }
        var end = 0
        while end < min(old.count, new.count) - start,
            old[old.count - 1 - end] == new[new.count - 1 - end]
        {
            end += 1
        }
        func text(_ part: ArraySlice<Unicode.Scalar>) -> String {
            var text = String.UnicodeScalarView()
            text.append(contentsOf: part)
            return String(text)
        }
        let before = old[..<start]
        let after = old[(old.count - end)...]
        let gone = text(old[start..<(old.count - end)])
        let come = text(new[start..<(new.count - end)])
        return "\"" + (before.count > most ? "…" : "") + text(before.suffix(most))
            + (gone.isEmpty ? "" : "[-\(gone)-]") + (come.isEmpty ? "" : "{+\(come)+}")
            + text(after.prefix(most)) + (after.count > most ? "…" : "") + "\""
    }
}
