/// A time as HTTP writes it, in UTC.
public struct HTTPDate: Hashable, Sendable {
    /// Year, 1600 to 9999.
    public var year: Int
    /// Month, 1 to 12.
    public var month: Int
    /// Day of the month, 1 to 31.
    public var day: Int
    /// Hour, 0 to 23.
    public var hour: Int
    /// Minute, 0 to 59.
    public var minute: Int
    /// Second, 0 to 60.
    public var second: Int

    private var days: Int { CivilDate(year: year, month: month, day: day).daysSince1970 }

    /// Seconds since the beginning of 1970, leap seconds not counted.
    public var unixSeconds: Int64 {
        Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    // MARK: Reading

    /// Reads an IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT`; the two obsolete forms are refused,
    /// as no client in question reads them.
    public static func parse(_ text: String) -> HTTPDate? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[5] == "GMT", words[0].last == ",",
            ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].contains(words[0].dropLast()),
            let month = months.firstIndex(of: String(words[2])),
            let day = number(words[1], digits: 2), let year = number(words[3], digits: 4)
        else { return nil }
        let time = words[4].split(separator: ":", omittingEmptySubsequences: false)
        guard time.count == 3, let hour = number(time[0], digits: 2),
            let minute = number(time[1], digits: 2), let second = number(time[2], digits: 2),
            year >= 1600, CivilDate(year: year, month: month + 1, day: day).isReal, hour < 24,
            minute < 60, second <= 60
        else { return nil }
        return HTTPDate(
            year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
    }

    private static func number(_ text: Substring, digits: Int) -> Int? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int(text)
    }
}

extension HTTPDate {
    // MARK: Writing

    /// The time this many seconds after the start of 1970, leap seconds not counted.
    ///
    /// - Parameter unixSeconds: From the year 1600 to the end of 9999; what is beyond counts as the
    ///   nearest time within.
    public init(unixSeconds: Int64) {
        let seconds = min(max(unixSeconds, -11_676_096_000), 253_402_300_799)
        let rest = Int(((seconds % 86_400) + 86_400) % 86_400)
        let date = CivilDate(daysSince1970: Int(seconds - Int64(rest)) / 86_400)
        self.init(
            year: date.year, month: date.month, day: date.day, hour: rest / 3_600,
            minute: rest / 60 % 60, second: rest % 60)
    }

    /// The time as an IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT`, which ``parse(_:)`` reads.
    public var text: String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let weekday = weekdays[((days % 7) + 7) % 7]
        let name = Self.months[min(max(month, 1), 12) - 1]
        let date = "\(weekday), \(two(day)) \(name) \(year)"
        return "\(date) \(two(hour)):\(two(minute)):\(two(second)) GMT"
    }
}
