/// Numbers and nouns in the texts of findings.
enum Words {
    /// `1st`, `2nd`, `3rd`, `11th`.
    static func ordinal(_ number: Int) -> String {
        let end =
            switch (number % 100, number % 10) {
            case (11...13, _): "th"
            case (_, 1): "st"
            case (_, 2): "nd"
            case (_, 3): "rd"
            default: "th"
            }
        return "\(number)\(end)"
    }

    /// `1 case`, `2 cases`.
    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
