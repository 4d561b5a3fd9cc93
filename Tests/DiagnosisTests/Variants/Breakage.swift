import Simperium
import Wire

/// One misbehaviour, switched on between the built-in client and the wire.
///
/// The client itself is the good one: what it sends goes through ``out`` and what it hears through
/// ``hears``, which may change, drop and add.
struct Breakage: Sendable {
    /// What a client with this mistake remembers.
    struct Memory: Sendable {
        var texts: [String: String] = [:]
        var numbers: [String: Int] = [:]
        /// Sent at once, after what is being sent or heard.
        var toSend: [String] = []

        mutating func count(_ name: String) -> Int {
            numbers[name, default: 0] += 1
            return numbers[name, default: 0]
        }
    }

    /// What is wrong with the client, in a few words.
    let name: String
    /// The rule that has to say so.
    let rule: String
    /// Rules that say more of the same mistake.
    let also: Set<String>
    /// What goes out in the place of a command.
    let out: @Sendable (_ text: String, _ memory: inout Memory) -> [String]
    /// What the client gets in the place of what the server said.
    let hears: @Sendable (_ text: String, _ memory: inout Memory) -> [String]
    /// What happens.
    let scene: @Sendable (inout VariantWorld) -> Void

    init(
        _ name: String, _ rule: String, also: Set<String> = [],
        out: @escaping @Sendable (String, inout Memory) -> [String] = { text, _ in [text] },
        hears: @escaping @Sendable (String, inout Memory) -> [String] = { text, _ in [text] },
        scene: @escaping @Sendable (inout VariantWorld) -> Void = VariantWorld.dayOfWork
    ) {
        self.name = name
        self.rule = rule
        self.also = also
        self.out = out
        self.hears = hears
        self.scene = scene
    }
}

/// Text of commands, taken apart as far as mistakes need it.
enum CommandText {
    /// The name of a command, `c`.
    static func name(_ text: String) -> String {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count > 1 && Int(parts[0]) != nil ? String(parts[1]) : String(parts[0])
    }

    /// The text with the first occurrence of something replaced.
    static func replacing(_ old: String, _ new: String, in text: String) -> String {
        guard let range = text.firstRange(of: old) else { return text }
        return text.replacingCharacters(in: range, with: new)
    }

    /// The value of a member as it stands in the text, `"sv":12` → `12`.
    static func member(_ key: String, in text: String) -> String? {
        guard let range = text.firstRange(of: "\"\(key)\":") else { return nil }
        let rest = text[range.upperBound...]
        var depth = 0
        var isText = false
        var isEscaped = false
        var end = rest.startIndex
        loop: while end < rest.endIndex {
            let character = rest[end]
            switch character {
            case _ where isEscaped: isEscaped = false
            case "\\" where isText: isEscaped = true
            case "\"": isText.toggle()
            case "{" where !isText, "[" where !isText: depth += 1
            case "}" where !isText, "]" where !isText:
                if depth == 0 { break loop }
                depth -= 1
            case "," where !isText && depth == 0: break loop
            default: break
            }
            end = rest.index(after: end)
        }
        return String(rest[..<end])
    }

    /// The text with the value of a member replaced; nil takes the member out.
    static func setting(_ key: String, _ value: String?, in text: String) -> String {
        guard let old = member(key, in: text) else {
            guard let value, let end = text.lastIndex(of: "}") else { return text }
            return text[..<end] + ",\"\(key)\":\(value)" + text[end...]
        }
        if let value { return replacing("\"\(key)\":\(old)", "\"\(key)\":\(value)", in: text) }
        let shorter = replacing(",\"\(key)\":\(old)", "", in: text)
        return shorter == text ? replacing("\"\(key)\":\(old),", "", in: text) : shorter
    }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<Index>, with new: String) -> String {
        self[..<range.lowerBound] + new + self[range.upperBound...]
    }
}
