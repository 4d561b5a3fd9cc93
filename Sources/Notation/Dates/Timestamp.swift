/// A time as ISO 8601 and XML Schema write it, to the nanosecond.
package struct Timestamp: Hashable, Sendable {
    /// Seconds since 1970 UTC, leap seconds not counted.
    package var unixSeconds: Int64
    /// Nanoseconds after them, in 0..<1,000,000,000.
    package var nanoseconds: Int64

    /// A time of the wall clock.
    package init(unixNanoseconds: Int64) {
        let (seconds, rest) = unixNanoseconds.quotientAndRemainder(dividingBy: Self.billion)
        unixSeconds = rest < 0 ? seconds - 1 : seconds
        nanoseconds = rest < 0 ? rest + Self.billion : rest
    }

    /// A whole second of the wall clock.
    package init(unixSeconds: Int64) {
        self.unixSeconds = unixSeconds
        nanoseconds = 0
    }

    private static let billion: Int64 = 1_000_000_000

    /// Nanoseconds since 1970 UTC; nil where that is more than 64 bits hold.
    package var unixNanoseconds: Int64? {
        let (whole, isFar) = unixSeconds.multipliedReportingOverflow(by: Self.billion)
        let (sum, isFarther) = whole.addingReportingOverflow(nanoseconds)
        return isFar || isFarther ? nil : sum
    }

    // MARK: Writing

    /// The day, `2026-11-21`, in UTC.
    package var dayText: String {
        let (days, _) = parts
        let date = CivilDate(daysSince1970: days)
        return "\(Self.padded(date.year, 4))-\(Self.padded(date.month, 2))"
            + "-\(Self.padded(date.day, 2))"
    }

    /// `2026-11-21T17:00:00.500Z`, in UTC.
    ///
    /// - Parameter digits: How many digits of the second's fraction, 0 to 9; the rest is cut off.
    /// - Returns: The time.
    package func text(digits: Int) -> String {
        if let text = usualText(digits: min(max(digits, 0), 9)) { return text }
        let (_, second) = parts
        let fraction = Self.padded(Int(nanoseconds), 9).prefix(min(max(digits, 0), 9))
        return "\(dayText)T\(Self.padded(second / 3_600, 2)):\(Self.padded(second / 60 % 60, 2))"
            + ":\(Self.padded(second % 60, 2))\(fraction.isEmpty ? "" : ".")\(fraction)Z"
    }

    /// The text of a time in a year of four digits, put together at once: exports write millions.
    private func usualText(digits: Int) -> String? {
        let (days, second) = parts
        let date = CivilDate(daysSince1970: days)
        guard 1_000...9_999 ~= date.year else { return nil }
        let size = 20 + (digits == 0 ? 0 : digits + 1)
        return String(unsafeUninitializedCapacity: size) { bytes in
            var place = size
            func put(_ byte: UInt8) {
                place -= 1
                bytes[place] = byte
            }
            func put(_ number: Int, _ width: Int) {
                var rest = number
                for _ in 0..<width {
                    put(0x30 + UInt8(truncatingIfNeeded: rest % 10))
                    rest /= 10
                }
            }
            put(UInt8(ascii: "Z"))
            if digits > 0 {
                var fraction = Int(nanoseconds)
                for _ in digits..<9 { fraction /= 10 }
                put(fraction, digits)
                put(UInt8(ascii: "."))
            }
            put(second % 60, 2)
            put(UInt8(ascii: ":"))
            put(second / 60 % 60, 2)
            put(UInt8(ascii: ":"))
            put(second / 3_600, 2)
            put(UInt8(ascii: "T"))
            put(date.day, 2)
            put(UInt8(ascii: "-"))
            put(date.month, 2)
            put(UInt8(ascii: "-"))
            put(date.year, 4)
            return size
        }
    }

    /// Days since 1970, and seconds of the day.
    private var parts: (days: Int, second: Int) {
        let (days, rest) = Int(unixSeconds).quotientAndRemainder(dividingBy: 86_400)
        return rest < 0 ? (days - 1, rest + 86_400) : (days, rest)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    // MARK: Reading

    /// What is read although RFC 3339 does not have it.
    package struct Leniency: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Hyphens and colons, the seconds, and the minutes of an offset may be missing; a fraction
        /// may follow a comma, and 24 is an hour (ISO 8601).
        package static let basicForm = Leniency(rawValue: 1)
        /// Without an offset it is UTC.
        package static let withoutZone = Leniency(rawValue: 2)
    }

    /// Reads `2026-11-21T17:00:00.500+01:00`; nil where `text` is no such time.
    ///
    /// A leap second counts as the first of the next minute; digits beyond the ninth of a fraction
    /// are not read. Source: RFC 3339, section 5.6.
    package init?(_ text: some StringProtocol, _ leniency: Leniency = []) {
        var reader = Reader(rest: Array(text.utf8)[...], leniency: leniency)
        guard let moment = reader.moment() else { return nil }
        self = moment
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>
        let leniency: Leniency

        private var isBasic: Bool { leniency.contains(.basicForm) }

        mutating func moment() -> Timestamp? {
            guard let year = digits(4), skip("-"), let month = digits(2), skip("-"),
                let day = digits(2), (1...12).contains(month), (1...31).contains(day),
                let separator = rest.popFirst(), [0x54, 0x74, 0x20].contains(separator),
                let hour = digits(2), hour < (isBasic ? 25 : 24), skip(":"),
                let minute = digits(2), minute < 60, let second = second(), second <= 60,
                let fraction = fraction(), let offset = offset(), rest.isEmpty
            else { return nil }
            let days = CivilDate(year: year, month: month, day: day).daysSince1970
            let minutes = days * 1_440 + hour * 60 + minute - offset
            var moment = Timestamp(unixSeconds: Int64(minutes * 60 + second))
            moment.nanoseconds = fraction
            return moment
        }

        /// Takes exactly `count` digits, or nothing.
        private mutating func digits(_ count: Int) -> Int? {
            let taken = rest.prefix(count)
            guard taken.count == count, taken.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            rest = rest.dropFirst(count)
            return taken.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }

        private mutating func skip(_ separator: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: separator) else { return isBasic }
            rest = rest.dropFirst()
            return true
        }

        private mutating func second() -> Int? {
            guard skip(":") else { return nil }
            return digits(2) ?? (isBasic ? 0 : nil)
        }

        /// Nanoseconds after the point; 0 without one.
        private mutating func fraction() -> Int64? {
            guard rest.first == 0x2E || isBasic && rest.first == 0x2C else { return 0 }
            rest = rest.dropFirst()
            let taken = rest.prefix { (0x30...0x39).contains($0) }
            guard !taken.isEmpty else { return nil }
            rest = rest.dropFirst(taken.count)
            let value = taken.prefix(9).reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
            return (taken.count..<max(9, taken.count)).reduce(value) { value, _ in value * 10 }
        }

        /// Minutes by which the clock was ahead of UTC.
        private mutating func offset() -> Int? {
            guard let sign = rest.popFirst() else {
                return leniency.contains(.withoutZone) ? 0 : nil
            }
            if sign == 0x5A || sign == 0x7A { return 0 }
            guard sign == 0x2B || sign == 0x2D, let hours = digits(2), hours < 24, skip(":"),
                let minutes = digits(2) ?? (isBasic ? 0 : nil)
            else { return nil }
            return (sign == 0x2D ? -1 : 1) * (hours * 60 + minutes)
        }
    }
}
