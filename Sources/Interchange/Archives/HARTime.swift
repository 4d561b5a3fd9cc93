/// Times as HTTP archives write them, to and from nanoseconds since 1970 UTC.
///
/// Source: HAR 1.2, `startedDateTime` (ISO 8601). Exporters write any number of digits behind the
/// second (none to nine) and any offset.
enum HARTime {
    private static let nanosecondsPerSecond: Int64 = 1_000_000_000
    /// Years that are believed: sums of such a moment and some durations stay in range.
    private static let years = 1970...2199

    // MARK: Reading

    /// The moment that `text` names; nil where it is none of the years 1970 to 2199.
    ///
    /// Separators may be missing, and without an offset it is UTC.
    static func parse(_ text: String) -> Int64? {
        var rest = Array(text.utf8)[...]
        guard let year = digits(4, &rest), years.contains(year) else { return nil }
        skip(0x2D, &rest)
        guard let month = digits(2, &rest), (1...12).contains(month) else { return nil }
        skip(0x2D, &rest)
        guard let day = digits(2, &rest), (1...31).contains(day) else { return nil }
        guard let separator = rest.popFirst(), [0x54, 0x74, 0x20].contains(separator),
            let hour = digits(2, &rest), hour < 25
        else { return nil }
        skip(0x3A, &rest)
        guard let minute = digits(2, &rest), minute < 60 else { return nil }
        skip(0x3A, &rest)
        let second = digits(2, &rest) ?? 0
        // A leap second counts as the first of the next minute.
        guard second <= 60, let fraction = fraction(&rest), let offset = offset(&rest),
            rest.isEmpty
        else { return nil }
        let minutes = Int64(days(year, month, day)) * 1_440 + Int64(hour * 60 + minute - offset)
        let moment = (minutes * 60 + Int64(second)) * nanosecondsPerSecond + fraction
        return moment < 0 ? nil : moment
    }

    /// Takes exactly `count` digits, or nothing.
    private static func digits(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> Int? {
        let taken = rest.prefix(count)
        guard taken.count == count, taken.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        rest = rest.dropFirst(count)
        return taken.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func skip(_ byte: UInt8, _ rest: inout ArraySlice<UInt8>) {
        if rest.first == byte { rest = rest.dropFirst() }
    }

    /// Nanoseconds behind the point, digits beyond the ninth unread; 0 without a point.
    private static func fraction(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        guard rest.first == 0x2E || rest.first == 0x2C else { return 0 }
        rest = rest.dropFirst()
        let taken = rest.prefix { (0x30...0x39).contains($0) }
        guard !taken.isEmpty else { return nil }
        rest = rest.dropFirst(taken.count)
        let value = taken.prefix(9).reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
        return (taken.count..<max(9, taken.count)).reduce(value) { value, _ in value * 10 }
    }

    /// Minutes by which the clock was ahead of UTC.
    private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int? {
        guard let sign = rest.popFirst() else { return 0 }
        if sign == 0x5A || sign == 0x7A { return 0 }
        guard sign == 0x2B || sign == 0x2D, let hours = digits(2, &rest), hours < 24 else {
            return nil
        }
        skip(0x3A, &rest)
        let minutes = digits(2, &rest) ?? 0
        return (sign == 0x2D ? -1 : 1) * (hours * 60 + minutes)
    }

    /// Days from 1970-01-01 to a day of the Gregorian calendar.
    ///
    /// Years are counted from March, so that the day that some years lack is the last of a year.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return 365 * year + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }

    // MARK: Writing

    /// The moment as `2024-05-06T07:08:09.123456Z`.
    ///
    /// Six digits, as mitmproxy writes them: browsers read them, and what lies within a
    /// millisecond keeps its order.
    static func write(_ unixNanoseconds: Int64) -> String {
        let moment = max(0, unixNanoseconds)
        let seconds = moment / nanosecondsPerSecond
        let (year, month, day) = date(days: Int(seconds / 86_400))
        let rest = Int(seconds % 86_400)
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
            + "T\(padded(rest / 3_600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))"
            + ".\(padded(Int(moment % nanosecondsPerSecond) / 1_000, 6))Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    /// The day that is so many days after 1970-01-01.
    private static func date(days: Int) -> (year: Int, month: Int, day: Int) {
        let days = days + 719_468
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}
