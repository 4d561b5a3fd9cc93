/// What ClickHouse answers with where a query fails.
///
/// Before 20.x: `Code: 60, e.displayText() = DB::Exception: TEXT, e.what() = DB::Exception`; since
/// then: `Code: 60. DB::Exception: TEXT. (UNKNOWN_TABLE) (version 24.8.1.1)`.
struct ServerComplaint: Hashable {
    /// The number of the error.
    let number: Int
    /// The text, in one line.
    let text: String

    /// Reads an answer; nil where it is none of ClickHouse's complaints.
    init?(_ answer: String) {
        // What is no exception of ClickHouse's own begins with its type: `Poco::Exception. Code: 1000`.
        guard let start = answer.prefix(64).firstRange(of: "Code: "),
            answer.hasPrefix("Code: ") || answer.hasPrefix("Poco::") || answer.hasPrefix("std::"),
            let number = Int(answer[start.upperBound...].prefix { $0.isNumber })
        else { return nil }
        self.number = number
        var text = Substring(answer)
        if let start = text.firstRange(of: "DB::Exception: ") {
            text = text[start.upperBound...]
        } else if let start = text.firstRange(of: "e.displayText() = ") {
            text = text[start.upperBound...]
        }
        for end in [", e.what() = ", " (version ", "Stack trace:"] {
            if let found = text.firstRange(of: end) { text = text[..<found.lowerBound] }
        }
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        self.text = line.utf8.count > 400 ? String(line.prefix(400)) + " ..." : line
    }

    /// The error that it means at the server of `place`.
    func error(at place: String, user: String) -> FleetError {
        let quote = "\(text) (ClickHouse's error \(number))"
        switch number {
        case 192, 193, 194, 516:
            return FleetError(
                .refused,
                "\(place) refuses user \(user): unknown, or not with this password; check both",
                number: number)
        case 164, 195, 291, 372, 497:
            return FleetError(
                .refused, "\(place) does not allow user \(user) what is needed: \(quote)",
                number: number)
        case 159, 160, 173, 202, 203, 209, 210, 216, 225, 241, 242, 243, 252, 279, 285, 286, 319,
            373, 394, 425, 439, 999, 1000, 1001, 1002:
            return FleetError(.busy, "\(place) cannot do it now: \(quote)", number: number)
        default:
            if text.contains("No space left") || text.contains("errno: 28") {
                return FleetError(
                    .busy, "\(place) has no room on its disk: \(quote); make room there",
                    number: number)
            }
            return FleetError(.server, "\(place) failed: \(quote)", number: number)
        }
    }
}
