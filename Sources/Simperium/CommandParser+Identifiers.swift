import Notation
import Wire

/// Grammar of identifiers, as in the protocol's list of types.
extension CommandParser {
    /// Notes a string that is not 1 to `most` characters of `set`.
    mutating func check(
        _ node: JSONDocument.Node?, _ set: ByteSet, most: Int, _ code: SimperiumNote.Code
    ) {
        guard let node, node.kind == .string else { return }
        let range = node.range
        guard !isIdentifier(range.lowerBound + 1..<range.upperBound - 1, set, most: most) else {
            return
        }
        // What was written with escapes may be one nevertheless.
        if message[range].contains(0x5C), let text = node.string, !text.isEmpty,
            text.utf8.count <= most, text.utf8.allSatisfy({ set.contains($0) })
        {
            return
        }
        note(code, at: range.lowerBound)
    }

    /// Whether the bytes are 1 to `most` characters of `set`.
    func isIdentifier(_ range: Range<Int>, _ set: ByteSet, most: Int) -> Bool {
        guard !range.isEmpty, range.count <= most else { return false }
        let span = message.span
        for place in range where !set.contains(span[place]) { return false }
        return true
    }

    mutating func checkClientID(_ node: JSONDocument.Node?) {
        guard let node, node.kind == .string else { return }
        // Escapes and wide characters take more bytes than they count.
        let count = node.range.count - 2
        guard count == 0 || count > 256 else { return }
        let length = count == 0 ? 0 : node.string?.unicodeScalars.count ?? 0
        if length == 0 || length > 256 { note(.clientIDLength, at: node.range.lowerBound) }
    }

    /// Notes a placeholder change version of a client.
    mutating func checkChangeVersion(_ cv: String, at offset: Int) {
        switch cv {
        case "0", "null", "(null)", "undefined", "None", "nil", "NaN":
            note(.cvPlaceholder, at: offset)
        default: break
        }
    }

    /// Notes leading zeros of a number outside of JSON.
    mutating func checkZeros(_ range: Range<Int>) {
        if range.count > 1, message[range.lowerBound] == 0x30 {
            note(.leadingZeros, at: range.lowerBound)
        }
    }
}
