/// Well-formed sequences of UTF-8 (The Unicode Standard, table 3-7).
enum UTF8Sequence {
    /// Length of the multi-byte sequence at `place`; 0 where it is ill-formed or cut.
    ///
    /// Overlong forms, surrogates and what is above U+10FFFF are ill-formed.
    static func length(in span: borrowing Span<UInt8>, at place: Int, end: Int) -> Int {
        let lead = span[place]
        let length: Int
        var low: UInt8 = 0x80
        var high: UInt8 = 0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF:
            length = 3
            if lead == 0xE0 { low = 0xA0 }
            if lead == 0xED { high = 0x9F }
        case 0xF0...0xF4:
            length = 4
            if lead == 0xF0 { low = 0x90 }
            if lead == 0xF4 { high = 0x8F }
        default: return 0
        }
        guard end - place >= length else { return 0 }
        guard span[place + 1] >= low, span[place + 1] <= high else { return 0 }
        for index in 2..<4 where index < length {
            guard span[place + index] & 0xC0 == 0x80 else { return 0 }
        }
        return length
    }
}
