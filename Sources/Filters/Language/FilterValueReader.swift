/// Makes tests of values as the text has them, by the type of a field.
struct FilterValueReader {
    private let field: Field
    private let details: FieldDetails

    init(_ field: Field) {
        self.field = field
        details = field.details
    }

    /// The test of `sign` at `place` with `value`.
    ///
    /// `!=` and `!~` give the test of `=` and `~`.
    func test(
        _ value: FilterScanner.Value, _ sign: String, _ place: Range<Int>
    ) throws(FilterError) -> FilterTest {
        switch details.kind {
        case .integer, .duration, .size: return try number(value, sign, place)
        case .boolean: return try boolean(value, sign, place)
        case .text: return try text(value, sign, place)
        case .body: return try body(value, sign, place)
        case .words:
            guard sign == ":" || sign == "in" else {
                throw FilterError(.operatorNotFor(field, sign), place)
            }
            return try words(value)
        }
    }

    /// Makes sure that the field can be matched with a regular expression.
    func requireText(_ sign: String, _ place: Range<Int>) throws(FilterError) {
        switch details.kind {
        case .text, .body: return
        case .integer, .duration, .size, .boolean, .words:
            throw FilterError(.operatorNotFor(field, sign), place)
        }
    }

    /// The search for the words of `value`.
    func words(_ value: FilterScanner.Value) throws(FilterError) -> FilterTest {
        if Self.isStar(value) { return .exists }
        let isPrefix = value.literals.count == 2 && value.literals[1].isEmpty
        guard value.literals.count == 1 || isPrefix else {
            throw FilterError(.starWithinWords, value.range)
        }
        guard let query = WordQuery(value.literals[0], isPrefix: isPrefix) else {
            throw FilterError(.noWords, value.range)
        }
        return .words(query)
    }

    private func text(
        _ value: FilterScanner.Value, _ sign: String, _ place: Range<Int>
    ) throws(FilterError) -> FilterTest {
        switch sign {
        case ":", "in":
            if Self.isStar(value) { return .exists }
            if value.literals.count == 1 { return .equal(try canonical(value)) }
            return .glob(
                Glob(details.values == nil ? value.literals : value.literals.map(Self.lowercased)))
        case "=", "==", "!=": return .equal(try canonical(value))
        case "~", "!~": return try contains(value)
        default: throw FilterError(.operatorNotFor(field, sign), place)
        }
    }

    private func body(
        _ value: FilterScanner.Value, _ sign: String, _ place: Range<Int>
    ) throws(FilterError) -> FilterTest {
        switch sign {
        case ":", "in":
            if Self.isStar(value) { return .exists }
            if value.literals.count == 1 { return try contains(value) }
            return .glob(Glob([""] + value.literals.filter { !$0.isEmpty } + [""]))
        case "=", "==", "!=": return .equal(value.text)
        case "~", "!~": return try contains(value)
        default: throw FilterError(.operatorNotFor(field, sign), place)
        }
    }

    private func contains(_ value: FilterScanner.Value) throws(FilterError) -> FilterTest {
        guard !value.text.isEmpty else {
            throw FilterError(.missingValue(of: field.rawValue), value.range)
        }
        return .contains(Self.lowercased(value.text))
    }

    /// The value as written, or as the closed list of the field has it.
    private func canonical(_ value: FilterScanner.Value) throws(FilterError) -> String {
        guard let values = details.values else { return value.text }
        let lowercased = Self.lowercased(value.text)
        guard values.contains(lowercased) else {
            throw FilterError(.notAValue(field), value.range)
        }
        return lowercased
    }

    private func boolean(
        _ value: FilterScanner.Value, _ sign: String, _ place: Range<Int>
    ) throws(FilterError) -> FilterTest {
        guard [":", "=", "==", "!=", "in"].contains(sign) else {
            throw FilterError(.operatorNotFor(field, sign), place)
        }
        if sign == ":", Self.isStar(value) { return .exists }
        switch Self.lowercased(value.text) {
        case "true", "yes", "1": return .range(1...1)
        case "false", "no", "0": return .range(0...0)
        default: throw FilterError(.notAValue(field), value.range)
        }
    }

    private func number(
        _ value: FilterScanner.Value, _ sign: String, _ place: Range<Int>
    ) throws(FilterError) -> FilterTest {
        if sign == "~" || sign == "!~" {
            throw FilterError(.operatorNotFor(field, sign), place)
        }
        let text = value.text[...]
        if field == .at, let clock = try clock(text, sign, value.range) { return .clock(clock) }
        guard sign == ":" || sign == "in" else {
            return try comparison(sign, text, value.range)
        }
        if Self.isStar(value) { return .exists }
        for sign in ["<=", ">=", "<", ">"] where text.hasPrefix(sign) {
            let rest = text.dropFirst(sign.count)
            let low = value.range.upperBound - rest.unicodeScalars.count
            return try comparison(sign, rest, low..<value.range.upperBound)
        }
        if details.kind == .integer, let hundreds = Self.hundreds(text) { return .range(hundreds) }
        guard let dots = Self.dots(in: text) else {
            return try comparison("=", text, value.range)
        }
        let (first, last) = (text[..<dots.lowerBound], text[dots.upperBound...])
        if first.isEmpty && last.isEmpty { throw FilterError(.notAValue(field), value.range) }
        let middle = value.range.lowerBound + first.unicodeScalars.count
        let low: Int64 =
            first.isEmpty ? .min : try read(first, value.range.lowerBound..<middle)
        let high: Int64 =
            last.isEmpty ? .max : try read(last, middle + 2..<value.range.upperBound)
        guard low <= high else { throw FilterError(.emptyRange, value.range) }
        return .range(low...high)
    }

    /// The test for one number after `sign`.
    private func comparison(
        _ sign: String, _ text: Substring, _ range: Range<Int>
    ) throws(FilterError) -> FilterTest {
        let number = try read(text, range)
        return switch sign {
        // No number read is the least or the greatest there is.
        case "<": .range(.min...number - 1)
        case "<=": .range(.min...number)
        case ">": .range(number + 1 ... .max)
        case ">=": .range(number ... .max)
        default: .range(number...number)
        }
    }

    /// The times of the wall clock that `text` gives after `sign`; nil where it is none.
    private func clock(
        _ text: Substring, _ sign: String, _ range: Range<Int>
    ) throws(FilterError) -> WallClock? {
        let written = ["<=", ">=", "<", ">"].first(where: text.hasPrefix)
        let rest = text.dropFirst(written?.count ?? 0)
        let dots = Self.dots(in: rest)
        let first = dots.map { rest[..<$0.lowerBound] } ?? rest
        let last = dots.map { rest[$0.upperBound...] } ?? first
        guard WallClock.looksLike(first) || WallClock.looksLike(last) else { return nil }
        func read(_ end: Substring) throws(FilterError) -> WallClock {
            guard let clock = WallClock(end) else { throw FilterError(.notAWallClock, range) }
            return clock
        }
        let (low, high) = (
            first.isEmpty ? nil : try read(first), last.isEmpty ? nil : try read(last)
        )
        guard let scale = (low ?? high)?.scale,
            low == nil || high == nil || low?.scale == high?.scale
        else { throw FilterError(.mixedWallClocks, range) }
        let (start, end) = (low?.range.lowerBound ?? .min, high?.range.upperBound ?? .max)
        guard start <= end else { throw FilterError(.emptyRange, range) }
        let range: ClosedRange<Int64> =
            switch written ?? sign {
            case "<": .min...start - 1
            case "<=": .min...end
            case ">": end + 1 ... .max
            case ">=": start ... .max
            default: start...end
            }
        return WallClock(scale, range)
    }

    private func read(_ text: Substring, _ range: Range<Int>) throws(FilterError) -> Int64 {
        switch FilterNumber.read(text, as: details.kind, isOpcode: field == .opcode) {
        case .number(let number): return number
        case .notANumber: throw FilterError(.notAValue(field), range)
        case .outOfRange: throw FilterError(.outOfRange, range)
        }
    }

    private static func isStar(_ value: FilterScanner.Value) -> Bool {
        value.literals.count > 1 && value.literals.allSatisfy(\.isEmpty)
    }

    /// The range of `4xx`.
    private static func hundreds(_ text: Substring) -> ClosedRange<Int64>? {
        let bytes = Array(text.utf8)
        guard bytes.count == 3, (0x31...0x39).contains(bytes[0]), bytes[1] | 0x20 == 0x78,
            bytes[2] | 0x20 == 0x78
        else { return nil }
        let low = Int64(bytes[0] - 0x30) * 100
        return low...low + 99
    }

    /// The place of `..` in `text`.
    private static func dots(in text: Substring) -> Range<Substring.Index>? {
        var index = text.startIndex
        while index < text.endIndex {
            let next = text.index(after: index)
            if text[index] == ".", next < text.endIndex, text[next] == "." {
                return index..<text.index(after: next)
            }
            index = next
        }
        return nil
    }

    private static func lowercased(_ text: String) -> String {
        String(decoding: ByteSearch.lowercased(text), as: UTF8.self)
    }
}
