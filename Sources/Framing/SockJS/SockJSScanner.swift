/// Reads the little of JSON that SockJS frames consist of.
///
/// Every function reads at `index` and moves it to the first byte that it did not read.
enum SockJSScanner {
    static func skipSpace(_ bytes: borrowing Span<UInt8>, _ index: inout Int) {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    /// Reads `byte`, with space before it.
    static func expect(
        _ byte: UInt8, _ bytes: borrowing Span<UInt8>, _ index: inout Int
    ) throws(SockJSError) {
        skipSpace(bytes, &index)
        try expectHere(byte, bytes, &index)
    }

    /// Reads the space that may be left.
    static func expectEnd(_ bytes: borrowing Span<UInt8>, _ index: Int) throws(SockJSError) {
        var index = index
        skipSpace(bytes, &index)
        guard index == bytes.count else {
            throw .unexpected(value: bytes[index], offset: index)
        }
    }

    /// Reads an array of strings.
    static func strings(
        _ bytes: borrowing Span<UInt8>, _ index: inout Int
    ) throws(SockJSError) -> [SockJSMessage] {
        try expect(UInt8(ascii: "["), bytes, &index)
        skipSpace(bytes, &index)
        var messages: [SockJSMessage] = []
        if index < bytes.count, bytes[index] == UInt8(ascii: "]") {
            index += 1
            return messages
        }
        while true {
            skipSpace(bytes, &index)
            guard messages.count < SockJSFrame.maxMessages else {
                throw .tooManyMessages(offset: index)
            }
            messages.append(try string(bytes, &index))
            skipSpace(bytes, &index)
            guard index < bytes.count, bytes[index] == UInt8(ascii: ",") else { break }
            index += 1
        }
        try expect(UInt8(ascii: "]"), bytes, &index)
        return messages
    }

    /// Reads a whole number that fits in 32 bits.
    static func integer(
        _ bytes: borrowing Span<UInt8>, _ index: inout Int
    ) throws(SockJSError) -> Int {
        skipSpace(bytes, &index)
        let start = index
        var isNegative = false
        if index < bytes.count, bytes[index] == UInt8(ascii: "-") {
            isNegative = true
            index += 1
        }
        let firstDigit = index
        var value = 0
        while index < bytes.count, (0x30...0x39).contains(bytes[index]) {
            value = value * 10 + Int(bytes[index] - 0x30)
            guard value <= Int(Int32.max) else { throw .badCode(offset: start) }
            index += 1
        }
        guard index > firstDigit else {
            guard index < bytes.count else { throw .unexpectedEnd(offset: index) }
            throw .badCode(offset: start)
        }
        guard index == firstDigit + 1 || bytes[firstDigit] != 0x30 else {
            throw .badCode(offset: start)
        }
        return isNegative ? -value : value
    }

    /// Reads a string with its quotes.
    static func string(
        _ bytes: borrowing Span<UInt8>, _ index: inout Int
    ) throws(SockJSError) -> SockJSMessage {
        try expectHere(UInt8(ascii: "\""), bytes, &index)
        let start = index
        var text: [UInt8] = []
        var isRepaired = false
        var runStart = index
        while true {
            guard index < bytes.count else { throw .unexpectedEnd(offset: index) }
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                try append(bytes, runStart..<index, to: &text)
                if byte == UInt8(ascii: "\"") {
                    index += 1
                    return SockJSMessage(
                        text: text, range: start..<(index - 1), isRepaired: isRepaired)
                }
                if try !escape(bytes, &index, into: &text) { isRepaired = true }
                runStart = index
            } else if byte < 0x20 {
                throw .controlCharacter(offset: index)
            } else {
                index += 1
            }
        }
    }

    private static func expectHere(
        _ byte: UInt8, _ bytes: borrowing Span<UInt8>, _ index: inout Int
    ) throws(SockJSError) {
        guard index < bytes.count else { throw .unexpectedEnd(offset: index) }
        guard bytes[index] == byte else { throw .unexpected(value: bytes[index], offset: index) }
        index += 1
    }

    /// Appends bytes of a string without escapes.
    private static func append(
        _ bytes: borrowing Span<UInt8>, _ range: Range<Int>, to text: inout [UInt8]
    ) throws(SockJSError) {
        let run = bytes.extracting(range)
        var check = UTF8Check()
        check.consume(run)
        if let offset = check.firstInvalidOffsetAtEnd {
            throw .notUTF8(offset: range.lowerBound + Int(offset))
        }
        run.withUnsafeBufferPointer { text.append(contentsOf: $0) }
    }

    /// Reads an escape; false where U+FFFD took the place of half of a surrogate pair.
    private static func escape(
        _ bytes: borrowing Span<UInt8>, _ index: inout Int, into text: inout [UInt8]
    ) throws(SockJSError) -> Bool {
        let start = index
        guard index + 1 < bytes.count else { throw .unexpectedEnd(offset: bytes.count) }
        let name = bytes[index + 1]
        index += 2
        switch name {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(name)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var code = try hexadecimal(bytes, &index, escape: start)
            if (0xD800...0xDBFF).contains(code), index + 1 < bytes.count,
                bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u")
            {
                var next = index + 2
                let low = try hexadecimal(bytes, &next, escape: index)
                if (0xDC00...0xDFFF).contains(low) {
                    code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
                    index = next
                }
            }
            let scalar = Unicode.Scalar(code)
            text.append(
                contentsOf: UTF8.encode(scalar ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
            return scalar != nil
        default:
            throw .badEscape(offset: start)
        }
        return true
    }

    /// Reads the four digits of a `\u` escape that begins at `escape`.
    private static func hexadecimal(
        _ bytes: borrowing Span<UInt8>, _ index: inout Int, escape: Int
    ) throws(SockJSError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard index < bytes.count else { throw .unexpectedEnd(offset: index) }
            let byte = bytes[index]
            switch byte {
            case 0x30...0x39: value = value << 4 | UInt32(byte - 0x30)
            case 0x41...0x46: value = value << 4 | UInt32(byte - 0x41 + 10)
            case 0x61...0x66: value = value << 4 | UInt32(byte - 0x61 + 10)
            default: throw .badEscape(offset: escape)
            }
            index += 1
        }
        return value
    }
}
