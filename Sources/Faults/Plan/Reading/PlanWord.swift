/// A value of an action or schedule, with or without its name.
struct PlanWord {
    /// The name, where it has one.
    let key: PlacedText?
    /// The value; empty at the end of the name where none is given.
    let value: PlacedText
    /// Whether the value is quoted.
    let isQuoted: Bool
    /// Whether a value is given, if only an empty one.
    let hasValue: Bool
}

/// Takes the words of the one-line form apart.
struct PlanScanner {
    private let text: PlacedText
    private let scalars: [Unicode.Scalar]
    private var position: Int

    /// The words of `text` from `start` on.
    init(_ text: PlacedText, from start: Int = 0) {
        self.text = text
        scalars = Array(text.text.unicodeScalars)
        position = start
    }

    /// Takes all words that are left.
    mutating func words() throws(FaultPlanError) -> [PlanWord] {
        var words: [PlanWord] = []
        while true {
            while position < scalars.count, scalars[position].properties.isWhitespace {
                position += 1
            }
            if position == scalars.count { return words }
            words.append(try word())
        }
    }

    private mutating func word() throws(FaultPlanError) -> PlanWord {
        var key: PlacedText?
        if let length = PlanText.keyLength(scalars, position) {
            key = text.part(position..<position + length)
            position += length + 1
        }
        let start = position
        if position < scalars.count, scalars[position] == "\"" || scalars[position] == "'" {
            let value = try quotation()
            if position < scalars.count, !scalars[position].properties.isWhitespace {
                throw FaultPlanError(.missingSpace, text.place(of: position..<position + 1))
            }
            return PlanWord(key: key, value: value, isQuoted: true, hasValue: true)
        }
        while position < scalars.count, !scalars[position].properties.isWhitespace {
            position += 1
        }
        return PlanWord(
            key: key, value: text.part(start..<position), isQuoted: false, hasValue: true)
    }

    /// Takes a quotation: with escapes in double marks, as it is in single ones.
    private mutating func quotation() throws(FaultPlanError) -> PlacedText {
        let start = position
        let mark = scalars[position]
        position += 1
        var value = String.UnicodeScalarView()
        var isDirect = true
        while position < scalars.count {
            let scalar = scalars[position]
            position += 1
            if scalar == mark {
                let inner = text.place(of: start + 1..<position - 1)
                return isDirect && text.isDirect
                    ? PlacedText(String(value), inner, isDirect: true)
                    : PlacedText(String(value), inner, isDirect: false)
            }
            guard scalar == "\\", mark == "\"" else {
                value.append(scalar)
                continue
            }
            isDirect = false
            guard position < scalars.count else { break }
            let escape = scalars[position]
            position += 1
            switch escape {
            case "\"", "\\": value.append(escape)
            case "n": value.append("\n")
            case "r": value.append("\r")
            case "t": value.append("\t")
            default:
                throw FaultPlanError(
                    .unknownEscape(escape), text.place(of: position - 2..<position))
            }
        }
        throw FaultPlanError(.unclosedQuotation, text.place(of: start..<start + 1))
    }
}
