import Dissection
import Foundation
import Trace
import Wire

/// The texts of commands, which listings of rows do not carry.
struct CommandTexts {
    let reader: TraceReader

    /// The whole text of a command; empty where it can not be read.
    mutating func text(of row: CommandRow) -> [UInt8] {
        (try? reader.text(of: row.id)) ?? []
    }
}

/// Prints lines of a listing, as text or JSON, many at a time.
final class LinePrinter {
    private let isJSON: Bool
    private var buffer = ""

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// Prints one line, soon.
    func print(_ line: TraceLine, _ texts: inout CommandTexts) {
        switch line {
        case .exchange(let session, let row):
            buffer += isJSON ? JSONLine.exchange(row, session) : ListLine.exchange(row)
        case .command(let session, let row):
            let text = texts.text(of: row)
            buffer +=
                isJSON ? JSONLine.command(row, session, text) : ListLine.command(row, text: text)
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
