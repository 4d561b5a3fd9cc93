/// A text that somebody edited, read line by line.
struct EditedLines {
    /// The text.
    let bytes: [UInt8]
    /// The place of the first byte that was not read.
    private(set) var place = 0
    /// The number of the line that begins there, from 1; of the last one where none does.
    private(set) var number = 1

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The next line, without its end; nil after the last.
    mutating func next() -> ArraySlice<UInt8>? {
        guard let line = peek() else { return nil }
        place = min(bytes.count, line.endIndex + 1)
        if line.endIndex < bytes.count { number += 1 }
        return line
    }

    /// The line that ``next()`` reads.
    func peek() -> ArraySlice<UInt8>? {
        guard place < bytes.count else { return nil }
        let end = bytes[place...].firstIndex(of: 0x0A) ?? bytes.count
        return bytes[place..<end]
    }

    /// Everything that was not read, without the line break at the end of the text.
    var rest: ArraySlice<UInt8> {
        let rest = bytes[place...]
        return rest.last == 0x0A ? rest.dropLast() : rest
    }

    /// An error at a byte.
    func error(at offset: Int, _ message: String) -> EditableTextError {
        let before = bytes[..<min(max(0, offset), bytes.count)]
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let line = before.reduce(1) { $0 + ($1 == 0x0A ? 1 : 0) }
        let column = String(decoding: before[start...], as: UTF8.self).unicodeScalars.count + 1
        return EditableTextError(line: line, column: column, message)
    }
}
