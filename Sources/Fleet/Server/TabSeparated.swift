/// ClickHouse's format TabSeparated.
///
/// Source: "TabSeparated", ClickHouse's documentation of formats: a tab between values, a line feed
/// after each row, both and the backslash escaped, `\N` for NULL.
enum TabSeparated {
    /// The rows of an answer, as texts; bytes that are not UTF-8 are U+FFFD.
    static func rows(_ answer: [UInt8]) -> [[String?]] {
        values(answer).map { $0.map { $0.map { String(decoding: $0, as: UTF8.self) } } }
    }

    /// The rows of an answer, as bytes.
    static func values(_ answer: [UInt8]) -> [[[UInt8]?]] {
        guard !answer.isEmpty else { return [] }
        var rows: [[[UInt8]?]] = []
        var row: [[UInt8]?] = []
        var value: [UInt8] = []
        var isNull = false
        var isEscaped = false
        func end() {
            row.append(isNull ? nil : value)
            value = []
            isNull = false
        }
        for byte in answer {
            if isEscaped {
                isEscaped = false
                switch byte {
                case UInt8(ascii: "N"): isNull = true
                case UInt8(ascii: "n"): value.append(0x0A)
                case UInt8(ascii: "t"): value.append(0x09)
                case UInt8(ascii: "r"): value.append(0x0D)
                case UInt8(ascii: "b"): value.append(0x08)
                case UInt8(ascii: "f"): value.append(0x0C)
                case UInt8(ascii: "0"): value.append(0)
                default: value.append(byte)
                }
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == 0x09 {
                end()
            } else if byte == 0x0A {
                end()
                rows.append(row)
                row = []
            } else {
                value.append(byte)
            }
        }
        return rows
    }

    /// `text` as a literal of a query.
    static func literal(_ text: String) -> String {
        var quoted: [UInt8] = [UInt8(ascii: "'")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\\") {
                quoted.append(UInt8(ascii: "\\"))
            }
            quoted.append(byte)
        }
        quoted.append(UInt8(ascii: "'"))
        return String(decoding: quoted, as: UTF8.self)
    }
}
