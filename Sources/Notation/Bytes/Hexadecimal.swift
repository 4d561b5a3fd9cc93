/// Hexadecimal digits in ASCII (RFC 4648, section 8).
package enum Hexadecimal {
    /// Value of one digit of either case, in 0...15; nil where `byte` is none.
    @inlinable
    package static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    /// Two digits for each byte, in order, without anything between them.
    package static func text(_ bytes: some Sequence<UInt8>, isUppercase: Bool = false) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes { append(byte, to: &digits, isUppercase: isUppercase) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The digits of a number, with as many zeros in front as make `digits` of them.
    ///
    /// A number that needs more digits has them all.
    package static func text(_ number: some BinaryInteger, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    /// The bytes of pairs of digits of either case; nil where `text` is anything else.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        var high: UInt8?
        for byte in text {
            guard let digit = digit(byte) else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return bytes
    }

    /// Appends the two digits of `byte`.
    package static func append(
        _ byte: UInt8, to output: inout [UInt8], isUppercase: Bool = false
    ) {
        let letters: UInt8 = isUppercase ? 0x37 : 0x57
        let (high, low) = (byte >> 4, byte & 0xF)
        output.append(high < 10 ? high + 0x30 : high + letters)
        output.append(low < 10 ? low + 0x30 : low + letters)
    }

    /// The code unit that four digits at `place` spell.
    ///
    /// - Precondition: `bytes` has four bytes there.
    static func unit(of bytes: borrowing Span<UInt8>, at place: Int) -> UInt16? {
        var unit: UInt16 = 0
        for index in place..<place + 4 {
            guard let digit = digit(bytes[index]) else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
