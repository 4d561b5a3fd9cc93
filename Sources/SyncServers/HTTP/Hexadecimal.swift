/// Numbers as lower-case hexadecimal digits.
enum Hexadecimal {
    /// All 16 digits of `number`.
    static func text(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
