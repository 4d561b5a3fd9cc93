import Diagnosis
import Dissection
import Fleet
import Formats
import Foundation
import Trace
import Wire

/// The texts of commands, of which listings of rows carry short ones alone.
struct CommandTexts {
    let reader: TraceReader

    /// The whole text of a command; empty where it cannot be read.
    mutating func text(of row: CommandRow) -> [UInt8] {
        row.text ?? (try? reader.text(of: row.id)) ?? []
    }
}

/// Prints lines of a listing, as text or JSON, many at a time.
final class LinePrinter {
    private let isJSON: Bool
    private var style: ListStyle
    private var buffer = LineText()
    /// Bytes that are printed at once: the first lines soon, and then more and more.
    private var enough = 1 << 10
    private var faulted = FaultedRows()
    private var diagnosed = DiagnosedRows()
    private var times: TimeColumn
    private var starts: [SessionID: Int64] = [:]
    /// Whose sockets have sizes in this listing; nil for none.
    private var socketSide: LineSide?
    /// The sizes, once a socket is printed: finding them takes a look at every message.
    private var sockets: [ExchangeID: SocketSize]?
    /// The sessions of a fleet, under numbers of which each is one session's.
    private var fleet: [FleetSession: SessionID] = [:]

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

    /// Shows exchanges that opened WebSockets with the sizes of these, which they do not have.
    func showSockets(of side: LineSide) { socketSide = isJSON ? nil : side }

    /// Prints one line, soon.
    func print(_ line: TraceLine, _ texts: inout CommandTexts) {
        print(line, facts(of: line, &texts), timesOf: line.session)
    }

    /// Prints one line of a fleet, soon.
    func print(_ line: FleetLine) {
        // Sessions of several recorders have the same numbers.
        let number = fleet[line.session] ?? SessionID(Int64(fleet.count + 1))
        if fleet.updateValue(number, forKey: line.session) == nil {
            times.learn(
                number, startedAt: line.session.startedUnixNanoseconds,
                title: ListLine.clean(line.session.title))
        }
        let facts = LineFacts(
            start: line.session.startedUnixNanoseconds, rules: line.rules, marks: line.marks,
            text: line.text, socket: isJSON ? nil : line.socket, session: line.session)
        print(line.line, facts, timesOf: number)
    }

    private func print(_ line: TraceLine, _ facts: LineFacts, timesOf session: SessionID) {
        if isJSON {
            let row = json(line, facts)
            buffer.addLine { row.writeJSON(to: &$0) }
        } else {
            if let mark = times.mark(before: line.at, in: session) {
                buffer.add(style.columns.map { TextWidth.cut(mark, $0) } ?? mark)
                buffer.endLine()
            }
            write(line, time: times.next(line.at, in: session), facts)
            buffer.endLine()
        }
        guard buffer.bytes.count > enough else { return }
        enough = min(2 * enough, 1 << 16)
        flush()
    }

    private func facts(of line: TraceLine, _ texts: inout CommandTexts) -> LineFacts {
        let start = starts[line.session]
        return switch line {
        case .exchange(_, let row):
            LineFacts(
                start: start, rules: faulted.rules(of: row.id), marks: diagnosed.marks(of: row.id),
                socket: size(of: row, texts.reader))
        case .command(_, let row):
            LineFacts(
                start: start, rules: faulted.rules(of: row.message),
                marks: diagnosed.marks(of: row.id), text: texts.text(of: row))
        case .message(_, let row): LineFacts(start: start, rules: faulted.rules(of: row.id))
        }
    }

    private func write(_ line: TraceLine, time: String, _ facts: LineFacts) {
        switch line {
        case .exchange(_, let row):
            ListLine.write(
                row, time: time, style, rules: facts.rules, marks: facts.marks,
                socket: facts.socket, to: &buffer)
        case .command(_, let row):
            buffer.add(
                ListLine.command(
                    row, text: facts.text, time: time, style, rules: facts.rules,
                    marks: facts.marks),
                columns: 0)
        case .message(_, let row):
            buffer.add(
                ListLine.message(row, time: time, style, rules: facts.rules), columns: 0)
        }
    }

    /// The size of the socket that an exchange opened; nil where it cannot be read.
    private func size(of row: ExchangeRow, _ reader: TraceReader) -> SocketSize? {
        guard row.status == 101, let socketSide else { return nil }
        let known = sockets ?? (try? reader.socketSizes(of: socketSide)) ?? [:]
        sockets = known
        return known[row.id]
    }

    private func json(_ line: TraceLine, _ facts: LineFacts) -> ExportedRow {
        var made =
            switch line {
            case .exchange(let session, let row):
                JSONLine.exchange(
                    row, session, since: facts.start, rules: facts.rules, marks: facts.marks)
            case .command(let session, let row):
                JSONLine.command(
                    row, session, facts.text, since: facts.start, rules: facts.rules,
                    marks: facts.marks)
            case .message(let session, let row):
                JSONLine.message(row, session, since: facts.start, rules: facts.rules)
            }
        if let session = facts.session {
            made.add(
                recorder: session.recorder,
                labels: session.labels.map { "\($0.name)=\($0.value)" })
        }
        return made
    }

    /// Prints what waits.
    func flush() {
        guard !buffer.bytes.isEmpty else { return }
        StandardOutput.write(bytes: buffer.bytes)
        buffer.removeAll()
    }
}

/// What a line shows beside its row.
private struct LineFacts {
    /// When its session began, in nanoseconds since 1970.
    var start: Int64?
    var rules: TouchingRules = []
    var marks: [DiagnosedRows.Mark] = []
    /// The whole text of a command.
    var text: [UInt8] = []
    var socket: SocketSize?
    /// The session, in a fleet.
    var session: FleetSession?
}

extension DiagnosedRows.Mark {
    /// `f1 simperium.change.forgotten`.
    var text: String {
        let number = FindingNumber(
            isUndecided ? .undecided : .finding, session: session, place: place)
        return "\(number) \(rule)"
    }
}
