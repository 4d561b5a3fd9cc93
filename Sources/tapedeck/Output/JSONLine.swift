import Dissection
import Formats
import Notation
import Trace
import Wire

/// One JSON object per line, with the names of the trace's columns.
enum JSONLine {
    /// An exchange.
    static func exchange(
        _ row: ExchangeRow, _ session: SessionID, faults: [String] = [],
        marks: [DiagnosedRows.Mark] = []
    ) -> String {
        text(ExportedRow.exchange(row, session, faults: faults), marks)
    }

    /// A command.
    static func command(
        _ row: CommandRow, _ session: SessionID, _ text: [UInt8], faults: [String] = [],
        marks: [DiagnosedRows.Mark] = []
    ) -> String {
        self.text(ExportedRow.command(row, session, text, faults: faults), marks)
    }

    private static func text(_ row: ExportedRow, _ marks: [DiagnosedRows.Mark]) -> String {
        var row = row
        row.add(
            findings: marks.filter { !$0.isUndecided }.map(\.text),
            undecided: marks.filter(\.isUndecided).map(\.text))
        return row.json
    }
}
