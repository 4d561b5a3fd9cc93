import Dissection
import Filters
import Fleet
import Formats
import Trace
import Wire

/// A line of a trace or a fleet, which is printed after it was sorted.
enum SortedLine {
    case trace(TraceLine)
    case fleet(FleetLine)
}

/// Tables and statistics of the rows.
extension ListCommand {
    /// Prints the table or the sorted lines that the options ask for.
    func printTable(_ filter: Filter?, _ reader: TraceReader) throws {
        try printTable(
            rows: { limit, body in
                try forEachRow(filter, reader, limit: limit) { body($0, .trace($0.line)) }
            },
            statistics: { columns in
                var statistics = RowStatistics(by: columns)
                try forEachRow(filter, reader, limit: nil) { statistics.add($0) }
                return ListTable(statistics)
            },
            lines: { lines in
                try reader.reading { reader throws(TraceError) in
                    let printer = LinePrinter(isJSON: json, times: times.time)
                    var texts = CommandTexts(reader: reader)
                    try printer.learn(from: reader)
                    printer.showSockets(of: side.lines)
                    for case .trace(let line) in lines { printer.print(line, &texts) }
                    printer.flush()
                }
            })
    }

    /// Prints the table or the sorted lines that the options ask for.
    ///
    /// - Parameters:
    ///   - rows: Passes on the rows, at most as many as given, each as it is printed.
    ///   - statistics: Makes the statistics by columns.
    ///   - print: Prints lines.
    /// - Throws: ``Failure`` for a column that there is not, and what these throw.
    func printTable(
        rows: (_ limit: Int?, _ body: (ListedRow, SortedLine) -> Void) throws -> Void,
        statistics: ([ListColumn]) throws -> ListTable, lines print: ([SortedLine]) throws -> Void
    ) throws {
        let order = tables.sortedBy()
        if let groups = try tables.groupColumns() {
            var table = try statistics(groups)
            try sort(&table, order)
            if let limit { table.limit(to: limit) }
            return write(table)
        }
        if let columns = try tables.tableColumns() {
            // A column to sort by need not be shown.
            let key = try order.map { order throws(Failure) in try TableOptions.column(order.name) }
            var table = ListTable(columns)
            var keyed: [(ListCell, [ListCell])] = []
            try rows(order == nil ? limit : nil) { row, _ in
                let cells = columns.map { $0.value(of: row) }
                if let key { keyed.append((key.value(of: row), cells)) } else { table.add(cells) }
            }
            for line in Self.sorted(keyed, isDescending: order?.isDescending ?? false) {
                table.add(line)
            }
            if let limit { table.limit(to: limit) }
            return write(table)
        }
        guard let order else { return }
        let key = try TableOptions.column(order.name)
        var keyed: [(ListCell, SortedLine)] = []
        try rows(nil) { keyed.append((key.value(of: $0), $1)) }
        let lines = Self.sorted(keyed, isDescending: order.isDescending)
        try print(Array(lines.prefix(limit ?? .max)))
    }

    private func forEachRow(
        _ filter: Filter?, _ reader: TraceReader, limit: Int?, _ body: (ListedRow) -> Void
    ) throws {
        try PatienceLine.during("reading \(reader.path)") {
            try readRows(filter, reader, limit: limit, body)
        }
    }

    private func readRows(
        _ filter: Filter?, _ reader: TraceReader, limit: Int?, _ body: (ListedRow) -> Void
    ) throws {
        try reader.reading { reader throws(TraceError) in
            var faulted = FaultedRows()
            try reader.extend(&faulted)
            var starts: [SessionID: Int64] = [:]
            for session in try reader.sessions() {
                starts[session.id] = session.startedUnixNanoseconds
            }
            let messages = ListedMessages(for: filter)
            try reader.lines(filter, with: messages, of: side.lines, limit: limit) { line in
                let rules =
                    switch line {
                    case .exchange(_, let row): faulted.rules(of: row.id)
                    case .command(_, let row): faulted.rules(of: row.message)
                    case .message(_, let row): faulted.rules(of: row.id)
                    }
                body(ListedRow(line, since: starts[line.session], rules: rules))
                return true
            }
        }
    }

    private func sort(
        _ table: inout ListTable, _ order: (name: String, isDescending: Bool)?
    ) throws(Failure) {
        guard let order else { return }
        guard let column = table.names.firstIndex(where: { $0.name == order.name }) else {
            throw TableOptions.unknown(order.name, among: table.names.map(\.name))
        }
        table.sort(by: column, isDescending: order.isDescending)
    }

    private static func sorted<Row>(
        _ keyed: [(ListCell, Row)], isDescending: Bool
    ) -> [Row] {
        keyed.enumerated().sorted { a, b in
            if a.element.0.precedes(b.element.0) { return !isDescending }
            if b.element.0.precedes(a.element.0) { return isDescending }
            return a.offset < b.offset
        }.map(\.element.1)
    }

    private func write(_ table: ListTable) {
        guard !json, !tables.csv else {
            let end = json ? "\n" : "\r\n"
            let lines = table.exported(asJSON: json)
            StandardOutput.write(lines.map { $0 + end }.joined())
            return
        }
        StandardOutput.write(TextTable(columns: Terminal.columns).text(table))
    }
}
