import Dissection
import Formats

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
            return add(ListLine.clean(row.url))
        }
        add(ListLine.clean(row.scheme))
        add("://", columns: 3)
        add(ListLine.clean(row.host))
        if row.port != (row.scheme == "https" ? 443 : 80) { add(":\(row.port)") }
        add(ListLine.clean(row.path))
        if let query = row.query {
            add("?", columns: 1)
            add(ListLine.clean(query))
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
