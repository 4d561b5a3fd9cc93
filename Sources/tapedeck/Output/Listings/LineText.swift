import Dissection
import Formats
import Notation

/// A line of a listing as it is put together, with the columns that it takes so far.
struct LineText {
    /// UTF-8.
    private(set) var bytes: [UInt8] = []
    /// Columns that it takes on a terminal.
    private(set) var columns = 0

    /// The line as text.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Adds text without control characters.
    mutating func add(_ text: String) { add(text, columns: TextWidth.of(text)) }

    /// Adds text that takes so many columns; colours take none.
    mutating func add(_ text: String, columns taken: Int) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
        columns += taken
    }

    /// Adds text of a peer, whose control characters are replaced.
    mutating func add(cleaned text: String) {
        var copy = text
        // Nearly all are of ASCII, each of which is one column.
        let isPlain = copy.withUTF8 { text in
            guard text.allSatisfy({ 0x20 <= $0 && $0 < 0x7F }) else { return false }
            bytes.append(contentsOf: text)
            columns += text.count
            return true
        }
        if !isPlain { add(TerminalText.clean(text)) }
    }

    /// Adds text of a peer, whose control characters are replaced, with blanks behind it, so that it
    /// takes at least `width` columns.
    mutating func add(cleaned text: String, padded width: Int) {
        let end = columns + width
        add(cleaned: text)
        addBlanks(end - columns)
    }

    /// Adds a number in decimal.
    mutating func add(_ number: Int64) {
        let start = bytes.count
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        let first = bytes.count
        var rest = number.magnitude
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[first...].reverse()
        columns += bytes.count - start
    }

    /// Adds text with blanks behind it, so that it takes at least `width` columns.
    mutating func add(_ text: String, padded width: Int) {
        let taken = TextWidth.of(text)
        add(text, columns: taken)
        addBlanks(width - taken)
    }

    /// Adds text with blanks before it, so that it takes at least `width` columns.
    mutating func add(_ text: String, paddedLeft width: Int) {
        let taken = TextWidth.of(text)
        addBlanks(width - taken)
        add(text, columns: taken)
    }

    /// Adds that many blanks.
    mutating func addBlanks(_ count: Int) {
        guard count > 0 else { return }
        for _ in 0..<count { bytes.append(0x20) }
        columns += count
    }

    /// Adds the absolute URL of an exchange, without control characters.
    mutating func addURL(of row: ExchangeRow) {
        guard row.method != "CONNECT", !row.host.utf8.contains(0x3A) else {
            return add(cleaned: row.url)
        }
        add(cleaned: row.scheme)
        add("://", columns: 3)
        add(cleaned: row.host)
        if row.port != (row.scheme == "https" ? 443 : 80) {
            add(":", columns: 1)
            add(Int64(row.port))
        }
        add(cleaned: row.path)
        if let query = row.query {
            add("?", columns: 1)
            add(cleaned: query)
        }
    }

    /// Ends the line and begins the next.
    mutating func endLine() {
        bytes.append(0x0A)
        columns = 0
    }

    /// Forgets everything, for the next lines.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        columns = 0
    }

    /// Adds a line that is written by `body`.
    mutating func addLine(_ body: (inout [UInt8]) -> Void) {
        body(&bytes)
        endLine()
    }
}
