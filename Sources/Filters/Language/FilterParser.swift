/// Reads the filter language by recursive descent; `Filters.md` has the grammar.
struct FilterParser {
    /// The fields named so far.
    private(set) var mentions: [Filter.Mention] = []
    private var scanner: FilterScanner
    private var depth = 0
    private var comparisons = 0

    init(_ text: String) throws(FilterError) {
        scanner = FilterScanner(text)
        if scanner.scalars.count > FilterError.maximumLength {
            throw FilterError(.tooLong, FilterError.maximumLength..<scanner.scalars.count)
        }
    }

    /// Reads the whole text.
    mutating func filter() throws(FilterError) -> FilterNode {
        scanner.skipSpace()
        if scanner.peek() == nil { return .always }
        let node = try disjunction(after: nil)
        if let scalar = scanner.peek() {
            throw FilterError(
                .unexpected(scalar), scanner.position..<scanner.position + 1)
        }
        return node
    }

    /// Reads one or more conjunctions with `or` between them.
    private mutating func disjunction(after opening: Range<Int>?) throws(FilterError) -> FilterNode
    {
        var nodes = [try conjunction(after: opening)]
        while let sign = takeSign("or", "||", "|") { nodes.append(try conjunction(after: sign)) }
        return nodes.count == 1 ? nodes[0] : .or(nodes)
    }

    /// Reads one or more terms, with or without `and` between them.
    private mutating func conjunction(after sign: Range<Int>?) throws(FilterError) -> FilterNode {
        var nodes = [try term(after: sign)]
        while true {
            if let sign = takeSign("and", "&&", "&") {
                nodes.append(try term(after: sign))
                continue
            }
            scanner.skipSpace()
            guard let scalar = scanner.peek(), scalar != ")", !isSign("or", "||", "|") else {
                break
            }
            nodes.append(try term(after: nil))
        }
        return nodes.count == 1 ? nodes[0] : .and(nodes)
    }

    /// Consumes a binary operator and gives its place.
    private mutating func takeSign(
        _ word: String, _ sign: String, _ short: String
    ) -> Range<Int>? {
        scanner.skipSpace()
        let start = scanner.position
        guard scanner.takeKeyword(word) || scanner.take(sign) || scanner.take(short) else {
            return nil
        }
        return start..<scanner.position
    }

    /// Whether a binary operator comes next.
    private func isSign(_ word: String, _ sign: String, _ short: String) -> Bool {
        var copy = scanner
        return copy.takeKeyword(word) || copy.take(sign) || copy.take(short)
    }

    /// Reads what can be negated; `sign` is what made it necessary.
    private mutating func term(after sign: Range<Int>?) throws(FilterError) -> FilterNode {
        scanner.skipSpace()
        let start = scanner.position
        let place = start..<start + 1
        guard let scalar = scanner.peek(), scalar != ")" || sign == nil else {
            let sign = sign ?? start..<start
            throw FilterError(.missingOperand(after: text(sign)), sign)
        }
        if let found = takeSign("and", "&&", "&") ?? takeSign("or", "||", "|") {
            if let sign { throw FilterError(.missingOperand(after: text(sign)), sign) }
            throw FilterError(.missingOperandBefore(text(found)), found)
        }
        if takesNegation() {
            try descend(place)
            let node = try term(after: start..<scanner.position)
            depth -= 1
            return .not(node)
        }
        if scalar == "(" {
            try descend(place)
            scanner.position += 1
            let node = try disjunction(after: place)
            scanner.skipSpace()
            guard scanner.take(")") else {
                if let scalar = scanner.peek() {
                    let place = scanner.position..<scanner.position + 1
                    throw FilterError(.unexpected(scalar), place)
                }
                throw FilterError(.unclosedParenthesis, place)
            }
            depth -= 1
            return node
        }
        return try comparison()
    }

    /// Consumes `not`, or a `!` or `-` that directly precedes something.
    private mutating func takesNegation() -> Bool {
        if scanner.takeKeyword("not") { return true }
        guard let scalar = scanner.peek(), scalar == "!" || scalar == "-",
            let after = scanner.peek(1), !after.properties.isWhitespace, after != ")"
        else { return false }
        if scalar == "!", after == "=" || after == "~" { return false }
        scanner.position += 1
        return true
    }

    /// Notes one more parenthesis or negation, at `place`.
    private mutating func descend(_ place: Range<Int>) throws(FilterError) {
        depth += 1
        if depth > FilterError.maximumDepth { throw FilterError(.tooDeep, place) }
    }

    /// Notes one more comparison, at `place`.
    private mutating func count(_ place: Range<Int>) throws(FilterError) {
        comparisons += 1
        if comparisons > FilterError.maximumComparisons {
            throw FilterError(.tooManyComparisons, place)
        }
    }

    /// What the text has at `range`.
    private func text(_ range: Range<Int>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scanner.scalars[range])
        return String(text)
    }

    /// Reads a comparison, or words to search for.
    private mutating func comparison() throws(FilterError) -> FilterNode {
        let start = scanner.position
        if scanner.peek() == "\"" {
            let quotation = try scanner.takeQuotation()
            try endOfValue(nil)
            return try words(quotation)
        }
        if let foreign = MitmproxyOperator(at: scanner) {
            throw FilterError(
                .mitmproxyOperator(foreign.sign, instead: foreign.instead), foreign.range)
        }
        let word = try scanner.takeWord()
        // A negation sign before nothing is not a word either.
        guard !word.range.isEmpty, word.text != "!", word.text != "-" else {
            throw FilterError(.unexpected(scanner.scalars[start]), start..<start + 1)
        }
        let end = scanner.position
        scanner.skipSpace()
        let begin = scanner.position
        if let sign = scanner.takeOperator() ?? takeIn() {
            return try comparison(word, sign, begin..<begin + sign.unicodeScalars.count)
        }
        scanner.position = end
        try endOfValue(nil)
        return try words(word)
    }

    /// Consumes `in` if a set follows.
    private mutating func takeIn() -> String? {
        let start = scanner.position
        if scanner.takeKeyword("in") {
            scanner.skipSpace()
            if scanner.peek() == "(" || scanner.peek() == "{" { return "in" }
        }
        scanner.position = start
        return nil
    }

    /// Makes a search for words of a bare word or a quotation.
    private mutating func words(_ value: FilterScanner.Value) throws(FilterError) -> FilterNode {
        if !value.isQuoted, value.literals.count > 1, value.literals.allSatisfy(\.isEmpty) {
            return .always
        }
        try count(value.range)
        mentions.append(Filter.Mention(field: .text, name: nil, range: value.range))
        let test = try FilterValueReader(.text).words(value)
        return .comparison(FilterComparison(.text, test))
    }

    /// Reads the value after `word` and `sign`, which is at `place`.
    private mutating func comparison(
        _ word: FilterScanner.Value, _ sign: String, _ place: Range<Int>
    ) throws(FilterError) -> FilterNode {
        if word.text.lowercased() == "has", sign == ":" {
            scanner.skipSpace()
            let target = try scanner.takeWord()
            guard !target.range.isEmpty else {
                throw FilterError(.missingValue(of: "has"), place)
            }
            try endOfValue(nil)
            let (field, name) = try resolve(target)
            try count(target.range)
            return .comparison(FilterComparison(field, name: name, .exists))
        }
        let (field, name) = try resolve(word)
        func node(_ test: FilterTest) -> FilterNode {
            .comparison(FilterComparison(field, name: name, test))
        }
        scanner.skipSpace()
        let isNegative = sign == "!=" || sign == "!~"
        let found: FilterNode
        let next = scanner.peek()
        if next == "{" || next == "(", [":", "=", "==", "!=", "in"].contains(sign) {
            let nodes = try set(field, sign, place).map(node)
            found = nodes.count == 1 ? nodes[0] : .or(nodes)
        } else {
            try count(word.range)
            found = node(try value(field, sign, place, closing: nil))
        }
        // What is unlike something is there: a missing value is neither like nor unlike.
        return isNegative ? .and([node(.exists), .not(found)]) : found
    }

    /// The field that `word` names, and the header for a family.
    private mutating func resolve(
        _ word: FilterScanner.Value
    ) throws(FilterError) -> (Field, String?) {
        let written = word.text.lowercased()
        if let field = Field(rawValue: written) {
            if field.isFamily { throw FilterError(.missingHeaderName(field), word.range) }
            mentions.append(Filter.Mention(field: field, name: nil, range: word.range))
            return (field, nil)
        }
        for field in Field.all where field.isFamily && written.hasPrefix("\(field).") {
            let name = String(written.dropFirst(field.rawValue.count + 1))
            if name.isEmpty { throw FilterError(.missingHeaderName(field), word.range) }
            mentions.append(Filter.Mention(field: field, name: name, range: word.range))
            return (field, name)
        }
        let nearest = NearestNames.of(written, among: Field.all.map(\.rawValue) + ["has"])
        throw FilterError(.unknownField(word.text, nearest: nearest), word.range)
    }

    /// Reads the set whose opening is at the position.
    private mutating func set(
        _ field: Field, _ sign: String, _ place: Range<Int>
    ) throws(FilterError) -> [FilterTest] {
        let opening = scanner.position
        let closing: Unicode.Scalar = scanner.peek() == "{" ? "}" : ")"
        scanner.position += 1
        var tests: [FilterTest] = []
        var before = opening..<opening + 1
        while true {
            scanner.skipSpace()
            try count(scanner.position..<scanner.position + 1)
            if scanner.peek() == nil { throw FilterError(.unclosedSet, opening..<opening + 1) }
            tests.append(try value(field, sign, before, closing: closing))
            scanner.skipSpace()
            let comma = scanner.position
            if scanner.take(String(closing)) { break }
            guard scanner.take(",") else {
                guard let scalar = scanner.peek() else {
                    throw FilterError(.unclosedSet, opening..<opening + 1)
                }
                throw FilterError(.missingSeparator(before: scalar), comma..<comma + 1)
            }
            before = comma..<comma + 1
        }
        try endOfValue(nil)
        return tests
    }

    /// Reads one value; `place` is what it is missed after.
    private mutating func value(
        _ field: Field, _ sign: String, _ place: Range<Int>, closing: Unicode.Scalar?
    ) throws(FilterError) -> FilterTest {
        let reader = FilterValueReader(field)
        let next = scanner.peek()
        let isMatch = sign == "~" || sign == "!~" || sign == "=~"
        if isMatch, next == "/" || (next == "\"" && sign == "=~") {
            try reader.requireText(sign, place)
            let regex = try scanner.takeRegex(next ?? "/")
            try endOfValue(closing)
            return .regex(regex)
        }
        if sign == "=~" { throw FilterError(.missingRegex, place) }
        if next == "\"" {
            let value = try scanner.takeQuotation()
            try endOfValue(closing)
            return try reader.test(value, sign, place)
        }
        let value = try scanner.takeValue(closing: closing)
        guard !value.range.isEmpty else {
            if let scalar = next, scalar == "(" {
                let range = scanner.position..<scanner.position + 1
                throw FilterError(.unexpected(scalar), range)
            }
            throw FilterError(.missingValue(of: field.rawValue), place)
        }
        try endOfValue(closing)
        return try reader.test(value, sign, place)
    }

    /// Makes sure that nothing sticks to a value that was read to its end.
    private func endOfValue(_ closing: Unicode.Scalar?) throws(FilterError) {
        guard let scalar = scanner.peek(), !scalar.properties.isWhitespace, scalar != ")" else {
            return
        }
        if closing != nil, scalar == "," || scalar == closing { return }
        let range = scanner.position..<scanner.position + 1
        if scalar == "&" || scalar == "|" { return }
        if "{},:=<>~!".unicodeScalars.contains(scalar) {
            throw FilterError(.unexpected(scalar), range)
        }
        throw FilterError(.missingSpace(before: scalar), range)
    }
}
