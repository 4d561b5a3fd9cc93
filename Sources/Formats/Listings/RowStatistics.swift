/// Counts, errors, durations and bytes of rows, together or for each group of them.
public struct RowStatistics: Sendable {
    /// The columns whose values make the groups; none for all rows together.
    public let columns: [ListColumn]
    private var groups: [[ListCell]: Group] = [:]

    private struct Group {
        var count: Int64 = 0
        var errors: Int64 = 0
        var bytes: Int64 = 0
        var nanoseconds: [Int64] = []
    }

    /// A measure of a group.
    public enum Measure: String, Hashable, Sendable, CaseIterable {
        /// Number of rows.
        case count
        /// How many of them failed.
        case errors
        /// Half of the durations are as long or shorter.
        case p50
        /// Nine tenths of the durations are as long or shorter.
        case p90
        /// 99 hundredths of the durations are as long or shorter.
        case p99
        /// The longest duration.
        case max
        /// Bytes of content.
        case bytes

        /// The name in tables for programs: with the unit, where there is one.
        public var exportedName: String {
            switch self {
            case .p50, .p90, .p99, .max: rawValue + "_ns"
            case .count, .errors, .bytes: rawValue
            }
        }
    }

    /// Statistics by these columns.
    public init(by columns: [ListColumn]) { self.columns = columns }

    /// Takes a row.
    public mutating func add(_ row: ListedRow) {
        let key = columns.map { $0.value(of: row) }
        var group = groups.removeValue(forKey: key) ?? Group()
        group.count += 1
        group.errors += row.isError ? 1 : 0
        group.bytes &+= row.bytes
        if let span = row.nanoseconds { group.nanoseconds.append(span) }
        groups[key] = group
    }

    /// A line for each group: its values, then its measures in their order.
    ///
    /// The most frequent groups come first; those that are as frequent in the order of their values.
    public var lines: [[ListCell]] {
        let lines = groups.map { key, group in
            let spans = group.nanoseconds.sorted()
            func percentile(_ percent: Int) -> ListCell {
                Self.percentile(percent, of: spans).map { .nanoseconds($0) } ?? .none
            }
            return key + [
                .number(group.count), .number(group.errors), percentile(50), percentile(90),
                percentile(99), percentile(100), .bytes(group.bytes),
            ]
        }
        return Self.ordered(lines, keys: columns.count)
    }

    /// Lines of `keys` values and then measures, in the order of ``lines``.
    static func ordered(_ lines: [[ListCell]], keys: Int) -> [[ListCell]] {
        lines.sorted { a, b in
            let (first, second) = (a[keys], b[keys])
            if first != second { return second.precedes(first) }
            for index in 0..<keys where a[index] != b[index] {
                return a[index].precedes(b[index])
            }
            return false
        }
    }

    /// The value that `percent` hundredths of the sorted values do not exceed, by the nearest rank.
    static func percentile(_ percent: Int, of sorted: [Int64]) -> Int64? {
        guard !sorted.isEmpty else { return nil }
        let rank = (sorted.count * percent + 99) / 100
        return sorted[min(max(rank, 1), sorted.count) - 1]
    }
}
