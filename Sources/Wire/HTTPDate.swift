/// A moment as HTTP writes it, in UTC.
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

    /// Seconds since the beginning of 1970, leap seconds not counted.
    public var unixSeconds: Int64 {
        // Days from civil, with years that begin in March.
        let shifted = Int64(month <= 2 ? year - 1 : year)
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let monthFromMarch = Int64((month + 9) % 12)
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + Int64(day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        return days * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }

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
            year >= 1600, day >= 1, day <= length(ofMonth: month + 1, year), hour < 24,
            minute < 60, second <= 60
        else { return nil }
        return HTTPDate(
            year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
    }

    static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func length(ofMonth month: Int, _ year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    private static func number(_ text: Substring, digits: Int) -> Int? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int(text)
    }
}
