internal import Wire

/// How XML Schema writes a moment.
extension HTTPDate {
    /// The day.
    var dayText: String { "\(year)-\(Self.two(month))-\(Self.two(day))" }

    /// The moment, in whole seconds.
    var secondText: String {
        "\(dayText)T\(Self.two(hour)):\(Self.two(minute)):\(Self.two(second))Z"
    }

    /// The moment, in microseconds.
    var momentText: String { "\(secondText.dropLast()).000000Z" }

    /// A number in 0...99 with two digits.
    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
