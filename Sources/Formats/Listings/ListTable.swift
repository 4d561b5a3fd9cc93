/// A table of a listing: names, and lines with a value for each.
public struct ListTable: Sendable {
    /// A column.
    public struct Name: Hashable, Sendable {
        /// As it is asked for.
        public var name: String
        /// As programs read it, with the unit.
        public var exported: String

        /// A column of this name.
        public init(_ name: String, exported: String) {
            self.name = name
            self.exported = exported
        }
    }

    /// The columns.
    public let names: [Name]
    /// The lines, each with as many values.
    public private(set) var lines: [[ListCell]] = []

    /// A table of columns with these names.
    public init(names: [Name]) { self.names = names }

    /// A table of rows.
    public init(_ columns: [ListColumn]) {
        names = columns.map { Name($0.rawValue, exported: $0.exportedName) }
    }

    /// A table of statistics.
    public init(_ statistics: RowStatistics) {
        self.init(statistics.columns, groups: statistics.lines)
    }

    /// A table of statistics by these columns, with lines of values and measures in any order.
    public init(_ columns: [ListColumn], groups: [[ListCell]]) {
        names =
            columns.map { Name($0.rawValue, exported: $0.exportedName) }
            + RowStatistics.Measure.allCases.map { Name($0.rawValue, exported: $0.exportedName) }
        lines = RowStatistics.ordered(groups, keys: columns.count)
    }

    /// Adds a line.
    public mutating func add(_ line: [ListCell]) { lines.append(line) }

    /// Sorts the lines by a column; those that are alike keep their order.
    public mutating func sort(by column: Int, isDescending: Bool) {
        lines = lines.enumerated().sorted { a, b in
            let (first, second) = (a.element[column], b.element[column])
            if first.precedes(second) { return !isDescending }
            if second.precedes(first) { return isDescending }
            return a.offset < b.offset
        }.map(\.element)
    }

    /// Keeps the first lines.
    public mutating func limit(to count: Int) { lines = Array(lines.prefix(count)) }

    /// The lines as objects of JSON, one each, or as a table as RFC 4180 has it, without line ends.
    ///
    /// Times are nanoseconds, or text in UTC; sizes are bytes.
    public func exported(asJSON isJSON: Bool) -> [String] {
        let columns = names.map(\.exported)
        let rows = lines.map { line in
            ExportedRow(zip(columns, line).map { ($0, $1.exported) })
        }
        if isJSON { return rows.map(\.json) }
        return [columns.joined(separator: ",")] + rows.map { $0.csv(columns) }
    }
}
