import Dissection
import Formats
import Notation
import Wire

/// One JSON object per line, with the names of the trace's columns.
enum JSONLine {
    /// An exchange.
    static func exchange(
        _ row: ExchangeRow, _ session: SessionID, faults: [String] = []
    ) -> String {
        ExportedRow.exchange(row, session, faults: faults).json
    }

    /// A command.
    static func command(
        _ row: CommandRow, _ session: SessionID, _ text: [UInt8], faults: [String] = []
    ) -> String {
        ExportedRow.command(row, session, text, faults: faults).json
    }
}
