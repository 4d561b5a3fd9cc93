/// One pass over JSON text that writes the tape.
///
/// There is no recursion and no second stack: while a container is open, its token holds the index
/// of its parent where it will later hold that of its sibling.
struct JSONScanner {
    private let end: Int
    private let limits: JSONLimits
    private var position: Int
    private var parent = JSONToken.none
    private var depth = 0
    private(set) var tape: [JSONToken] = []

    init(in range: Range<Int>, limits: JSONLimits) {
        self.limits = limits
        position = range.lowerBound
        end = range.upperBound
        // Short messages fit without growing; one long string does not take its size again.
        tape.reserveCapacity(min(4_096, max(8, range.count / 8)))
    }

    /// Scans the range of `span`, which has it.
    mutating func scan(_ span: borrowing Span<UInt8>) throws(JSONError) {
        scanning: while true {
            // A value is due here.
            skipSpace(span)
            guard position < end else { throw .endedEarly(offset: end) }
            switch span[position] {
            case 0x22: try string(span)
            case 0x7B:
                try open(.object)
                skipSpace(span)
                guard position < end, span[position] == 0x7D else {
                    try key(span)
                    continue scanning
                }
                close()
            case 0x5B:
                try open(.array)
                skipSpace(span)
                guard position < end, span[position] == 0x5D else {
                    continue scanning
                }
                close()
            case 0x2D, 0x30...0x39: try number(span)
            case 0x41...0x5A, 0x61...0x7A: try literal(span)
            case let other: throw .unexpectedByte(other, offset: position)
            }
            // A value has just ended, and perhaps the containers around it.
            while parent != JSONToken.none {
                let isObject = tape[Int(parent)].kind == .object
                skipSpace(span)
                guard position < end else { throw .endedEarly(offset: end) }
                switch span[position] {
                case 0x2C:
                    position += 1
                    if isObject {
                        skipSpace(span)
                        try key(span)
                    }
                    continue scanning
                case 0x7D where isObject, 0x5D where !isObject: close()
                case let other: throw .unexpectedByte(other, offset: position)
                }
            }
            break
        }
        skipSpace(span)
        guard position == end else { throw .trailingBytes(offset: position) }
    }

    @inline(__always) private mutating func append(
        _ kind: JSONKind, from start: Int, flags: UInt8 = 0
    ) throws(JSONError) {
        guard tape.count < limits.values else {
            throw .tooManyValues(limit: limits.values, offset: start)
        }
        tape.append(
            JSONToken(
                start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: position),
                next: UInt32(truncatingIfNeeded: tape.count + 1), kind: kind, flags: flags))
    }

    private mutating func open(_ kind: JSONKind) throws(JSONError) {
        guard depth < limits.depth else { throw .tooDeep(limit: limits.depth, offset: position) }
        let index = UInt32(truncatingIfNeeded: tape.count)
        try append(kind, from: position)
        tape[Int(index)].next = parent
        parent = index
        depth += 1
        position += 1
    }

    /// Ends the innermost container at this bracket.
    private mutating func close() {
        position += 1
        let index = Int(parent)
        parent = tape[index].next
        tape[index].next = UInt32(truncatingIfNeeded: tape.count)
        tape[index].end = UInt32(truncatingIfNeeded: position)
        depth -= 1
    }

    /// A key and the colon after it; the caller has skipped the space before.
    private mutating func key(_ span: borrowing Span<UInt8>) throws(JSONError) {
        guard position < end else { throw .endedEarly(offset: end) }
        guard span[position] == 0x22 else {
            throw .unexpectedByte(span[position], offset: position)
        }
        try string(span)
        skipSpace(span)
        guard position < end else { throw .endedEarly(offset: end) }
        guard span[position] == 0x3A else {
            throw .unexpectedByte(span[position], offset: position)
        }
        position += 1
    }

    private mutating func skipSpace(_ span: borrowing Span<UInt8>) {
        // Between most tokens there is none.
        if position < end, span[position] <= 0x20 {
            position = Self.spaceEnd(span, from: position, end: end)
        }
    }

    // What follows takes what it needs and not the scanner, which would be copied for each token.

    static func spaceEnd(_ span: borrowing Span<UInt8>, from start: Int, end: Int) -> Int {
        var place = start
        while place < end {
            let byte = span[place]
            guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
            else { break }
            place += 1
        }
        return place
    }

    private mutating func literal(_ span: borrowing Span<UInt8>) throws(JSONError) {
        let start = position
        let kind: JSONKind
        switch span[start] {
        case 0x74 where spells(span, [0x74, 0x72, 0x75, 0x65]): kind = .true
        case 0x66 where spells(span, [0x66, 0x61, 0x6C, 0x73, 0x65]): kind = .false
        case 0x6E where spells(span, [0x6E, 0x75, 0x6C, 0x6C]): kind = .null
        default: throw .invalidLiteral(offset: start)
        }
        position += kind == .false ? 5 : 4
        if position < end, Self.continuesWord(span[position]) {
            throw .invalidLiteral(offset: start)
        }
        try append(kind, from: start)
    }

    private func spells(_ span: borrowing Span<UInt8>, _ word: InlineArray<4, UInt8>) -> Bool {
        guard end - position >= 4 else { return false }
        for index in 0..<4 where span[position + index] != word[index] { return false }
        return true
    }

    private func spells(_ span: borrowing Span<UInt8>, _ word: InlineArray<5, UInt8>) -> Bool {
        guard end - position >= 5 else { return false }
        for index in 0..<5 where span[position + index] != word[index] { return false }
        return true
    }

    /// Whether `byte` after a number or word means that it is none.
    static func continuesWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }

    private mutating func number(_ span: borrowing Span<UInt8>) throws(JSONError) {
        let start = position
        var flags: UInt8 = 0
        position = try Self.numberEnd(span, from: start, end: end, flags: &flags)
        try append(.number, from: start, flags: flags)
    }

    /// Moves `place` past digits.
    ///
    /// - Returns: Whether there are any.
    private static func digits(
        _ span: borrowing Span<UInt8>, _ place: inout Int, end: Int
    ) -> Bool {
        let first = place
        while place < end, span[place] &- 0x30 < 10 { place += 1 }
        return place > first
    }

    static func numberEnd(
        _ span: borrowing Span<UInt8>, from start: Int, end: Int, flags: inout UInt8
    ) throws(JSONError) -> Int {
        var place = start
        if span[place] == 0x2D { place += 1 }
        let whole = place
        guard digits(span, &place, end: end) else {
            if place == end { throw .endedEarly(offset: end) }
            throw .invalidNumber(offset: start)
        }
        guard span[whole] != 0x30 || place == whole + 1 else { throw .invalidNumber(offset: start) }
        if place < end, span[place] == 0x2E {
            flags = JSONToken.fractional
            place += 1
            guard digits(span, &place, end: end) else { throw .invalidNumber(offset: start) }
        }
        if place < end, span[place] | 0x20 == 0x65 {
            flags = JSONToken.fractional
            place += 1
            if place < end, span[place] == 0x2B || span[place] == 0x2D { place += 1 }
            guard digits(span, &place, end: end) else { throw .invalidNumber(offset: start) }
        }
        if place < end, continuesWord(span[place]) { throw .invalidNumber(offset: start) }
        return place
    }

    private mutating func string(_ span: borrowing Span<UInt8>) throws(JSONError) {
        let start = position
        var flags: UInt8 = 0
        position = try Self.stringEnd(span, from: start, end: end, flags: &flags)
        try append(.string, from: start, flags: flags)
    }

    static func stringEnd(
        _ span: borrowing Span<UInt8>, from start: Int, end: Int, flags: inout UInt8
    ) throws(JSONError) -> Int {
        var place = start + 1
        while place < end {
            place = plainEnd(span, from: place, end: end)
            guard place < end else { break }
            let byte = span[place]
            if byte == 0x22 {
                return place + 1
            } else if byte == 0x5C {
                flags |= JSONToken.escaped
                place = try escape(span, at: place, end: end, flags: &flags)
            } else if byte < 0x20 {
                throw .controlCharacter(byte, offset: place)
            } else {
                let length = UTF8Sequence.length(in: span, at: place, end: end)
                guard length > 0 else { throw .invalidUTF8(offset: place) }
                place += length
            }
        }
        throw .endedEarly(offset: end)
    }

    /// Offset of the first byte that is not plain ASCII text of a string, eight bytes at a time.
    @inline(__always)
    static func plainEnd(_ span: borrowing Span<UInt8>, from start: Int, end: Int) -> Int {
        let bytes = span.bytes
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs = ones << 7
        var place = start
        while end - place >= 8 {
            let word = UInt64(
                littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self))
            // A byte that is zero, and perhaps some after it, borrows from its high bit.
            func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }
            let controls = (word &- ones &* 0x20) & ~word
            let special =
                (word | controls | zeros(word ^ ones &* 0x22) | zeros(word ^ ones &* 0x5C)) & highs
            if special != 0 { return place + special.trailingZeroBitCount / 8 }
            place += 8
        }
        while place < end {
            let byte = span[place]
            guard byte &- 0x20 < 0x60, byte != 0x22, byte != 0x5C else { break }
            place += 1
        }
        return place
    }

    /// Offset after the escape whose backslash is at `place`.
    private static func escape(
        _ span: borrowing Span<UInt8>, at place: Int, end: Int, flags: inout UInt8
    ) throws(JSONError) -> Int {
        guard place + 1 < end else { throw .endedEarly(offset: end) }
        switch span[place + 1] {
        case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: return place + 2
        case 0x75:
            guard let unit = hexUnit(span, at: place, end: end) else {
                if place + 6 > end { throw .endedEarly(offset: end) }
                throw .invalidEscape(offset: place)
            }
            guard unit & 0xF800 == 0xD800 else { return place + 6 }
            if unit < 0xDC00, let low = hexUnit(span, at: place + 6, end: end),
                low & 0xFC00 == 0xDC00
            {
                return place + 12
            }
            flags |= JSONToken.loneSurrogate
            return place + 6
        default: throw .invalidEscape(offset: place)
        }
    }

    /// The code unit of `\uXXXX` at `place`.
    private static func hexUnit(_ span: borrowing Span<UInt8>, at place: Int, end: Int) -> UInt16? {
        guard place + 6 <= end, span[place] == 0x5C, span[place + 1] == 0x75 else { return nil }
        return Hexadecimal.unit(of: span, at: place + 2)
    }
}
