/// Follows line, column and original offset through the UTF-8 form of a document.
struct XMLLineCounter {
    /// The encoding that offsets are counted in.
    var encoding = XMLEncoding.utf8
    /// Offset in bytes in the UTF-8 form.
    private(set) var utf8: Int64 = 0
    /// The place of that offset.
    private(set) var position = XMLPosition.start

    /// Skips a byte order mark of `count` bytes.
    mutating func skipMark(_ count: Int) { position.offset += Int64(count) }

    /// Walks over `bytes`.
    mutating func advance(over bytes: borrowing Span<UInt8>) {
        let count = bytes.count
        guard count > 0 else { return }
        let lines = Self.count(in: bytes, from: 0, mask: 0xFF, equal: 0x0A)
        var lineStart = 0
        if lines > 0 {
            lineStart = count
            while bytes[lineStart - 1] != 0x0A { lineStart -= 1 }
            position.line += lines
            position.column = 1
        }
        position.column += count - lineStart
        position.column -= Self.count(in: bytes, from: lineStart, mask: 0xC0, equal: 0x80)
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

    private typealias Lanes = SIMD16<UInt8>

    /// How many bytes from `start` on become `value` under `mask`.
    ///
    /// Compares 16 at once; a place is requested at every case of a restore.
    private static func count(
        in bytes: borrowing Span<UInt8>, from start: Int, mask: UInt8, equal value: UInt8
    ) -> Int {
        bytes.withUnsafeBytes { buffer in
            let masks = Lanes(repeating: mask)
            let values = Lanes(repeating: value)
            let ones = Lanes(repeating: 1)
            var total = 0
            var at = start
            while buffer.count - at >= 16 {
                var found = Lanes.zero
                let end = at + min(255, (buffer.count - at) / 16) * 16
                while at < end {
                    let lanes = buffer.loadUnaligned(fromByteOffset: at, as: Lanes.self)
                    found.replace(with: found &+ ones, where: (lanes & masks) .== values)
                    at += 16
                }
                for lane in 0..<16 { total += Int(found[lane]) }
            }
            while at < buffer.count {
                total += buffer[at] & mask == value ? 1 : 0
                at += 1
            }
            return total
        }
    }
}
