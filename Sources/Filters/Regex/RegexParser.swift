/// Reads regular expressions by recursive descent.
struct RegexParser {
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var depth = 0
    /// Groups with a number that were opened.
    private var groups = 0
    private var ignoresCase: Bool

    /// Reads all of `pattern`.
    static func parse(
        _ pattern: String, caseInsensitive: Bool
    ) throws(RegexError) -> RegexSyntax {
        var parser = RegexParser(pattern, caseInsensitive)
        if parser.take("(?i)") { parser.ignoresCase = true }
        let syntax = try parser.choice()
        if parser.position < parser.scalars.count {
            throw parser.error(.unopenedGroup, 1)
        }
        return syntax
    }

    private init(_ pattern: String, _ caseInsensitive: Bool) {
        scalars = Array(pattern.unicodeScalars)
        ignoresCase = caseInsensitive
    }

    private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        position + distance < scalars.count ? scalars[position + distance] : nil
    }

    private mutating func take(_ text: String) -> Bool {
        for (distance, scalar) in text.unicodeScalars.enumerated() where peek(distance) != scalar {
            return false
        }
        position += text.unicodeScalars.count
        return true
    }

    /// The mistake at the next `length` scalars.
    private func error(_ reason: RegexError.Reason, _ length: Int) -> RegexError {
        RegexError(reason, position..<position + length)
    }

    private mutating func choice() throws(RegexError) -> RegexSyntax {
        var branches = [try sequence()]
        while take("|") { branches.append(try sequence()) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func sequence() throws(RegexError) -> RegexSyntax {
        var items: [RegexSyntax] = []
        while let scalar = peek(), scalar != "|", scalar != ")" {
            items.append(try repeated())
        }
        return items.isEmpty ? .empty : items.count == 1 ? items[0] : .sequence(items)
    }

    private mutating func repeated() throws(RegexError) -> RegexSyntax {
        let item = try atom()
        let start = position
        guard let (least, most) = try repetition() else { return item }
        if case .assertion = item {
            throw RegexError(.nothingToRepeat, start..<position)
        }
        // Whether a repetition takes as little as it can decides where a match ends, not whether
        // there is one.
        _ = take("?")
        let next = position
        if try repetition() != nil { throw RegexError(.nothingToRepeat, next..<position) }
        return .repetition(item, least: least, most: most)
    }

    /// Consumes `*`, `+`, `?` or numbers in braces; braces around anything else are characters.
    private mutating func repetition() throws(RegexError) -> (least: Int, most: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        let start = position
        guard take("{") else { return nil }
        let least = number()
        var most = least
        if take(",") { most = number() }
        guard let least, take("}") else {
            position = start
            return nil
        }
        let hasEnd = scalars[position - 2] != ","
        guard least <= LinearRegex.maximumRepetition, most ?? 0 <= LinearRegex.maximumRepetition,
            !hasEnd || least <= most ?? least
        else { throw RegexError(.badRepetition, start..<position) }
        return (least, hasEnd ? most : nil)
    }

    /// Consumes a decimal number; one that is too large becomes one that is refused.
    private mutating func number() -> Int? {
        var result: Int?
        while let scalar = peek(), scalar.value >= 0x30, scalar.value <= 0x39 {
            result = min((result ?? 0) * 10 + Int(scalar.value - 0x30), 1_000_000)
            position += 1
        }
        return result
    }

    private mutating func atom() throws(RegexError) -> RegexSyntax {
        guard let scalar = peek() else { return .empty }
        switch scalar {
        case "(": return try group()
        case "[": return try bracket()
        case "\\": return try escape()
        case "*", "+", "?": throw error(.nothingToRepeat, 1)
        case ".":
            position += 1
            return .scalar(.allButLineFeed)
        case "^":
            position += 1
            return .assertion(.start)
        case "$":
            position += 1
            return .assertion(.end)
        default:
            position += 1
            return literal(scalar.value)
        }
    }

    private func literal(_ value: UInt32) -> RegexSyntax {
        set([value...value])
    }

    private func set(_ ranges: [ClosedRange<UInt32>], inverted: Bool = false) -> RegexSyntax {
        var set = ScalarSet(ranges)
        if ignoresCase { set.foldCase() }
        return .scalar(inverted ? set.inverted : set)
    }

    private mutating func group() throws(RegexError) -> RegexSyntax {
        let opening = position
        position += 1
        let isNumbered = peek() != "?"
        if !isNumbered, !take("?:") { throw RegexError(.unsupported, opening..<opening + 2) }
        if isNumbered { groups += 1 }
        let number = groups
        depth += 1
        if depth > LinearRegex.maximumDepth {
            throw RegexError(.tooDeep, opening..<opening + 1)
        }
        let inner = try choice()
        depth -= 1
        guard take(")") else { throw RegexError(.unclosedGroup, opening..<opening + 1) }
        // Kept apart, so that what follows repeats the whole and not its last part.
        return isNumbered ? .group(inner, number) : .sequence([inner])
    }

    private mutating func escape() throws(RegexError) -> RegexSyntax {
        let start = position
        if let set = takeClass() { return .scalar(set) }
        if take("\\b") { return .assertion(.boundary) }
        if take("\\B") { return .assertion(.noBoundary) }
        if take("\\A") { return .assertion(.start) }
        if take("\\z") { return .assertion(.end) }
        if let digit = peek(1), digit.value >= 0x31, digit.value <= 0x39 {
            throw RegexError(.unsupported, start..<start + 2)
        }
        return literal(try escapedScalar())
    }

    /// Consumes `\d`, `\w`, `\s` or one of their opposites.
    private mutating func takeClass() -> ScalarSet? {
        if take("\\d") { return .digits }
        if take("\\D") { return ScalarSet.digits.inverted }
        if take("\\w") { return .wordCharacters }
        if take("\\W") { return ScalarSet.wordCharacters.inverted }
        if take("\\s") { return .spaces }
        if take("\\S") { return ScalarSet.spaces.inverted }
        return nil
    }

    /// Consumes a backslash and the escape of one scalar after it.
    private mutating func escapedScalar() throws(RegexError) -> UInt32 {
        let start = position
        position += 1
        guard let scalar = peek() else { throw RegexError(.badEscape, start..<position) }
        position += 1
        switch scalar {
        case "n": return 0x0A
        case "r": return 0x0D
        case "t": return 0x09
        case "f": return 0x0C
        case "v": return 0x0B
        case "0": return 0
        case "x": return try hexadecimal(start, 2)
        case "u": return try hexadecimal(start, 4)
        default:
            let isLetter = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            guard !isLetter else { throw RegexError(.badEscape, start..<position) }
            return scalar.value
        }
    }

    /// Consumes `count` digits, or any number of them in braces.
    private mutating func hexadecimal(_ start: Int, _ count: Int) throws(RegexError) -> UInt32 {
        let isBraced = take("{")
        var digits = ""
        while let scalar = peek(), scalar.properties.isASCIIHexDigit,
            digits.utf8.count < (isBraced ? 6 : count)
        {
            digits.unicodeScalars.append(scalar)
            position += 1
        }
        let isComplete = isBraced ? take("}") : digits.utf8.count == count
        guard isComplete, let value = UInt32(digits, radix: 16), Unicode.Scalar(value) != nil
        else { throw RegexError(.badEscape, start..<max(position, start + 1)) }
        return value
    }

    private mutating func bracket() throws(RegexError) -> RegexSyntax {
        let opening = position
        position += 1
        let isInverted = take("^")
        var ranges: [ClosedRange<UInt32>] = []
        if peek() == "]" { throw RegexError(.emptyClass, opening..<position + 1) }
        while true {
            guard let scalar = peek() else {
                throw RegexError(.unclosedClass, opening..<opening + 1)
            }
            if take("]") { break }
            if scalar == "[", peek(1) == ":" { throw error(.unsupported, 2) }
            let start = position
            let isClass = try member(&ranges)
            guard peek() == "-", let end = peek(1), end != "]" else { continue }
            position += 1
            // The scalar that begins the range is the last that was added.
            var upper: [ClosedRange<UInt32>] = []
            let endsInClass = try member(&upper)
            guard !isClass, !endsInClass, let low = ranges.popLast()?.lowerBound,
                let high = upper.first?.upperBound, low <= high
            else { throw RegexError(.badRange, start..<position) }
            ranges.append(low...high)
        }
        return set(ranges, inverted: isInverted)
    }

    /// Consumes one scalar or class of a class in brackets and adds it.
    ///
    /// - Returns: Whether it is a class.
    private mutating func member(
        _ ranges: inout [ClosedRange<UInt32>]
    ) throws(RegexError) -> Bool {
        if let set = takeClass() {
            ranges.append(contentsOf: set.ranges)
            return true
        }
        guard let scalar = peek() else { return false }
        let value: UInt32
        if scalar == "\\" {
            value = try escapedScalar()
        } else {
            value = scalar.value
            position += 1
        }
        ranges.append(value...value)
        return false
    }
}
