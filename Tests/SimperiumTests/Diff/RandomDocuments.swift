import Notation
import Wire

/// Texts and JSON values that tests compare, from a seed.
struct RandomDocuments {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Letters, composed and combining ones, pairs that share a half, joined emoji, what is escaped.
    private static let pieces = [
        "a", "b", "c", " ", "\n", "é", "e\u{301}", "日", "本", "😀", "😁", "🙋", "🙌", "👩‍👩‍👧", "💩",
        "☺️", "🖖🏿", "%", "+", "\t", "\"", "\\", "\u{0}", "\u{FFFF}", "\u{10FFFF}", "the ", "note ",
    ]

    mutating func number(in range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &random)
    }

    mutating func text(most: Int = 12) -> String {
        var text = ""
        for _ in 0..<number(in: 0...most) {
            text += Self.pieces.randomElement(using: &random) ?? ""
        }
        return text
    }

    /// The text with up to `most` stretches replaced.
    mutating func edited(_ text: String, most: Int = 4) -> String {
        var scalars = Array(text.unicodeScalars)
        for _ in 0..<number(in: 0...most) {
            let start = number(in: 0...scalars.count)
            let end = min(scalars.count, start + number(in: 0...3))
            scalars.replaceSubrange(start..<end, with: Array(self.text(most: 2).unicodeScalars))
        }
        return String(String.UnicodeScalarView(scalars))
    }

    mutating func value(depth: Int = 3) -> JSONValue {
        switch number(in: 0...(depth > 0 ? 11 : 7)) {
        case 0: return .null
        case 1: return .bool(true)
        case 2: return .bool(false)
        case 3:
            return .number(
                ["0", "1", "1.0", "2", "10e-1", "-7", "1152921504606846976", "0.1"]
                    .randomElement(using: &random) ?? "0")
        case 4...7: return .string(text())
        case 8, 9: return .array((0..<number(in: 0...5)).map { _ in value(depth: depth - 1) })
        default: return object(depth: depth - 1)
        }
    }

    /// An object of few different keys, so that two of them share some.
    mutating func object(depth: Int = 3) -> JSONValue {
        var members: [JSONObject.Member] = []
        for key in ["a", "b", "ключ", "😀", "e\u{301}", "é"] where number(in: 0...2) > 0 {
            members.append(.init(key, value(depth: depth)))
        }
        members.shuffle(using: &random)
        return .object(JSONObject(members))
    }

    /// The value with some of what is in it changed.
    mutating func edited(_ value: JSONValue, depth: Int = 4) -> JSONValue {
        guard depth > 0, number(in: 0...9) > 0 else { return self.value(depth: 1) }
        switch value {
        case .string(let text): return .string(edited(text))
        case .array(var elements):
            for _ in 0..<number(in: 0...2) {
                let place = number(in: 0...elements.count)
                switch number(in: 0...2) {
                case 0: elements.insert(self.value(depth: 1), at: place)
                case 1 where place < elements.count: elements.remove(at: place)
                case 2 where place < elements.count:
                    elements[place] = edited(elements[place], depth: depth - 1)
                default: break
                }
            }
            return .array(elements)
        case .object(var object):
            for place in object.members.indices.reversed() {
                switch number(in: 0...5) {
                case 0: object.members.remove(at: place)
                case 1, 2:
                    object.members[place].value = edited(
                        object.members[place].value, depth: depth - 1)
                default: break
                }
            }
            if number(in: 0...2) == 0 { object.members.append(.init("new", self.value(depth: 1))) }
            return .object(object)
        default: return number(in: 0...1) == 0 ? value : self.value(depth: 1)
        }
    }

    mutating func policy() -> DiffPolicyChoice {
        DiffPolicyChoice(lists: number(in: 0...2), integers: number(in: 0...1))
    }
}

/// Numbers of the choices of a policy.
struct DiffPolicyChoice {
    var lists: Int
    var integers: Int
}
