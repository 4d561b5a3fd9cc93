/// A moment of the wall clock in UTC, as protocols write it.
struct CalendarDate: Hashable, Sendable {
    let year: Int
    let month: Int
    let day: Int
    let hour: Int
    let minute: Int
    let second: Int
    /// 0 is Sunday.
    let weekday: Int

    /// The moment `seconds` after 1970 began, in the Gregorian calendar.
    init(_ seconds: Int64) {
        let days = (seconds >= 0 ? seconds : seconds - 86399) / 86400
        let rest = Int(seconds - days * 86400)
        (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
        weekday = Int(((days % 7) + 11) % 7)
        // Days from civil, backwards: eras of 400 years that begin on the first of March.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = Int(shifted - era * 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + Int(era) * 400 + (month <= 2 ? 1 : 0)
    }

    /// As in a `Date` field: RFC 9110, 5.6.7.
    var imf: String {
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        return "\(days[weekday]), \(two(day)) \(months[month - 1]) \(year) "
            + "\(two(hour)):\(two(minute)):\(two(second)) GMT"
    }

    /// The day as in XML Schema.
    var dayText: String { "\(year)-\(two(month))-\(two(day))" }

    /// The moment as in XML Schema, in whole seconds.
    var secondText: String { "\(dayText)T\(two(hour)):\(two(minute)):\(two(second))Z" }

    /// The moment as in XML Schema.
    var momentText: String { "\(dayText)T\(two(hour)):\(two(minute)):\(two(second)).000000Z" }

    /// A number in 0...99 with two digits.
    private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
