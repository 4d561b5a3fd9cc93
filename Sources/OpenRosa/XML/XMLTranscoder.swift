/// Turns the bytes of an encoding other than UTF-8 into UTF-8.
struct XMLTranscoder {
    /// The encoding of what comes in.
    let encoding: XMLEncoding
    /// Bytes of a character that is not complete: up to 3.
    private var held: [UInt8] = []

    /// A transcoder from `encoding`.
    init(_ encoding: XMLEncoding) { self.encoding = encoding }

    /// Whether the last character is complete.
    var isBetweenCharacters: Bool { held.isEmpty }

    /// Appends `bytes` in UTF-8 to `output`, up to the first that does not belong.
    ///
    /// - Returns: Whether all of them belong to the encoding.
    mutating func decode(_ bytes: borrowing Span<UInt8>, into output: inout [UInt8]) -> Bool {
        output.reserveCapacity(output.count + bytes.count * 2)
        for index in 0..<bytes.count {
            let byte = bytes[index]
            switch encoding {
            case .utf8:
                output.append(byte)
            case .ascii:
                guard byte < 0x80 else { return false }
                output.append(byte)
            case .latin1:
                Self.append(UInt32(byte), to: &output)
            case .windows1252:
                guard let scalar = Self.windows1252(byte) else { return false }
                Self.append(scalar, to: &output)
            case .utf16(let isBigEndian):
                guard utf16(byte, isBigEndian, &output) else { return false }
            }
        }
        return true
    }

    private mutating func utf16(
        _ byte: UInt8, _ isBigEndian: Bool, _ output: inout [UInt8]
    )
        -> Bool
    {
        held.append(byte)
        guard held.count.isMultiple(of: 2) else { return true }
        func unit(_ at: Int) -> UInt32 {
            let (a, b) = (UInt32(held[at]), UInt32(held[at + 1]))
            return isBigEndian ? a << 8 | b : b << 8 | a
        }
        let first = unit(0)
        if held.count == 2 {
            if first & 0xFC00 == 0xD800 { return true }
            guard first & 0xFC00 != 0xDC00 else { return false }
            Self.append(first, to: &output)
        } else {
            let second = unit(2)
            guard second & 0xFC00 == 0xDC00 else { return false }
            Self.append(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF, to: &output)
        }
        held.removeAll(keepingCapacity: true)
        return true
    }

    private static func append(_ scalar: UInt32, to output: inout [UInt8]) {
        guard scalar >= 0x80 else { return output.append(UInt8(scalar)) }
        guard let scalar = Unicode.Scalar(scalar), let encoded = UTF8.encode(scalar) else { return }
        output.append(contentsOf: encoded)
    }

    /// The scalars of 0x80...0x9F, 0 where there is none (WHATWG would map those to controls).
    private static let upper: [UInt32] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
        0x0152, 0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC,
        0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
    ]

    private static func windows1252(_ byte: UInt8) -> UInt32? {
        guard byte >= 0x80, byte < 0xA0 else { return UInt32(byte) }
        let scalar = upper[Int(byte) - 0x80]
        return scalar == 0 ? nil : scalar
    }
}
