/// Splits the text of a filter into the tokens that the parser requests.
struct FilterScanner {
    /// A value as the text has it, before it is read by the type of a field.
    struct Value {
        /// The text between the wildcards, escapes undone: one element where there are none.
        var literals: [String]
        /// Whether it was quoted.
        var isQuoted: Bool
        /// Where, in Unicode scalars.
        var range: Range<Int>

        /// The value as one text; wildcards are stars again.
        var text: String { literals.joined(separator: "*") }
    }

    /// The text.
    let scalars: [Unicode.Scalar]
    /// The next scalar to look at.
    var position = 0

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    /// The scalar at the position, or `distance` after it; nil at the end.
    func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        position + distance < scalars.count ? scalars[position + distance] : nil
    }

    /// Skips white space.
    mutating func skipSpace() {
        while let scalar = peek(), scalar.properties.isWhitespace { position += 1 }
    }

    /// Consumes `text` if it is at the position.
    mutating func take(_ text: String) -> Bool {
        for (distance, scalar) in text.unicodeScalars.enumerated() where peek(distance) != scalar {
            return false
        }
        position += text.unicodeScalars.count
        return true
    }

    /// Consumes `word`, in any case, if it is at the position as a separate word.
    mutating func takeKeyword(_ word: String) -> Bool {
        let length = word.unicodeScalars.count
        for (distance, expected) in word.unicodeScalars.enumerated() {
            guard let scalar = peek(distance), scalar.value | 0x20 == expected.value else {
                return false
            }
        }
        if let after = peek(length), !after.properties.isWhitespace,
            !"()\"{".unicodeScalars.contains(after)
        {
            return false
        }
        position += length
        return true
    }

    /// Consumes the operator between a field and its value, if one is at the position.
    mutating func takeOperator() -> String? {
        for sign in ["==", "=~", "!=", "!~", "<=", ">=", ":", "=", "<", ">", "~"] where take(sign) {
            return sign
        }
        return nil
    }

    /// Consumes a word outside values: up to white space or a character with a meaning.
    mutating func takeWord() throws(FilterError) -> Value {
        try takeBare { scalar, next in
            if "()\"{},:=<>~&|".unicodeScalars.contains(scalar) { return true }
            return scalar == "!" && (next == "=" || next == "~")
        }
    }

    /// Consumes a value without quotation marks; `closing` ends the set it is in, if it is in one.
    mutating func takeValue(closing: Unicode.Scalar?) throws(FilterError) -> Value {
        try takeBare { scalar, _ in
            if scalar == "(" || scalar == ")" || scalar == "\"" { return true }
            return closing != nil && (scalar == "," || scalar == closing)
        }
    }

    private mutating func takeBare(
        until ends: (Unicode.Scalar, Unicode.Scalar?) -> Bool
    ) throws(FilterError) -> Value {
        let start = position
        var literals = [String.UnicodeScalarView()]
        while let scalar = peek(), !scalar.properties.isWhitespace, !ends(scalar, peek(1)) {
            position += 1
            switch scalar {
            case "\0": throw FilterError(.unexpected(scalar), position - 1..<position)
            case "*": literals.append(.init())
            case "\\":
                guard let escaped = peek(), escaped != "\0" else {
                    throw FilterError(.unexpected(scalar), position - 1..<position)
                }
                literals[literals.count - 1].append(escaped)
                position += 1
            default: literals[literals.count - 1].append(scalar)
            }
        }
        return Value(
            literals: literals.map(String.init), isQuoted: false, range: start..<position)
    }

    /// Consumes a quotation, whose first mark is at the position, with its escapes decoded.
    mutating func takeQuotation() throws(FilterError) -> Value {
        let start = position
        position += 1
        var text = String.UnicodeScalarView()
        while let scalar = peek() {
            position += 1
            switch scalar {
            case "\"":
                return Value(literals: [String(text)], isQuoted: true, range: start..<position)
            case "\\":
                guard let escape = peek() else { continue }
                switch escape {
                case "\"", "\\": text.append(escape)
                case "n": text.append("\n")
                case "r": text.append("\r")
                case "t": text.append("\t")
                default:
                    throw FilterError(.unknownEscape(escape), position - 1..<position + 1)
                }
                position += 1
            case "\0": throw FilterError(.unexpected(scalar), position - 1..<position)
            default: text.append(scalar)
            }
        }
        throw FilterError(.unclosedQuotation, start..<start + 1)
    }

    /// Consumes a regular expression up to the next `end`, which is also at the position.
    ///
    /// A backslash before `end` makes it part of the expression and is removed; all others belong
    /// to the expression. After a slash the flag `i` may follow.
    mutating func takeRegex(_ end: Unicode.Scalar) throws(FilterError) -> LinearRegex {
        let start = position
        position += 1
        var pattern = String.UnicodeScalarView()
        // Where the text has each scalar of the pattern, and where the pattern ends.
        var places: [Int] = []
        var isClosed = false
        while let scalar = peek() {
            position += 1
            if scalar == end {
                isClosed = true
                break
            }
            if scalar == "\0" {
                throw FilterError(.unexpected(scalar), position - 1..<position)
            }
            places.append(position - 1)
            if scalar == "\\", let escaped = peek() {
                position += 1
                if escaped != end {
                    pattern.append(scalar)
                    places.append(position - 1)
                }
                pattern.append(escaped)
            } else {
                pattern.append(scalar)
            }
        }
        guard isClosed else {
            throw FilterError(
                end == "/" ? .unclosedRegex : .unclosedQuotation, start..<start + 1)
        }
        places.append(position - 1)
        var ignoresCase = false
        while end == "/", let flag = peek(), flag.properties.isAlphabetic {
            guard flag == "i" else {
                throw FilterError(.unknownFlag(flag), position..<position + 1)
            }
            ignoresCase = true
            position += 1
        }
        do throws(RegexError) {
            return try LinearRegex(String(pattern), caseInsensitive: ignoresCase)
        } catch {
            let last = places.count - 1
            let low = places[min(max(error.range.lowerBound, 0), last)]
            let high = places[min(max(error.range.upperBound, 0), last)]
            throw FilterError(.regex(error.reason), low..<max(high, low + 1))
        }
    }
}
