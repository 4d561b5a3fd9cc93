import Diagnosis
import Dissection
import Foundation
import Trace
import Wire

/// The texts of commands, which listings of rows do not carry.
struct CommandTexts {
    let reader: TraceReader

    /// The whole text of a command; empty where it cannot be read.
    mutating func text(of row: CommandRow) -> [UInt8] {
        (try? reader.text(of: row.id)) ?? []
    }
}

/// Prints lines of a listing, as text or JSON, many at a time.
final class LinePrinter {
    private let isJSON: Bool
    private var buffer = ""
    private var faulted = FaultedRows()
    private var diagnosed = DiagnosedRows()

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// Records which rows were touched by faults.
    func learn(from reader: TraceReader) throws(TraceError) { try reader.extend(&faulted) }

    /// Records which rows show findings or what could not be decided.
    func learnFindings(from reader: TraceReader) throws(TraceError) {
        diagnosed = try reader.diagnosedRows()
    }

    /// Prints one line, soon.
    func print(_ line: TraceLine, _ texts: inout CommandTexts) {
        switch line {
        case .exchange(let session, let row):
            let faults = faulted.rules(of: row.id)
            buffer +=
                isJSON
                ? JSONLine.exchange(
                    row, session, faults: faults, marks: diagnosed.marks(of: row.id))
                : ListLine.exchange(row, faults: faults, marks: diagnosed.marks(of: row.id))
        case .command(let session, let row):
            let text = texts.text(of: row)
            let faults = faulted.rules(of: row.message)
            buffer +=
                isJSON
                ? JSONLine.command(
                    row, session, text, faults: faults, marks: diagnosed.marks(of: row.id))
                : ListLine.command(
                    row, text: text, faults: faults, marks: diagnosed.marks(of: row.id))
        }
        buffer += "\n"
        if buffer.utf8.count > 1 << 16 { flush() }
    }

    /// Prints what waits.
    func flush() {
        guard !buffer.isEmpty else { return }
        StandardOutput.write(buffer)
        buffer = ""
    }
}

extension DiagnosedRows.Mark {
    /// `f1 simperium.change.forgotten`.
    var text: String {
        let number = FindingNumber(
            isUndecided ? .undecided : .finding, session: session, place: place)
        return "\(number) \(rule)"
    }
}
