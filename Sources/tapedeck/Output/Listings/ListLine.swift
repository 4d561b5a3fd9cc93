import Dissection
import Formats
import Notation
import Trace
import Wire

/// One line for an exchange, a command or a message, as `ls`, `tail` and `record` print it.
///
/// It takes the columns of its style: what does not fit is left out where it says least, a URL in its
/// middle, a payload at its end.
enum ListLine {
    /// `#12  3.201  POST   201 commcare.submit  1.2 KB → 312 B  34 ms  http://host/path  fault RULE  ! why`.
    ///
    /// - Parameters:
    ///   - row: The exchange.
    ///   - time: Its time as it is written.
    ///   - style: How the line looks.
    ///   - rules: The rules that touched it.
    ///   - marks: The findings, and what could not be decided, that it shows.
    ///   - socket: What the messages of a WebSocket have together.
    /// - Returns: The line, without line end.
    static func exchange(
        _ row: ExchangeRow, time: String, _ style: ListStyle, rules: TouchingRules = [],
        marks: [DiagnosedRows.Mark] = [], socket: SocketSize? = nil
    ) -> String {
        var line = LineText()
        write(row, time: time, style, rules: rules, marks: marks, socket: socket, to: &line)
        return line.text
    }

    /// Appends the line of ``exchange(_:time:_:rules:marks:socket:)``.
    static func write(
        _ row: ExchangeRow, time: String, _ style: ListStyle, rules: TouchingRules = [],
        marks: [DiagnosedRows.Mark] = [], socket: SocketSize? = nil, to line: inout LineText
    ) {
        let end = line.columns + 6
        line.add("#", columns: 1)
        line.add(row.id.rawValue)
        line.addBlanks(end - line.columns + 1)
        line.add(time, paddedLeft: style.timeWidth)
        line.addBlanks(2)
        line.add(cleaned: row.method, padded: 6)
        line.addBlanks(1)
        let status = row.status.map(String.init) ?? "---"
        line.add(style.painted(status, row.status), columns: status.utf8.count)
        line.addBlanks(1)
        if style.isWide {
            line.add(cleaned: row.api, padded: 18)
            line.addBlanks(1)
        }
        if style.hasMeasures {
            let request = socket?.clientBytes ?? row.requestSize
            let response = socket?.serverBytes ?? row.responseSize
            if style.isWide {
                line.add(ByteCount.text(request), paddedLeft: 6)
                line.add(" → ", columns: 3)
            }
            line.add(ByteCount.text(response), paddedLeft: 6)
            line.addBlanks(1)
            let span = row.endedAt.map { $0.nanoseconds - row.startedAt.nanoseconds }
            line.add(span.map(TimeSpan.text) ?? "", paddedLeft: 6)
            line.addBlanks(2)
        }
        var notes = ""
        if row.isLocal { notes += "  by tapedeck" }
        if let retry = row.retryAfter { notes += "  Retry-After \(clean(retry))" }
        if let problem = row.problem { notes += "  ! \(clean(problem))" }
        notes += FateText.word(row.side, row.fate)
        let remark = remark(rules, marks)
        guard style.columns != nil else {
            line.addURL(of: row)
            if !remark.isEmpty { line.add("  " + style.painted(remark, nil), columns: 0) }
            return line.add(notes, columns: 0)
        }
        let target = clean(style.isWide ? row.url : nameAndPath(row))
        let rest = ending(
            target, TextWidth.shortened, notes, remark, taken: line.columns, style)
        line.add(rest, columns: 0)
    }

    /// `c5  3.270  → 0:c notes  {"id":"note1", …`.
    static func command(
        _ row: CommandRow, text: [UInt8], time: String, _ style: ListStyle,
        rules: TouchingRules = [],
        marks: [DiagnosedRows.Mark] = []
    ) -> String {
        var start = head("c\(row.id)", time, style)
        start += row.sender == .client ? "→ " : "← "
        start += row.channel.map { "\($0):" } ?? ""
        start += clean(row.name)
        if let bucket = row.bucket { start += " \(clean(bucket))" }
        if let key = row.key { start += " \(clean(key))" }
        let error = row.error.map { "error \($0)" } ?? ""
        let end = min(text.count, row.payloadOffset + row.payloadSize)
        let payload = row.payloadOffset < end ? text[row.payloadOffset..<end] : []
        let notes =
            (row.problem.map { "  ! \(clean($0))" } ?? "") + FateText.word(row.side, row.fate)
        return start + (error.isEmpty ? "" : " " + style.painted(error, nil))
            + (payload.isEmpty ? "" : "  ")
            + ending(
                excerpt(payload, excerptBytes(style)), TextWidth.cut, notes, remark(rules, marks),
                taken: TextWidth.of(start) + (error.isEmpty ? 0 : TextWidth.of(error) + 1) + 2,
                style)
    }

    /// `m7  3.270  → text     12 B  hello`.
    static func message(
        _ row: MessageRow, time: String, _ style: ListStyle, rules: TouchingRules = []
    ) -> String {
        var start = head("m\(row.id)", time, style)
        start += row.sender == .client ? "→ " : "← "
        start += pad(MessagePage.opcode(row.opcode), 6) + " "
        start += padLeft(ByteCount.text(row.size), 6) + "  "
        let isBare = row.closeCode != nil && row.payload.count <= 2
        if let code = row.closeCode { start += "code \(code)\(isBare ? "" : "  ")" }
        let content = row.closeCode == nil ? row.payload[...] : row.payload.dropFirst(2)
        let limit = excerptBytes(style)
        let payload =
            row.isText || row.closeCode != nil
            ? excerpt(content, limit) : Hexadecimal.text(Array(content.prefix(limit / 4)))
        let notes =
            (row.problem.map { "  ! \(clean($0))" } ?? "") + FateText.word(row.side, row.fate)
        return start
            + ending(
                payload, TextWidth.cut, notes, remark(rules, []), taken: TextWidth.of(start), style
            )
    }

    /// `fault RULE  finding f1 RULE`: what touched a row and what it shows.
    private static func remark(_ rules: TouchingRules, _ marks: [DiagnosedRows.Mark]) -> String {
        if rules.isEmpty, marks.isEmpty { return "" }
        var parts = rules.faults.isEmpty ? [] : ["fault \(rules.faults.joined(separator: ", "))"]
        if !rules.edits.isEmpty { parts.append("edit \(rules.edits.joined(separator: ", "))") }
        parts += marks.map { "\($0.isUndecided ? "undecided" : "finding") \($0.text)" }
        return clean(parts.joined(separator: "  "))
    }

    /// The last column and the notes behind it, in the columns that are left.
    private static func ending(
        _ text: String, _ shorten: (String, Int) -> String, _ notes: String, _ remark: String,
        taken: @autoclosure () -> Int, _ style: ListStyle
    ) -> String {
        guard let left = style.left(after: taken()) else {
            return text + (remark.isEmpty ? "" : "  " + style.painted(remark, nil)) + notes
        }
        // What is said about a row says more than the end of a long URL, and faults and findings
        // say most.
        let said = TextWidth.of(notes) + (remark.isEmpty ? 0 : TextWidth.of(remark) + 2)
        let own = min(TextWidth.of(text), max(left - said, min(left, 12)))
        var rest = left - own
        let shown = rest > 3 && !remark.isEmpty ? TextWidth.cut(remark, rest - 2) : ""
        if !shown.isEmpty { rest -= TextWidth.of(shown) + 2 }
        return shorten(text, own) + (shown.isEmpty ? "" : "  " + style.painted(shown, nil))
            + (rest > 3 ? TextWidth.cut(notes, rest) : "")
    }

    /// What an exchange is for and its path, for lines that have no room for both as columns.
    private static func nameAndPath(_ row: ExchangeRow) -> String {
        guard row.api != "http", row.api != "websocket", row.method != "CONNECT" else {
            return row.url.hasPrefix("http://") ? String(row.url.dropFirst(7)) : row.url
        }
        return "\(row.api) \(row.path)" + (row.query.map { "?\($0)" } ?? "")
    }

    /// Bytes of a payload that are worth formatting.
    private static func excerptBytes(_ style: ListStyle) -> Int {
        style.columns.map { max(4 * $0, 100) } ?? 100
    }

    /// Text of a peer without terminal control characters.
    static func clean(_ text: String) -> String {
        // Nearly all are of ASCII, which takes few instructions to find out here.
        var copy = text
        let isPlain = copy.withUTF8 { $0.allSatisfy { 0x20 <= $0 && $0 < 0x7F } }
        return isPlain ? text : TerminalText.clean(text)
    }

    /// The first `limit` bytes of a text on one line.
    static func excerpt(_ bytes: ArraySlice<UInt8>, _ limit: Int) -> String {
        var part = bytes.prefix(limit)
        if part.count < bytes.count {
            while let last = part.last, last & 0xC0 == 0x80 { part = part.dropLast() }
            if let last = part.last, last >= 0xC0 { part = part.dropLast() }
        }
        var text = String(decoding: part, as: UTF8.self)
        if part.contains(where: { $0 == 0x0A || $0 == 0x09 }) {
            text = text.replacing("\n", with: "⏎").replacing("\t", with: "⇥")
        }
        return clean(text) + (part.count < bytes.count ? "…" : "")
    }

    private static func head(_ number: String, _ time: String, _ style: ListStyle) -> String {
        "\(pad(number, 6)) \(padLeft(time, style.timeWidth))  "
    }

    static func pad(_ text: String, _ width: Int) -> String { TextWidth.padded(text, width) }

    private static func padLeft(_ text: String, _ width: Int) -> String {
        TextWidth.paddedLeft(text, width)
    }
}
