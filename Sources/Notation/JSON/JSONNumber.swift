/// A JSON number taken apart, so that numbers are compared by value without rounding.
struct JSONNumber: Hashable {
    private let isNegative: Bool
    /// Decimal digits without zeros at either end; none for zero.
    private let digits: [UInt8]
    /// Power of ten that the digits, read as a whole number, are multiplied with.
    private let exponent: Int

    /// Nil where the text is not a number, or its exponent does not fit.
    init?(_ text: String) {
        var digits: [UInt8] = []
        var scale = 0
        var isNegative = false
        var sawPoint = false
        var written = 0
        var rest = text.utf8[...]
        if rest.first == 0x2D {
            isNegative = true
            rest = rest.dropFirst()
        }
        scanning: while let byte = rest.first {
            switch byte {
            case 0x30...0x39:
                digits.append(byte)
                if sawPoint { scale += 1 }
            case 0x2E: sawPoint = true
            case 0x65, 0x45:
                var power = rest.dropFirst()
                if power.first == 0x2B { power = power.dropFirst() }
                guard let value = Int(String(decoding: power, as: UTF8.self)) else { return nil }
                written = value
                break scanning
            default: return nil
            }
            rest = rest.dropFirst()
        }
        guard !digits.isEmpty else { return nil }
        let (start, overflow) = written.subtractingReportingOverflow(scale)
        guard !overflow, start.magnitude < Int.max.magnitude / 2 else { return nil }
        let leading = digits.prefix { $0 == 0x30 }.count
        digits.removeFirst(leading)
        var exponent = start
        while digits.last == 0x30 {
            digits.removeLast()
            exponent += 1
        }
        self.isNegative = isNegative && !digits.isEmpty
        self.exponent = digits.isEmpty ? 0 : exponent
        self.digits = digits
    }

    /// Whether two number texts have the same value: `1`, `1.0` and `10e-1`.
    static func isSame(_ a: String, _ b: String) -> Bool {
        if a == b { return true }
        guard let a = JSONNumber(a), let b = JSONNumber(b) else { return false }
        return a == b
    }
}
