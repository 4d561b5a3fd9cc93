import Notation

/// Makes JSON texts with odd spacing, escapes and emoji, and no key twice in an object.
struct JSONMaker {
    private static let texts = [
        "", "a", "title", "with space", "über", "日本語", "😀", "👩‍👩‍👧", "é", "e\u{301}", "\u{7F}",
        "\u{2028}",
        "a.b.c", "%2F", "\\", "\"", "/", "\n", "\t", "\u{0}", "\u{1F}", "\u{FFFF}", "\u{10FFFF}",
        "a long text that does not fit into the inline form of a Swift string",
    ]
    private static let numbers = [
        "0", "-0", "1", "-1", "7", "10", "1234567890", "9223372036854775807",
        "-9223372036854775808", "1152921504606846976", "0.5", "-0.25", "1.0", "1e3", "1E+3",
        "25e-2", "3.14159", "123456789.125",
    ]

    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func document() -> String { space() + value(depth: 0) + space() }

    private mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<(depth < 6 ? 9 : 6), using: &random) {
        case 0: return "null"
        case 1: return Bool.random(using: &random) ? "true" : "false"
        case 2, 3: return Self.numbers.randomElement(using: &random) ?? "0"
        case 4, 5: return string(text())
        case 6:
            let elements = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                space() + value(depth: depth + 1) + space()
            }
            return "[" + (elements.isEmpty ? space() : elements.joined(separator: ",")) + "]"
        default:
            let members = (0..<Int.random(in: 0...5, using: &random)).map { place in
                space() + string("\(place)" + text()) + space() + ":" + space()
                    + value(depth: depth + 1) + space()
            }
            return "{" + (members.isEmpty ? space() : members.joined(separator: ",")) + "}"
        }
    }

    private mutating func text() -> String {
        (0..<Int.random(in: 0...3, using: &random)).map { _ in
            Self.texts.randomElement(using: &random) ?? ""
        }.joined()
    }

    private mutating func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            let mustEscape = scalar == "\"" || scalar == "\\" || scalar.value < 0x20
            guard mustEscape || Int.random(in: 0..<6, using: &random) == 0 else {
                result.unicodeScalars.append(scalar)
                continue
            }
            switch scalar {
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "/": result += "\\/"
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            default:
                for unit in String(scalar).utf16 {
                    let isUpper = Bool.random(using: &random)
                    let digits = String(unit, radix: 16, uppercase: isUpper)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return result + "\""
    }

    private mutating func space() -> String {
        guard Int.random(in: 0..<4, using: &random) == 0 else { return "" }
        return [" ", "  ", "\n", "\t", "\r\n"].randomElement(using: &random) ?? ""
    }
}
