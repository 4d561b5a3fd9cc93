import Dissection
import Formats
import Trace
import Wire

/// One line for an exchange or a command, as `ls`, `tail` and `record` print it.
enum ListLine {
    /// `#12  3.201  POST 201 commcare.submit http://host/path  1.2 KB → 312 B  34 ms`.
    static func exchange(
        _ row: ExchangeRow, faults: [String] = [], marks: [DiagnosedRows.Mark] = []
    ) -> String {
        let status = row.status.map(String.init) ?? "---"
        var line = head("#\(row.id)", row.startedAt)
        line +=
            "\(pad(row.method, 6)) \(paint(status, row.status)) \(pad(row.api, 18)) \(clean(url(row)))"
        line += "  \(ByteCount.text(row.requestSize)) → \(ByteCount.text(row.responseSize))"
        if let ended = row.endedAt {
            line += "  \(TimeSpan.text(ended.nanoseconds - row.startedAt.nanoseconds))"
        }
        if row.isLocal { line += "  by tapedeck" }
        if let retry = row.retryAfter { line += "  Retry-After \(clean(retry))" }
        if let problem = row.problem { line += "  ! \(clean(problem))" }
        return line + FateText.word(row.side, row.fate) + mark(faults) + mark(marks)
    }

    /// `c5  3.270  → 0:c notes  {"id":"note1", …`.
    static func command(
        _ row: CommandRow, text: [UInt8], faults: [String] = [], marks: [DiagnosedRows.Mark] = []
    ) -> String {
        var line = head("c\(row.id)", row.at)
        line += row.sender == .client ? "→ " : "← "
        line += row.channel.map { "\($0):" } ?? ""
        line += clean(row.name)
        if let bucket = row.bucket { line += " \(clean(bucket))" }
        if let key = row.key { line += " \(clean(key))" }
        if let error = row.error { line += " " + paint("error \(error)", 500) }
        let end = min(text.count, row.payloadOffset + row.payloadSize)
        if row.payloadOffset < end {
            line += "  \(excerpt(text[row.payloadOffset..<end], 100))"
        }
        if let problem = row.problem { line += "  ! \(clean(problem))" }
        return line + FateText.word(row.side, row.fate) + mark(faults) + mark(marks)
    }

    /// `  finding f1 RULE`, where it shows one or what could not be decided.
    private static func mark(_ marks: [DiagnosedRows.Mark]) -> String {
        marks.map { mark in
            "  " + paint("\(mark.isUndecided ? "undecided" : "finding") \(clean(mark.text))", 400)
        }.joined()
    }

    /// `  fault RULE`, where rules touched it.
    private static func mark(_ faults: [String]) -> String {
        faults.isEmpty ? "" : "  " + paint("fault \(clean(faults.joined(separator: ", ")))", 500)
    }

    /// Absolute URL of an exchange.
    static func url(_ row: ExchangeRow) -> String { row.url }

    /// Text of a peer without terminal control characters.
    static func clean(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return String(
            String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? "\u{FFFD}" : $0 }))
    }

    /// The first `limit` bytes of a text on one line.
    static func excerpt(_ bytes: ArraySlice<UInt8>, _ limit: Int) -> String {
        var part = bytes.prefix(limit)
        if part.count < bytes.count {
            while let last = part.last, last & 0xC0 == 0x80 { part = part.dropLast() }
            if let last = part.last, last >= 0xC0 { part = part.dropLast() }
        }
        let text = String(decoding: part, as: UTF8.self)
            .replacing("\n", with: "⏎").replacing("\t", with: "⇥")
        return clean(text) + (part.count < bytes.count ? "…" : "")
    }

    /// Whether a terminal might act on it instead of showing it.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            || (0x202A...0x202E).contains(scalar.value)
            || (0x2066...0x2069).contains(scalar.value)
    }

    private static func head(_ number: String, _ at: Instant) -> String {
        "\(pad(number, 6)) \(padLeft(TimeSpan.clock(at.nanoseconds), 9))  "
    }

    private static func paint(_ text: String, _ status: Int?) -> String {
        guard StandardOutput.hasColour else { return text }
        let colour =
            switch status ?? 999 {
            case ..<300: 32
            case ..<400: 36
            case ..<500: 33
            default: 31
            }
        return "\u{1B}[\(colour)m\(text)\u{1B}[0m"
    }

    static func pad(_ text: String, _ width: Int) -> String {
        text.count >= width ? text : text + String(repeating: " ", count: width - text.count)
    }

    private static func padLeft(_ text: String, _ width: Int) -> String {
        text.count >= width ? text : String(repeating: " ", count: width - text.count) + text
    }
}
