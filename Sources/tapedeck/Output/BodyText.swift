import Notation
import OpenRosa
import Wire

/// Formats the content of a body or message as text.
enum BodyText {
    /// XML and JSON with a line per element or member, other text as it is, bytes as a hex dump.
    static func text(_ content: [UInt8], isText: Bool) -> String {
        guard !content.isEmpty else { return "" }
        guard isText else { return hexDump(content) }
        let first = content.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if first == 0x3C, let laidOut = XMLText.pretty(content, maxBytes: 4 << 20) {
            return clean(laidOut)
        }
        if first == 0x7B || first == 0x5B, let json = try? JSONDocument.scan(content) {
            return clean(JSONText.pretty(json.root))
        }
        return clean(String(decoding: content, as: UTF8.self))
    }

    /// `text` without terminal control characters; line feeds and tabs stay, and the carriage
    /// return before a line feed goes.
    static func clean(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var held: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            if held != nil, scalar != "\n" { result.append("\u{FFFD}") }
            held = scalar == "\r" ? scalar : nil
            if held != nil { continue }
            let stays = scalar == "\n" || scalar == "\t" || !TerminalText.isControl(scalar)
            result.append(stays ? scalar : "\u{FFFD}")
        }
        return String(result)
    }

    /// Offset, bytes and ASCII of the first 1024 bytes.
    static func hexDump(_ bytes: [UInt8]) -> String {
        var lines: [String] = []
        for start in stride(from: 0, to: min(bytes.count, 1024), by: 16) {
            let row = bytes[start..<min(bytes.count, start + 16)]
            let hex = row.map { Hexadecimal.text([$0]) }.joined(separator: " ")
            let ascii = row.map { (0x20..<0x7F).contains($0) ? String(UnicodeScalar($0)) : "." }
                .joined()
            lines.append(
                Hexadecimal.text(start, digits: 6) + "  " + ListLine.pad(hex, 47) + "  " + ascii)
        }
        if bytes.count > 1024 { lines.append("… \(bytes.count - 1024) more bytes (--raw)") }
        return lines.joined(separator: "\n")
    }
}
