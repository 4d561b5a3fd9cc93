public import Filters
internal import Storage

/// A value that rows have, and how many have it.
public struct CountedValue: Hashable, Sendable {
    /// The value as a filter names it.
    public var value: String
    /// The number of rows.
    public var count: Int
}

extension TraceReader {
    /// The values of a field that occur, the most frequent first.
    ///
    /// Looks at the newest rows of each kind, so that it takes a part of a second in any trace.
    ///
    /// - Parameters:
    ///   - field: The field.
    ///   - filter: Of which rows; nil for all.
    ///   - limit: The maximum number of values.
    /// - Returns: The values, and whether all rows were looked at.
    /// - Throws: ``TraceError`` with code `storage`.
    public func values(
        of field: Field, _ filter: Filter? = nil, limit: Int
    ) throws(TraceError) -> (values: [CountedValue], isComplete: Bool) {
        try reported { () throws(StorageFault) in
            var counts: [String: Int] = [:]
            var isComplete = true
            for subject in FilterSubject.allCases {
                guard let value = field.countable(for: subject) else { continue }
                let condition = filter?.sql(for: subject) ?? .always
                guard condition != .never else { continue }
                let (table, alias) = (subject.table, subject.alias)
                let last = try db.integer("SELECT max(id) FROM \(table)")
                let first = max(0, last - Self.looked)
                if first > 0 { isComplete = false }
                let statement = try db.prepare(
                    """
                    SELECT \(value), count(*) FROM \(table) \(alias)
                    WHERE \(alias).id > ?1 AND \(alias).side <> 'server' AND \(condition.text)
                    GROUP BY 1 HAVING \(value) IS NOT NULL
                    """)
                statement.bind(1, first)
                for (index, argument) in zip(Int32(2)..., condition.arguments) {
                    statement.bind(index, argument)
                }
                while try statement.step() {
                    counts[statement.string(0), default: 0] += Int(statement.integer(1))
                }
            }
            let sorted = counts.sorted {
                $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value
            }
            return (
                sorted.prefix(limit).map { CountedValue(value: $0.key, count: $0.value) },
                isComplete && sorted.count <= limit
            )
        }
    }

    /// Rows of each kind that are looked at.
    private static let looked: Int64 = 200_000
}
