/// Hexadecimal digits in ASCII.
enum Hexadecimal {
    /// Value of one digit, in 0...15.
    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
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
