internal import Notation
internal import Wire

/// Numbers of an HTTP archive: times in milliseconds or seconds with a fraction, and counts.
enum HARNumber {
    /// The longest plausible duration in nanoseconds: a year.
    static let longest: Int64 = 365 * 86_400 * 1_000_000_000

    /// The text of a number, or of a string that may be one, as some exporters write it.
    static func text(_ node: JSONDocument.Node?) -> String? { node?.number ?? node?.string }

    /// A whole number; a fraction is cut off.
    static func count(_ node: JSONDocument.Node?) -> Int64? {
        guard let text = text(node) else { return nil }
        if let whole = Int64(text) { return whole }
        guard let value = Double(text), value.magnitude < 0x1p62 else { return nil }
        return Int64(value)
    }

    /// A duration in nanoseconds from one in milliseconds, at most ``longest``.
    ///
    /// - Returns: Nil where it is none, or below 0, which archives write for "does not apply".
    static func duration(_ node: JSONDocument.Node?) -> Int64? {
        nanoseconds(node, places: 6).map { min($0, longest) }
    }

    /// A time in nanoseconds from one in a unit of 10 to the power of `places` nanoseconds.
    ///
    /// Digits are parsed exactly, so that what this program wrote is restored exactly; only a
    /// number with an exponent goes through floating point.
    ///
    /// - Returns: Nil where it is none, is negative or does not fit.
    static func nanoseconds(_ node: JSONDocument.Node?, places: Int) -> Int64? {
        guard let text = text(node) else { return nil }
        let parts = text.utf8.split(separator: 0x2E, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ $0.allSatisfy { (0x30...0x39).contains($0) } }),
            parts.first?.isEmpty == false
        else {
            guard let value = Double(text).map({ $0 * Double(unit(places)) }),
                value >= 0, value < 0x1p62
            else { return nil }
            return Int64(value)
        }
        let fraction = parts.count > 1 ? Array(parts[1].prefix(places)) : []
        let padding = Array(repeating: UInt8(0x30), count: places - fraction.count)
        return Int64(
            String(decoding: Array(parts[0]) + fraction + padding, as: UTF8.self))
    }

    /// `nanoseconds` in a unit of 10 to the power of `places` of them, without zeros at the end.
    static func text(_ nanoseconds: Int64, places: Int) -> String {
        let (whole, rest) = max(0, nanoseconds).quotientAndRemainder(dividingBy: unit(places))
        guard rest > 0 else { return String(whole) }
        let digits = String(rest)
        var fraction = String(repeating: "0", count: places - digits.utf8.count) + digits
        while fraction.utf8.last == 0x30 { fraction.removeLast() }
        return "\(whole).\(fraction)"
    }

    private static func unit(_ places: Int) -> Int64 {
        (0..<places).reduce(1) { unit, _ in unit * 10 }
    }
}
