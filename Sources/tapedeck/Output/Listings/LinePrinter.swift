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
    private var style: ListStyle
    private var buffer = ""
    private var faulted = FaultedRows()
    private var diagnosed = DiagnosedRows()
    private var times: TimeColumn
    private var starts: [SessionID: Int64] = [:]
    private var sockets: [ExchangeID: SocketSize] = [:]

    init(isJSON: Bool, times notation: TimeNotation, style: ListStyle = .standard) {
        self.isJSON = isJSON
        self.style = style
        times = TimeColumn(notation)
        self.style.timeWidth = times.width
    }

    /// Records which rows were touched by faults, and when sessions began.
    func learn(from reader: TraceReader) throws(TraceError) {
        try reader.extend(&faulted)
        let sessions = try reader.sessions()
        times.learn(sessions)
        for session in sessions { starts[session.id] = session.startedUnixNanoseconds }
    }

    /// Records which rows show findings or what could not be decided.
    func learnFindings(from reader: TraceReader) throws(TraceError) {
        diagnosed = try reader.diagnosedRows()
    }

    /// Records the sizes of WebSockets, which the exchanges that opened them do not have.
    func learnSockets(from reader: TraceReader, of side: LineSide) throws(TraceError) {
        guard !isJSON else { return }
        sockets = try reader.socketSizes(of: side)
    }

    /// Prints one line, soon.
    func print(_ line: TraceLine, _ texts: inout CommandTexts) {
        if isJSON {
            buffer += json(line, &texts)
        } else {
            if let mark = times.mark(before: line.at, in: line.session) {
                buffer += (style.columns.map { TextWidth.cut(mark, $0) } ?? mark) + "\n"
            }
            buffer += text(line, time: times.next(line.at, in: line.session), &texts)
        }
        buffer += "\n"
        if buffer.utf8.count > 1 << 16 { flush() }
    }

    private func text(_ line: TraceLine, time: String, _ texts: inout CommandTexts) -> String {
        switch line {
        case .exchange(_, let row):
            ListLine.exchange(
                row, time: time, style, rules: faulted.rules(of: row.id),
                marks: diagnosed.marks(of: row.id), socket: sockets[row.id])
        case .command(_, let row):
            ListLine.command(
                row, text: texts.text(of: row), time: time, style,
                rules: faulted.rules(of: row.message), marks: diagnosed.marks(of: row.id))
        case .message(_, let row):
            ListLine.message(row, time: time, style, rules: faulted.rules(of: row.id))
        }
    }

    private func json(_ line: TraceLine, _ texts: inout CommandTexts) -> String {
        let start = starts[line.session]
        return switch line {
        case .exchange(let session, let row):
            JSONLine.exchange(
                row, session, since: start, rules: faulted.rules(of: row.id),
                marks: diagnosed.marks(of: row.id))
        case .command(let session, let row):
            JSONLine.command(
                row, session, texts.text(of: row), since: start,
                rules: faulted.rules(of: row.message), marks: diagnosed.marks(of: row.id))
        case .message(let session, let row):
            JSONLine.message(row, session, since: start, rules: faulted.rules(of: row.id))
        }
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
