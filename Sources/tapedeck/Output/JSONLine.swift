import Dissection
import Formats
import Notation
import Trace
import Wire

/// One JSON object per line, with the names of the trace's columns.
enum JSONLine {
    /// An exchange; with its time where its session began `since` so many nanoseconds after 1970.
    static func exchange(
        _ row: ExchangeRow, _ session: SessionID, since start: Int64? = nil,
        rules: TouchingRules = [],
        marks: [DiagnosedRows.Mark] = []
    ) -> ExportedRow {
        marked(ExportedRow.exchange(row, session, since: start, rules: rules), marks)
    }

    /// A command.
    static func command(
        _ row: CommandRow, _ session: SessionID, _ text: [UInt8], since start: Int64? = nil,
        rules: TouchingRules = [], marks: [DiagnosedRows.Mark] = []
    ) -> ExportedRow {
        marked(ExportedRow.command(row, session, text, since: start, rules: rules), marks)
    }

    /// A WebSocket message.
    static func message(
        _ row: MessageRow, _ session: SessionID, since start: Int64? = nil,
        rules: TouchingRules = []
    ) -> ExportedRow {
        ExportedRow.message(row, session, since: start, hasBody: true, rules: rules)
    }

    private static func marked(
        _ row: ExportedRow, _ marks: [DiagnosedRows.Mark]
    ) -> ExportedRow {
        guard !marks.isEmpty else { return row }
        var row = row
        row.add(
            findings: marks.filter { !$0.isUndecided }.map(\.text),
            undecided: marks.filter(\.isUndecided).map(\.text))
        return row
    }
}
