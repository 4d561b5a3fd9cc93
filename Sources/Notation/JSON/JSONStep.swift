/// Steps over JSON text, without a tape: for who knows what a text nearly always is, and has another
/// way for all else.
///
/// Each gives the offset after what it stepped over, and nil for what is not plain JSON: a fault, or
/// more nesting than a word has bits.
package enum JSONStep {
    /// The offset of the first byte that is not white space.
    @inlinable
    package static func space(_ span: borrowing Span<UInt8>, at start: Int, end: Int) -> Int {
        var place = start
        while place < end {
            let byte = span[place]
            guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
            else { break }
            place += 1
        }
        return place
    }

    /// Steps over the string whose quote is at `start`; `isPlain` becomes whether its text is what is
    /// between the quotes.
    package static func string(
        _ span: borrowing Span<UInt8>, at start: Int, end: Int, isPlain: inout Bool
    ) -> Int? {
        let place = JSONScanner.plainEnd(span, from: start + 1, end: end)
        if place < end, span[place] == 0x22 {
            isPlain = true
            return place + 1
        }
        var flags: UInt8 = 0
        do throws(JSONError) {
            let after = try JSONScanner.stringEnd(span, from: start, end: end, flags: &flags)
            isPlain = flags == 0
            return after
        } catch {
            return nil
        }
    }

    /// Steps over the value that begins at `start`.
    package static func value(_ span: borrowing Span<UInt8>, at start: Int, end: Int) -> Int? {
        var place = start
        var depth = 0
        // A bit for each open container, the innermost lowest: whether it is an object.
        var objects: UInt64 = 0
        var isPlain = false
        while place < end {
            // A value is due here, or the key of one after the bracket or comma of an object.
            switch span[place] {
            case 0x22:
                guard let after = string(span, at: place, end: end, isPlain: &isPlain) else {
                    return nil
                }
                place = after
            case 0x7B, 0x5B:
                guard depth < 64 else { return nil }
                let isObject = span[place] == 0x7B
                depth += 1
                objects = objects << 1 | (isObject ? 1 : 0)
                place = space(span, at: place + 1, end: end)
                guard place < end else { return nil }
                if span[place] == (isObject ? 0x7D : 0x5D) { break }
                if isObject {
                    guard let after = key(span, at: place, end: end) else { return nil }
                    place = after
                }
                continue
            case 0x2D, 0x30...0x39:
                var flags: UInt8 = 0
                do throws(JSONError) {
                    place = try JSONScanner.numberEnd(span, from: place, end: end, flags: &flags)
                } catch {
                    return nil
                }
            default:
                guard let after = word(span, at: place, end: end) else { return nil }
                place = after
            }
            // A value has just ended, and perhaps the containers around it.
            while depth > 0 {
                place = space(span, at: place, end: end)
                guard place < end else { return nil }
                let byte = span[place]
                if byte == 0x2C {
                    place = space(span, at: place + 1, end: end)
                    if objects & 1 == 1 {
                        guard let after = key(span, at: place, end: end) else { return nil }
                        place = after
                    }
                    break
                }
                guard byte == (objects & 1 == 1 ? 0x7D : 0x5D) else { return nil }
                place += 1
                depth -= 1
                objects >>= 1
            }
            if depth == 0 { return place }
        }
        return nil
    }

    /// Steps over a key, the colon after it, and white space around that.
    private static func key(_ span: borrowing Span<UInt8>, at start: Int, end: Int) -> Int? {
        var isPlain = false
        guard start < end, span[start] == 0x22,
            let after = string(span, at: start, end: end, isPlain: &isPlain)
        else { return nil }
        let colon = space(span, at: after, end: end)
        guard colon < end, span[colon] == 0x3A else { return nil }
        return space(span, at: colon + 1, end: end)
    }

    /// Steps over `true`, `false` or `null`.
    private static func word(_ span: borrowing Span<UInt8>, at start: Int, end: Int) -> Int? {
        let word: StaticString
        switch span[start] {
        case 0x74: word = "true"
        case 0x66: word = "false"
        case 0x6E: word = "null"
        default: return nil
        }
        let after = start + word.utf8CodeUnitCount
        guard after <= end else { return nil }
        let isSpelled = word.withUTF8Buffer { letters in
            for index in letters.indices where span[start + index] != letters[index] {
                return false
            }
            return true
        }
        guard isSpelled, after == end || !JSONScanner.continuesWord(span[after]) else { return nil }
        return after
    }
}
