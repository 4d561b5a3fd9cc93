/// Makes conditions on rows of filters.
///
/// Comparisons may come out NULL for a missing value. Nothing here distinguishes NULL from false:
/// `AND` and `OR` of them are true exactly where they would be with false in its place, and
/// negation is written as `IS NOT TRUE`.
struct SQLCompiler {
    let subject: FilterSubject
    /// Whether the condition is for numbers from `?1` to `?2`, and all of it is about bodies.
    var isForPages = false

    /// The condition for `node`.
    func condition(_ node: FilterNode) -> SQLCondition {
        switch node {
        case .always: return .always
        case .and(let nodes):
            let parts = nodes.map(condition).filter { $0 != .always }
            if parts.contains(.never) { return .never }
            return parts.isEmpty ? .always : Self.join(parts[...], " AND ")
        case .or(let nodes):
            let parts = nodes.map(condition).filter { $0 != .never }
            if parts.contains(.always) { return .always }
            return parts.isEmpty ? .never : Self.join(parts[...], " OR ")
        case .not(let inner):
            let part = condition(inner)
            if part == .never { return .always }
            if part == .always { return .never }
            return SQLCondition("(\(part.text)) IS NOT TRUE", part.arguments)
        case .comparison(let comparison):
            let source = comparison.field.source(for: subject, name: comparison.name)
            return condition(comparison, source)
        }
    }

    /// Joins conditions as a tree that is as flat as can be: SQLite bounds the depth.
    private static func join(
        _ parts: ArraySlice<SQLCondition>, _ sign: String
    ) -> SQLCondition {
        if parts.count == 1, let part = parts.first { return part }
        if parts.count <= 8 {
            return SQLCondition(
                "(" + parts.map(\.text).joined(separator: sign) + ")",
                parts.flatMap(\.arguments))
        }
        let middle = parts.startIndex + parts.count / 2
        let halves = [join(parts[..<middle], sign), join(parts[middle...], sign)]
        return join(halves[...], sign)
    }

    private func condition(
        _ comparison: FilterComparison, _ source: SQLSource
    ) -> SQLCondition {
        switch source {
        case .absent: return .never
        case .column(let expression):
            return test(comparison, SQLCondition(expression))
        case .function(let expression, let argument):
            return test(comparison, SQLCondition(expression, [argument]))
        case .listed(let key, let select, let from, let inner):
            let part = condition(comparison, inner)
            let sign = from.contains(" WHERE ") ? "AND" : "WHERE"
            return SQLCondition(
                "\(key) IN (SELECT \(select) FROM \(from) \(sign) \(part.text))", part.arguments)
        case .looked(let from, let page, let inner):
            if isForPages, let page = page?(comparison.test) {
                let part = condition(comparison, page.value)
                return SQLCondition(
                    "\(page.key) IN (SELECT \(page.select) AND \(part.text))", part.arguments)
            }
            let part = condition(comparison, inner)
            return SQLCondition(
                "EXISTS (SELECT 1 FROM \(from) AND \(part.text))", part.arguments)
        case .several(let sources):
            return Self.join(sources.map { condition(comparison, $0) }[...], " OR ")
        case .words(let words): return condition(comparison.test, words)
        }
    }

    private func condition(_ test: FilterTest, _ words: SQLWords) -> SQLCondition {
        guard case .words(let query) = test else {
            // Without words to look for, the test is whether there is any text.
            guard test == .exists else { return .never }
            return SQLCondition(
                "\(words.key) IN (SELECT \(words.owner) FROM \(words.table) "
                    + "WHERE \(words.hasText))")
        }
        let text = """
            (\(words.key) IN (SELECT \(words.rowNumber) FROM search WHERE search MATCH ? \
            AND rowid % 2 = \(words.parity)) OR \(words.key) IN (SELECT \(words.owner) \
            FROM \(words.table) WHERE (\(words.id) > coalesce((SELECT upto FROM progress \
            WHERE name = '\(words.progress)'), 0) OR \(words.id) IN (SELECT id / 2 FROM late \
            WHERE id % 2 = \(words.parity))) AND tape_words(?, \(words.text))))
            """
        let argument = SQLValue.text(query.matchExpression)
        return SQLCondition(text, [argument, argument])
    }

    /// SQL for the wall clock at `at`, nanoseconds since the start of the session of the row.
    private static func moment(
        at: String, of subject: FilterSubject, _ scale: WallClock.Scale
    ) -> String {
        let alias =
            switch subject {
            case .exchange: "x"
            case .command: "c"
            case .message: "m"
            }
        let utc =
            "(\(at) + (SELECT s.started_unix_ns FROM session s WHERE s.id = \(alias).session_id))"
        let second =
            "CAST(strftime('%s', \(utc) / 1000000000, 'unixepoch', 'localtime') AS INTEGER)"
        return switch scale {
        case .utc: utc
        case .local: "(\(second) * 1000000000 + \(utc) % 1000000000)"
        case .timeOfDay: "(\(second) % 86400 * 1000000000 + \(utc) % 1000000000)"
        }
    }

    /// The test of what `value` gives, whose arguments come first.
    private func test(_ comparison: FilterComparison, _ value: SQLCondition) -> SQLCondition {
        let details = comparison.field.details
        let expression = value.text
        func made(_ text: String, _ arguments: SQLValue...) -> SQLCondition {
            SQLCondition(text, value.arguments + arguments)
        }
        switch comparison.test {
        case .exists: return made("\(expression) IS NOT NULL")
        case .range(let range):
            let (low, high) = (range.lowerBound, range.upperBound)
            if low == high { return made("\(expression) = ?", .integer(low)) }
            if low == .min { return made("\(expression) <= ?", .integer(high)) }
            if high == .max { return made("\(expression) >= ?", .integer(low)) }
            return made("\(expression) BETWEEN ? AND ?", .integer(low), .integer(high))
        case .clock(let clock):
            let moment = Self.moment(at: expression, of: subject, clock.scale)
            return made(
                "\(moment) BETWEEN ? AND ?", .integer(clock.range.lowerBound),
                .integer(clock.range.upperBound))
        case .equal(let text):
            let collation = details.ignoresCase ? " COLLATE NOCASE" : ""
            return made("\(expression) = ?\(collation)", .text(text))
        case .glob(let glob):
            if details.kind == .body {
                return SQLCondition(
                    "tape_glob(?, \(expression), 0)", [.text(glob.pattern)] + value.arguments)
            }
            if details.ignoresCase {
                return made("\(expression) LIKE ? ESCAPE '\\'", .text(glob.sqliteLike))
            }
            return made("\(expression) GLOB ?", .text(glob.sqliteGlob))
        case .contains(let needle):
            return made("tape_contains(\(expression), ?)", .text(needle))
        case .regex(let regex):
            return SQLCondition(
                "tape_regex(?, \(expression))", [.text(regex.pattern)] + value.arguments)
        case .words: return .never
        }
    }
}

extension Filter {
    /// The condition on rows of a trace that is equivalent to this filter.
    ///
    /// - Parameter subject: What the rows are: `any_exchange` under the alias `x`,
    ///   `any_command` under `c`, or `any_message` under `m`. Fields that it does not have make
    ///   their comparisons false.
    /// - Returns: ``SQLCondition/never`` where no row can fit.
    public func sql(for subject: FilterSubject) -> SQLCondition {
        SQLCompiler(subject: subject).condition(root)
    }

    /// The same condition for rows whose numbers are from `?1` to `?2`, which precede it in the query.
    ///
    /// Where the filter is about heads and bodies alone, those of all these rows are read in their
    /// order instead of being looked up for each row.
    public func sql(forPagesOf subject: FilterSubject) -> SQLCondition {
        SQLCompiler(subject: subject, isForPages: fields.isSubset(of: Field.ofBodies))
            .condition(root)
    }
}
