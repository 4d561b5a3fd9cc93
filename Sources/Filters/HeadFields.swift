/// Finds fields in the head of an HTTP message as it was on the wire.
public enum HeadFields {
    /// The value of the field `name`, or nil where there is none.
    ///
    /// Several lines of one name are joined by a comma and a space in their order, and the lines of
    /// a folded value by a space. Bytes that are not UTF-8 are read as U+FFFD. Source: RFC 9110,
    /// 5.2 and 5.6.3; RFC 9112, 5.2.
    ///
    /// - Parameters:
    ///   - name: Name of the field in lower case.
    ///   - head: Start line and fields; the start line is skipped.
    /// - Returns: The value without white space around it.
    public static func value(of name: String, in head: UnsafeRawBufferPointer) -> String? {
        value(of: Array(name.utf8), in: head)
    }

    /// The value of the field `wanted`, as in ``value(of:in:)``.
    static func value(of wanted: [UInt8], in head: UnsafeRawBufferPointer) -> String? {
        var joined: [UInt8] = []
        var found = false
        var isContinued = false
        var position = endOfLine(in: head, from: 0) + 1
        while position < head.count {
            let end = endOfLine(in: head, from: position)
            // Most lines are of other fields.
            let initial = head[position]
            if let first = wanted.first, initial > 0x20, folded(initial) != first {
                isContinued = false
                position = end + 1
                continue
            }
            let line = trimmed(head, position..<end)
            let isFolded = head[position] == 0x20 || head[position] == 0x09
            position = end + 1
            if line.isEmpty && !isFolded { break }
            if isFolded {
                guard isContinued else { continue }
                joined.append(0x20)
                joined.append(contentsOf: head[line])
                continue
            }
            isContinued = false
            guard let colon = line.first(where: { head[$0] == 0x3A }),
                matches(head, line.lowerBound..<colon, wanted)
            else { continue }
            if found { joined.append(contentsOf: [0x2C, 0x20]) }
            joined.append(contentsOf: head[trimmed(head, colon + 1..<line.upperBound)])
            found = true
            isContinued = true
        }
        return found ? String(decoding: joined, as: UTF8.self) : nil
    }

    /// Offset of the next line feed, or the end of `head`.
    public static func endOfLine(in head: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start
        while position < head.count, head[position] != 0x0A { position += 1 }
        return position
    }

    /// `range` without spaces, tabs and carriage returns at its ends.
    public static func trimmed(
        _ head: UnsafeRawBufferPointer, _ range: Range<Int>
    ) -> Range<Int> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high, isSpace(head[low]) { low += 1 }
        while low < high, isSpace(head[high - 1]) { high -= 1 }
        return low..<high
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }

    /// Whether the bytes of `range` are the lower-case `name`, but for case and space at the end.
    private static func matches(
        _ head: UnsafeRawBufferPointer, _ range: Range<Int>, _ name: [UInt8]
    ) -> Bool {
        let range = trimmed(head, range)
        guard range.count == name.count else { return false }
        for (byte, expected) in zip(head[range], name) where folded(byte) != expected {
            return false
        }
        return true
    }
}
