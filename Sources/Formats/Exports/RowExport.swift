internal import Dissection
public import Filters
public import Trace
internal import Wire

/// Writes the rows that fit a filter, for spreadsheets and programs.
public struct RowExport: Sendable {
    /// How rows are written.
    public enum Format: String, Hashable, Sendable, CaseIterable {
        /// A table as RFC 4180 has it, its first line the names of the columns.
        case csv
        /// A JSON object per line.
        case jsonLines = "jsonl"
    }

    /// Which rows are written.
    public enum Rows: String, Hashable, Sendable, CaseIterable {
        /// Exchanges, Simperium commands and the messages of other WebSockets in order of time, as
        /// `tapedeck ls` lists them.
        case lines
        /// Exchanges.
        case exchanges
        /// WebSocket messages.
        case messages
        /// Simperium commands.
        case commands
        /// The changes in those `c` commands that fit the filter.
        case changes
    }

    /// How rows are written.
    public var format: Format
    /// Which rows are written.
    public var rows: Rows
    /// Which of them; nil for all.
    public var filter: Filter?
    /// Whether bodies of exchanges and payloads of messages are written as well.
    public var hasBodies: Bool
    /// Whether cells that a spreadsheet would take for formulas stay as they are in a table.
    public var hasRawCells: Bool

    /// An export of these rows.
    public init(
        _ format: Format, rows: Rows = .lines, filter: Filter? = nil, hasBodies: Bool = false,
        hasRawCells: Bool = false
    ) {
        self.format = format
        self.rows = rows
        self.filter = filter
        self.hasBodies = hasBodies
        self.hasRawCells = hasRawCells
    }

    /// Names of the columns of a table.
    ///
    /// Those of a JSON object are the same, without those that its kind of row does not have, and
    /// `faults` is there only where a fault touched it.
    public var columns: [String] {
        let session = SessionID(0)
        let exchange = ExportedRow.exchange(Tables.exchange.blank, session, since: nil).names
        let command = ExportedRow.command(Tables.command.blank, session, [], since: nil).names
        func message(hasBody: Bool) -> [String] {
            ExportedRow.message(Tables.message.blank, session, since: nil, hasBody: hasBody).names
        }
        let bodies = hasBodies ? ["request_body", "response_body"] : []
        switch rows {
        case .lines:
            var known = exchange + bodies
            for names in [command, message(hasBody: true)] {
                known += names.filter { !known.contains($0) }
            }
            return known + ["faults"]
        case .exchanges: return exchange + bodies + ["faults"]
        case .commands: return command + ["faults"]
        case .messages: return message(hasBody: hasBodies) + ["faults"]
        case .changes:
            return ExportedRow.change(
                Tables.change.blank, of: Tables.command.blank, session, since: nil
            ).names
        }
    }

    /// Writes the rows of the trace at `trace` to a new file at `path`, all or nothing.
    ///
    /// - Parameters:
    ///   - trace: The trace.
    ///   - path: The file, which must not be there; `-` for standard output.
    ///   - goesOn: Called now and then; false ends it.
    /// - Returns: How many rows were written.
    /// - Throws: ``FileError``.
    @discardableResult public func run(
        from trace: String, to path: String, while goesOn: () -> Bool = { true }
    ) throws(FileError) -> Int64 {
        try mappingErrors(of: trace) {
            let reader = try TraceReader(path: trace)
            let file = try NewFile(for: path)
            let columns = columns
            if format == .csv {
                try file.write(Array((columns.joined(separator: ",") + "\r\n").utf8))
            }
            var count: Int64 = 0
            var line: [UInt8] = []
            try forEach(in: reader) { row in
                if count & 0x1FF == 0 {
                    guard goesOn() else { throw FileError.stopped }
                }
                count += 1
                line.removeAll(keepingCapacity: true)
                switch format {
                case .csv:
                    row.writeCSV(columns, isRaw: hasRawCells, to: &line)
                    line.append(0x0D)
                case .jsonLines: row.writeJSON(to: &line)
                }
                line.append(0x0A)
                try file.write(line)
            }
            try file.publish()
            return count
        }
    }

    private func forEach(
        in reader: TraceReader, _ body: (ExportedRow) throws -> Void
    ) throws {
        var faulted = FaultedRows()
        try reader.extend(&faulted)
        let starts = Dictionary(
            uniqueKeysWithValues: try reader.sessions().map { ($0.id, $0.startedUnixNanoseconds) })
        // A reader's callbacks do not throw: what one of them threw is kept until it has returned.
        var failure: (any Error)?
        func keep(_ work: () throws -> Void) -> Bool {
            do {
                try work()
                return true
            } catch {
                failure = error
                return false
            }
        }
        if rows == .messages {
            try reader.messages(filter) { session, row in
                keep {
                    try body(
                        .message(
                            row, session, since: starts[session], hasBody: hasBodies,
                            rules: faulted.rules(of: row.id)))
                }
            }
        } else {
            let messages = rows == .lines ? ListedMessages(for: filter) : .none
            let lines = LineBatches(
                path: reader.path, filter, with: messages,
                rows == .lines || rows == .commands ? .texts : .whole)
            func export(_ lines: ArraySlice<TraceLine>) throws {
                let found = try reader.together { () throws(TraceError) in
                    var found: [ExportedRow] = []
                    for line in lines {
                        found += try exported(line, starts[line.session], reader, faulted)
                    }
                    return found
                }
                for row in found { try body(row) }
            }
            try lines.forEachBatch { batch in
                keep {
                    // Bodies are as long as they are, and one at a time is enough.
                    if hasBodies {
                        for index in batch.indices { try export(batch[index...index]) }
                    } else {
                        try export(batch[...])
                    }
                }
            }
        }
        if let failure { throw failure }
    }

    /// What a line of a listing is written as: nothing where it is not requested.
    private func exported(
        _ line: TraceLine, _ start: Int64?, _ reader: TraceReader, _ faulted: FaultedRows
    ) throws(TraceError) -> [ExportedRow] {
        switch (line, rows) {
        case (.exchange(let session, let row), .lines),
            (.exchange(let session, let row), .exchanges):
            var made = ExportedRow.exchange(row, session, since: start)
            if hasBodies { made.addBodies(of: try reader.exchange(row.id)) }
            made.add(rules: faulted.rules(of: row.id))
            return [made]
        case (.command(let session, let row), .lines), (.command(let session, let row), .commands):
            let text = if let text = row.text { text } else { try reader.text(of: row.id) }
            return [
                .command(
                    row, session, text, since: start, rules: faulted.rules(of: row.message))
            ]
        case (.command(let session, let row), .changes) where row.name == "c":
            return try reader.changes(of: row.id).map {
                .change($0, of: row, session, since: start)
            }
        case (.message(let session, let row), .lines):
            return [
                .message(
                    row, session, since: start, hasBody: true, rules: faulted.rules(of: row.id))
            ]
        default: return []
        }
    }
}
