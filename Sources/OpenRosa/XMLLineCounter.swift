/// Follows line, column and original offset through the UTF-8 form of a document.
struct XMLLineCounter {
    /// The encoding that offsets are counted in.
    var encoding = XMLEncoding.utf8
    /// Offset in bytes in the UTF-8 form.
    private(set) var utf8: Int64 = 0
    /// The place of that offset.
    private(set) var position = XMLPosition.start

    /// Passes over a byte order mark of `count` bytes.
    mutating func skipMark(_ count: Int) { position.offset += Int64(count) }

    /// Walks over `bytes`.
    mutating func advance(over bytes: borrowing Span<UInt8>) {
        let count = bytes.count
        guard count > 0 else { return }
        var lines = 0
        for index in 0..<count { lines &+= bytes[index] == 0x0A ? 1 : 0 }
        var lineStart = 0
        if lines > 0 {
            lineStart = count
            while bytes[lineStart - 1] != 0x0A { lineStart -= 1 }
            position.line += lines
            position.column = 1
        }
        var scalars = 0
        for index in lineStart..<count { scalars &+= bytes[index] & 0xC0 != 0x80 ? 1 : 0 }
        position.column += scalars
        utf8 += Int64(count)
        switch encoding {
        case .utf8:
            position.offset += Int64(count)
        case .utf16, .ascii, .latin1, .windows1252:
            for index in 0..<count where bytes[index] & 0xC0 != 0x80 {
                position.offset += encoding.width(ofLead: bytes[index])
            }
        }
    }
}
