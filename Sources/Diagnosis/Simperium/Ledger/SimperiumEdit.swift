import Notation
import Simperium

/// What one member of an object gains by a change, so that it is recognized in the object later.
struct SimperiumEdit: Sendable {
    enum Mark: Sendable {
        /// A text that is inserted into the member's text: its first ``SimperiumEdit/maxText`` code
        /// units, and how many it has.
        case text([UInt16], length: Int)
        /// An element that is added to the member's list.
        case element(JSONValue)
    }

    let member: ExactText
    let mark: Mark

    /// The least text that is followed, in UTF-16 code units: shorter ones occur by chance.
    static let leastText = 4
    /// Code units of a text that are compared.
    static let maxText = 128
    /// The most edits of one change that are followed.
    static let most = 4
    /// Bytes of an element, as JSON, at most.
    private static let maxElement = 512
    private static let maxElements = 64
    /// Code units of a text in which another is looked for, at most.
    private static let maxSearched = 200_000

    /// The edits of a change.
    ///
    /// - Parameters:
    ///   - operations: The operations of the change; nil where it has the whole object alone.
    ///   - base: The object before; nil where it is not known.
    ///   - result: The object after; nil where it is not known.
    /// - Returns: The first ``most`` of them.
    static func all(
        of operations: JSONObject?, from base: JSONObject?, to result: JSONObject?
    ) -> [Self] {
        var edits: [Self] = []
        guard let members = operations?.members ?? result?.members else { return [] }
        for member in members.prefix(64) {
            guard edits.count < most else { break }
            if operations != nil, member.value["o"]?.string == "d" {
                for text in insertions(member.value) {
                    append(Array(text.utf16), member.key, to: &edits)
                }
            } else if let base, let result {
                append(base[member.key.string], result[member.key.string], member.key, to: &edits)
            }
        }
        return edits
    }

    private static func append(
        _ old: JSONValue?, _ new: JSONValue?, _ member: ExactText, to edits: inout [Self]
    ) {
        switch new {
        case .string(let text)?:
            guard case .string(let before)? = old else {
                return append(Array(text.utf16), member, to: &edits)
            }
            let change = SimperiumTextChange(from: Array(before.utf16), to: Array(text.utf16))
            append(change.inserted, member, to: &edits)
        case .array(let elements)?:
            let before: [JSONValue] = if case .array(let list)? = old { list } else { [] }
            guard elements.count <= maxElements, before.count <= maxElements else { return }
            for element in elements where !before.contains(where: { $0.isSame(as: element) }) {
                guard edits.count < most, isFollowed(element) else { continue }
                edits.append(Self(member: member, mark: .element(element)))
            }
        default: break
        }
    }

    private static func append(
        _ units: [UInt16], _ member: ExactText, to edits: inout [Self]
    ) {
        let start = Array(units.prefix(maxText))
        guard edits.count < most, start.count >= leastText else { return }
        // One character alone, over and over, is in many texts.
        guard start.contains(where: { $0 != start[0] }) else { return }
        edits.append(Self(member: member, mark: .text(start, length: units.count)))
    }

    /// The texts that an operation on a text inserts.
    private static func insertions(_ operation: JSONValue) -> [String] {
        guard let text = operation["v"]?.string, let delta = try? StringDelta(parsing: text) else {
            return []
        }
        return delta.steps.compactMap { if case .insert(let text) = $0 { text } else { nil } }
    }

    private static func isFollowed(_ element: JSONValue) -> Bool {
        (leastText...maxElement).contains(element.bytes().count)
    }

    /// Whether both are of the same member and the same text or element.
    func isSame(as other: Self) -> Bool {
        guard member == other.member else { return false }
        return switch (mark, other.mark) {
        case (.text(let a, let first), .text(let b, let second)): first == second && a == b
        case (.element(let a), .element(let b)): a.isSame(as: b)
        default: false
        }
    }

    /// Whether all of it is compared.
    var isWhole: Bool {
        if case .text(let units, let length) = mark { units.count == length } else { true }
    }

    var isText: Bool { if case .text = mark { true } else { false } }

    /// Bytes that it takes, about.
    var cost: Int {
        switch mark {
        case .text(let units, _): 2 * units.count + 64
        case .element: 4 * Self.maxElement
        }
    }

    /// How often it is in the object.
    func count(in object: JSONObject) -> Int {
        switch (mark, object[member.string]) {
        case (.text(let units, _), .string(let text)?):
            guard (units.count...Self.maxSearched).contains(text.utf16.count) else { return 0 }
            return Self.count(units, in: Array(text.utf16))
        case (.element(let element), .array(let list)?):
            guard list.count <= Self.maxElements else { return 0 }
            return list.count { $0.isSame(as: element) }
        default: return 0
        }
    }

    /// Occurrences that do not overlap.
    private static func count(_ wanted: [UInt16], in units: [UInt16]) -> Int {
        var count = 0
        var place = 0
        while place + wanted.count <= units.count {
            if units[place] == wanted[0], units[place..<place + wanted.count].elementsEqual(wanted)
            {
                count += 1
                place += wanted.count
            } else {
                place += 1
            }
        }
        return count
    }

    /// The text or element, as it is quoted.
    var quote: String {
        switch mark {
        case .text(let units, let length):
            Quote.escaped(String(decoding: units.prefix(60), as: UTF16.self))
                + (length > 60 ? "…" : "")
        case .element(let value): Quote.escaped(String(value.text().prefix(60)))
        }
    }
}
