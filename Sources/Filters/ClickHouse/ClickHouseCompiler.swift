/// Makes conditions on rows of a fleet of filters.
///
/// Each comparison is 1 or 0, never NULL, so that `NOT` of it is the opposite. Values are in the text:
/// the server has no parameters in all versions.
struct ClickHouseCompiler {
    let subject: FilterSubject
    let clock: ClockOffsets

    /// The condition for `node`.
    func condition(_ node: FilterNode) -> ClickHouseCondition {
        switch node {
        case .always: return .always
        case .and(let nodes):
            let parts = nodes.map(condition).filter { $0 != .always }
            if parts.contains(.never) { return .never }
            return parts.isEmpty
                ? .always : ClickHouseCondition(ClickHouseText.join(parts.map(\.text), "AND"))
        case .or(let nodes):
            let parts = nodes.map(condition).filter { $0 != .never }
            if parts.contains(.always) { return .always }
            return parts.isEmpty
                ? .never : ClickHouseCondition(ClickHouseText.join(parts.map(\.text), "OR"))
        case .not(let inner):
            let part = condition(inner)
            if part == .never { return .always }
            if part == .always { return .never }
            return ClickHouseCondition("NOT (\(part.text))")
        case .comparison(let comparison):
            let source = comparison.field.clickHouse(for: subject, name: comparison.name)
            return ClickHouseCondition(condition(comparison, source) ?? "0")
        }
    }

    /// The condition on what `source` gives; nil where nothing can pass.
    private func condition(
        _ comparison: FilterComparison, _ source: ClickHouseSource
    ) -> String? {
        switch source {
        case .absent: return nil
        case .column(let expression):
            return comparison.test == .exists ? "1" : test(comparison, expression)
        case .optional(let expression):
            if comparison.test == .exists { return "isNotNull(\(expression))" }
            return test(comparison, expression).map { "ifNull(\($0), 0)" }
        case .bytes(let expression, let isText):
            if comparison.test == .exists { return "isNotNull(\(expression))" }
            guard let test = test(comparison, expression) else { return nil }
            // Bytes that are not text equal nothing.
            if case .equal = comparison.test {
                return "(\(isText) = 1 AND ifNull(\(test), 0))"
            }
            return "ifNull(\(test), 0)"
        case .named(let name, let names, let values):
            let isThere = "has(\(names), \(ClickHouseText.literal(name)))"
            if comparison.test == .exists { return isThere }
            let value = """
                arrayStringConcat(arrayFilter((v, n) -> n = \(ClickHouseText.literal(name)), \
                \(values), \(names)), ', ')
                """
            return test(comparison, value).map { "(\(isThere) AND \($0))" }
        case .present(let presence, let inner):
            return condition(comparison, inner).map { "(\(presence) AND \($0))" }
        case .listed(let key, let select, let from, let inner):
            return condition(comparison, inner).map {
                "\(key) IN (SELECT \(select) FROM \(from) AND \($0))"
            }
        case .several(let sources):
            let parts = sources.compactMap { condition(comparison, $0) }
            return parts.isEmpty ? nil : ClickHouseText.join(parts, "OR")
        case .words(let expression):
            switch comparison.test {
            case .exists: return "1"
            case .words(let query):
                return "position(\(expression), \(ClickHouseText.literal(query.folded))) > 0"
            default: return nil
            }
        }
    }

    /// The test of the value of `expression`; nil where no value passes.
    private func test(_ comparison: FilterComparison, _ expression: String) -> String? {
        let details = comparison.field.details
        switch comparison.test {
        case .exists: return "1"
        case .range(let range): return Self.test(range, expression)
        case .clock(let clock): return moment(clock)
        case .equal(let text):
            if details.ignoresCase {
                return "lower(\(expression)) = \(ClickHouseText.literal(Self.lower(text)))"
            }
            return "\(expression) = \(ClickHouseText.literal(text))"
        case .glob(let glob): return Self.test(glob, expression, comparison.globIgnoresCase)
        case .contains(let needle):
            guard !needle.isEmpty else { return "1" }
            return
                "positionCaseInsensitive(\(expression), \(ClickHouseText.literal(needle))) > 0"
        case .regex(let regex):
            return
                "match(\(expression), \(ClickHouseText.literal(ClickHouseRegex.pattern(regex))))"
        case .words: return nil
        }
    }

    private static func test(_ range: ClosedRange<Int64>, _ expression: String) -> String {
        let (low, high) = (range.lowerBound, range.upperBound)
        if low == high { return "\(expression) = \(low)" }
        if low == .min { return "\(expression) <= \(high)" }
        if high == .max { return "\(expression) >= \(low)" }
        return "(\(expression) >= \(low) AND \(expression) <= \(high))"
    }

    private static func test(_ glob: Glob, _ expression: String, _ ignoresCase: Bool) -> String {
        let value = ignoresCase ? "lower(\(expression))" : expression
        let literals = ignoresCase ? glob.literals.map(lower) : glob.literals
        let ends = [literals.first ?? "", literals.last ?? ""]
        // The usual shapes need no expression, and `startsWith` can use the order of rows.
        switch (literals.count, ends[0].isEmpty, ends[1].isEmpty) {
        case (2, true, true): return "1"
        case (2, false, true): return "startsWith(\(value), \(ClickHouseText.literal(ends[0])))"
        case (2, true, false): return "endsWith(\(value), \(ClickHouseText.literal(ends[1])))"
        case (3, true, true) where !literals[1].isEmpty:
            return "position(\(value), \(ClickHouseText.literal(literals[1]))) > 0"
        default:
            let pattern = ClickHouseRegex.pattern(glob, ignoringCase: ignoresCase)
            return "match(\(expression), \(ClickHouseText.literal(pattern)))"
        }
    }

    /// ASCII letters in lower case, as the server's `lower` has them.
    private static func lower(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    guard (0x41...0x5A).contains(scalar.value) else { return scalar }
                    return Unicode.Scalar(scalar.value | 0x20) ?? scalar
                }))
    }

    /// The test of the wall clock in UTC; the day chooses partitions.
    private static func test(utc range: ClosedRange<Int64>) -> String {
        func day(_ nanoseconds: Int64) -> String {
            "toDate(\(min(max(nanoseconds / 86_400_000_000_000, 0), 65_535)))"
        }
        var parts: [String] = []
        if range.lowerBound != .min { parts.append("day >= \(day(range.lowerBound))") }
        if range.upperBound != .max { parts.append("day <= \(day(range.upperBound))") }
        return ClickHouseText.join(parts + [test(range, "at_unix_ns")], "AND")
    }

    /// The test of the wall clock at the row.
    private func moment(_ moment: WallClock) -> String {
        let utc = "at_unix_ns"
        switch moment.scale {
        case .utc: return Self.test(utc: moment.range)
        case .local:
            let ranges = clock.utc(of: moment.range).map { Self.test(utc: $0) }
            return ranges.isEmpty ? "0" : ClickHouseText.join(ranges, "OR")
        case .timeOfDay:
            let second = "intDiv(\(utc), 1000000000)"
            let local = "(\(second) + (\(clock.ahead(at: second))))"
            return Self.test(
                moment.range, "(\(local) % 86400 * 1000000000 + \(utc) % 1000000000)")
        }
    }
}

extension Filter {
    /// The condition on rows of a fleet in ClickHouse that is equivalent to this filter.
    ///
    /// - Parameters:
    ///   - subject: Of which table the rows are: `exchange`, `command` or `message`.
    ///   - clock: The wall clock of the reader, for times without an offset.
    /// - Returns: ``ClickHouseCondition/never`` where no row can fit.
    public func clickHouse(
        for subject: FilterSubject, clock: ClockOffsets = ClockOffsets()
    ) -> ClickHouseCondition {
        ClickHouseCompiler(subject: subject, clock: clock).condition(root)
    }
}
