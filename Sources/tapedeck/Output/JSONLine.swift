import Dissection
import Formats
import Notation
import Wire

/// One JSON object per line, with the names of the trace's columns.
enum JSONLine {
    /// An exchange; with its time where its session began `since` so many nanoseconds after 1970.
    static func exchange(
        _ row: ExchangeRow, _ session: SessionID, since start: Int64? = nil, faults: [String] = []
    ) -> String {
        ExportedRow.exchange(row, session, since: start, faults: faults).json
    }

    /// A command.
    static func command(
        _ row: CommandRow, _ session: SessionID, _ text: [UInt8], since start: Int64? = nil,
        faults: [String] = []
    ) -> String {
        ExportedRow.command(row, session, text, since: start, faults: faults).json
    }

    /// A WebSocket message.
    static func message(
        _ row: MessageRow, _ session: SessionID, since start: Int64? = nil, faults: [String] = []
    ) -> String {
        ExportedRow.message(row, session, since: start, hasBody: true, faults: faults).json
    }
}
