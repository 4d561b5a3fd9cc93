extension HTTPDate {
    /// The moment so many seconds after 1970 began, leap seconds not counted.
    ///
    /// - Parameter unixSeconds: From the year 1600 to the end of 9999; what is beyond counts as the
    ///   nearest moment within.
    public init(unixSeconds: Int64) {
        let seconds = min(max(unixSeconds, -11_676_096_000), 253_402_300_799)
        let rest = Int(((seconds % 86_400) + 86_400) % 86_400)
        // Civil from days, with years that begin in March.
        let shifted = (seconds - Int64(rest)) / 86_400 + 719_468
        let era = shifted / 146_097
        let dayOfEra = Int(shifted - era * 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        self.init(
            year: Int(era) * 400 + yearOfEra + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1, hour: rest / 3_600,
            minute: rest / 60 % 60, second: rest % 60)
    }

    /// The moment as an IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT`, which ``parse(_:)`` reads.
    public var text: String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let second = unixSeconds
        let day = (second - ((second % 86_400) + 86_400) % 86_400) / 86_400
        let weekday = days[Int(((day % 7) + 7) % 7)]
        let name = Self.months[min(max(month, 1), 12) - 1]
        let date = "\(weekday), \(two(self.day)) \(name) \(year)"
        return "\(date) \(two(hour)):\(two(minute)):\(two(self.second)) GMT"
    }
}
