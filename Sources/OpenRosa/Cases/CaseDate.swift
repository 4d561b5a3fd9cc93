internal import Notation

/// Dates as CommCare writes them: a day, or a day and a time with or without zone.
enum CaseDate {
    /// Whether a client could read it: `2026-02-03`, `2026-02-03T04:05:06.789Z` or `…+02`, `…+0200`,
    /// `…+02:00`.
    static func isDate(_ text: String) -> Bool {
        var rest = Array(text.utf8.prefix(64))[...]
        guard let year = number(&rest, 4), year > 0, skip(0x2D, &rest),
            let month = number(&rest, 2), skip(0x2D, &rest), let day = number(&rest, 2),
            CivilDate(year: year, month: month, day: day).isReal
        else { return false }
        if rest.isEmpty { return true }
        guard skip(0x54, &rest), let hour = number(&rest, 2), hour < 24, skip(0x3A, &rest),
            let minute = number(&rest, 2), minute < 60
        else { return false }
        if skip(0x3A, &rest) {
            guard let second = number(&rest, 2), second <= 60 else { return false }
            if skip(0x2E, &rest) {
                let digits = rest.prefix { (0x30...0x39).contains($0) }.count
                guard digits > 0 else { return false }
                rest = rest.dropFirst(digits)
            }
        }
        return isZone(rest)
    }

    private static func isZone(_ zone: ArraySlice<UInt8>) -> Bool {
        var rest = zone
        if rest.isEmpty { return true }
        if skip(0x5A, &rest) { return rest.isEmpty }
        guard skip(0x2B, &rest) || skip(0x2D, &rest), let hours = number(&rest, 2), hours <= 14
        else { return false }
        if rest.isEmpty { return true }
        _ = skip(0x3A, &rest)
        guard let minutes = number(&rest, 2), minutes < 60 else { return false }
        return rest.isEmpty
    }

    private static func skip(_ byte: UInt8, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == byte else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, _ digits: Int) -> Int? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        rest = rest.dropFirst(digits)
        return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
