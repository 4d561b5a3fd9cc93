internal import Notation
internal import Wire

/// Identifiers that programs generate in each run: UUIDs and other long hexadecimal numbers.
enum GeneratedText {
    /// The placeholder for one where two count as equal.
    static let mark = "*id*"
    /// Fewest characters of one.
    static let least = 16

    /// Whether a text looks like one: hexadecimal digits and dashes, a letter and a digit among them.
    static func isOne(_ text: some StringProtocol) -> Bool {
        let utf8 = text.utf8
        guard utf8.count >= least, utf8.count <= 64 else { return false }
        var (hasDigit, hasLetter) = (false, false)
        for byte in utf8 {
            switch byte {
            case 0x30...0x39: hasDigit = true
            case 0x41...0x46, 0x61...0x66: hasLetter = true
            case 0x2D: continue
            default: return false
            }
        }
        return hasDigit && hasLetter
    }

    /// Whether `bytes` may contain one.
    static func mayOccur(in bytes: [UInt8]) -> Bool {
        guard bytes.count >= least else { return false }
        // Of each run of 16 one byte is at a multiple of 16 less 1: most are decided there.
        var place = least - 1
        while place < bytes.count {
            if isPart(bytes[place]) {
                var (low, high) = (place, place)
                while low > 0, isPart(bytes[low - 1]) { low -= 1 }
                while high + 1 < bytes.count, isPart(bytes[high + 1]) { high += 1 }
                if high - low + 1 >= least { return true }
                place = high
            }
            place += least
        }
        return false
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66, 0x2D: true
        default: false
        }
    }

    /// The text, or the mark where it is one.
    static func masked(_ text: String) -> String { isOne(text) ? mark : text }

    /// A path with its segments changed one by one.
    static func path(_ path: String, _ change: (String) -> String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { change(String($0)) }
            .joined(separator: "/")
    }
}

/// Identifiers of one run by those of another.
struct GeneratedNames: Sendable {
    private(set) var names: [String: String] = [:]
    private var taken: Set<String> = []

    /// Whether two name the same; those that are new are taken to.
    mutating func bind(_ a: String, _ b: String) -> Bool {
        if let known = names[a] { return known == b }
        guard a != b else { return true }
        guard GeneratedText.isOne(a), GeneratedText.isOne(b), taken.insert(b).inserted else {
            return false
        }
        names[a] = b
        return true
    }

    /// What the other run calls it.
    func other(_ text: String) -> String { names.isEmpty ? text : names[text] ?? text }
}

extension Meaning {
    /// The same with its texts changed one by one; those of bytes alone are not.
    func mapping(_ change: (String) -> String) -> Meaning {
        switch self {
        case .nothing, .bytes: self
        case .json(let value): .json(value.mapping(change))
        case .xml(let root): .xml(root.mapping(change))
        case .fields(let fields):
            .fields(fields.map { FormField($0.name, change($0.value)) })
        case .parts(let parts):
            .parts(
                parts.map { part in
                    var part = part
                    part.meaning = part.meaning.mapping(change)
                    return part
                })
        }
    }
}

extension JSONValue {
    fileprivate func mapping(_ change: (String) -> String) -> JSONValue {
        switch self {
        case .string(let text): .string(change(text))
        case .array(let elements): .array(elements.map { $0.mapping(change) })
        case .object(let object):
            .object(
                JSONObject(
                    object.members.map {
                        JSONObject.Member(change($0.key.string), $0.value.mapping(change))
                    }))
        default: self
        }
    }
}

extension XMLElement {
    fileprivate func mapping(_ change: (String) -> String) -> XMLElement {
        var element = self
        for index in element.attributes.indices {
            element.attributes[index].value = change(element.attributes[index].value)
        }
        for index in element.content.indices {
            switch element.content[index] {
            case .element(let inner): element.content[index] = .element(inner.mapping(change))
            case .text(let text): element.content[index] = .text(change(text))
            }
        }
        return element
    }
}
