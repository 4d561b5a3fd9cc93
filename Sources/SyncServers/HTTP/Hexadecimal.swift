/// Numbers as lower-case hexadecimal digits.
enum Hexadecimal {
    /// All 16 digits of `number`.
    static func text(_ number: UInt64) -> String { padded(String(number, radix: 16), 16) }

    /// All 8 digits of `number`.
    static func text(_ number: UInt32) -> String { padded(String(number, radix: 16), 8) }

    /// `digits` with zeros in front.
    private static func padded(_ digits: String, _ width: Int) -> String {
        String(repeating: "0", count: width - digits.utf8.count) + digits
    }
}
