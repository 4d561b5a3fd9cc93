/// Replaces characters by others of the same shape.
///
/// A digit stays a digit, a letter a letter of its case, and a character of several bytes becomes
/// one with as many bytes and as many UTF-16 units from the same block. Everything else, `-_.@` and
/// quotes among them, stays. So lengths, offsets in UTF-8, UTF-16 and code points, and escapes in
/// JSON, XML, URLs and base64 stay valid.
enum CharacterShape {
    /// A character that may be replaced: how many there are of its shape, and which it is.
    struct Choice {
        /// Size of the set it is replaced from.
        var count: Int
        /// Its place in that set.
        var index: Int
    }

    /// `text` with every character that has a choice replaced by what `draw` chooses.
    ///
    /// - Parameters:
    ///   - text: Any bytes; those that are not UTF-8 are taken for Latin-1 letters.
    ///   - draw: Gets the bytes of the character and its choice; answers the place of the
    ///     replacement, below its count.
    /// - Returns: Text of the same shape.
    static func replace(
        _ text: [UInt8], draw: (ArraySlice<UInt8>, Choice) -> Int
    ) -> [UInt8] {
        var result = text
        let isHexadecimal = isHexadecimal(text)
        var position = 0
        while position < text.count {
            let size = size(text, position)
            let character = text[position..<position + size]
            if let choice = choice(character, isHexadecimal) {
                let index = draw(character, choice)
                put(index, choice, at: position, size, &result)
            }
            position += size
        }
        return result
    }

    /// How many characters of `text` can be replaced.
    static func variable(_ text: [UInt8]) -> Int {
        var count = 0
        _ = replace(text) { _, choice in
            count += 1
            return choice.index
        }
        return count
    }

    /// Whether all letters are those of hexadecimal digits in one case, and there are digits too.
    private static func isHexadecimal(_ text: [UInt8]) -> Bool {
        var (digits, lower, upper) = (false, false, false)
        for byte in text {
            switch byte {
            case 0x30...0x39: digits = true
            case 0x61...0x66: lower = true
            case 0x41...0x46: upper = true
            case 0x2D, 0x3A: break
            default: return false
            }
        }
        return text.count >= 8 && digits && lower != upper
    }

    /// Bytes of the character at `position`; 1 for what is not UTF-8.
    private static func size(_ text: [UInt8], _ position: Int) -> Int {
        let first = text[position]
        let count =
            switch first {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 1
            }
        guard count > 1, position + count <= text.count else { return 1 }
        for byte in text[position + 1..<position + count] where byte & 0xC0 != 0x80 { return 1 }
        return count
    }

    private static func choice(_ character: ArraySlice<UInt8>, _ isHexadecimal: Bool) -> Choice? {
        let start = character.startIndex
        let first = character[start]
        let letters = isHexadecimal ? 6 : 26
        switch (character.count, first) {
        case (1, 0x30...0x39): return Choice(count: 10, index: Int(first - 0x30))
        case (1, 0x41...0x5A): return Choice(count: letters, index: Int(first - 0x41))
        case (1, 0x61...0x7A): return Choice(count: letters, index: Int(first - 0x61))
        case (1, 0xC0...0xFF): return Choice(count: 32, index: Int(first & 0x1F))
        // Ideographs: a block of whole planes of them, so that two bytes are free.
        case (3, 0xE5...0xE8):
            let high = Int(character[start + 1] & 0x3F)
            return Choice(count: 4_096, index: high << 6 | Int(character[start + 2] & 0x3F))
        // General punctuation, byte-order marks and what is not a character stay.
        case (3, 0xE2) where character[start + 1] <= 0x81: return nil
        case (3, 0xEF) where [0xB7, 0xBB, 0xBF].contains(character[start + 1]): return nil
        case (4, _) where character[start + 2] == 0xBF: return nil
        case (2, 0xC3...), (3, _), (4, _):
            return Choice(count: 64, index: Int(character[start + character.count - 1] & 0x3F))
        default: return nil
        }
    }

    private static func put(
        _ index: Int, _ choice: Choice, at position: Int, _ size: Int, _ result: inout [UInt8]
    ) {
        let byte = result[position]
        let low = UInt8(truncatingIfNeeded: index)
        if choice.count == 4_096 {
            result[position + 1] = 0x80 | UInt8(truncatingIfNeeded: index >> 6)
            result[position + 2] = 0x80 | low & 0x3F
            return
        }
        switch (size, byte) {
        case (1, 0x30...0x39): result[position] = 0x30 + low
        case (1, 0x41...0x5A): result[position] = 0x41 + low
        case (1, 0x61...0x7A): result[position] = 0x61 + low
        case (1, _): result[position] = byte & 0xE0 | low
        default: result[position + size - 1] = 0x80 | low
        }
    }
}
