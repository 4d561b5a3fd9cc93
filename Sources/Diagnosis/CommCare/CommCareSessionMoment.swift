/// Moments as CommCare writes them.
enum CommCareMoment {
    /// Seconds since 1970, without zone as if in UTC; nil where it is no moment.
    static func seconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8.prefix(40))
        guard bytes.count >= 19, bytes[10] == 0x54 else { return nil }
        func number(_ range: Range<Int>) -> Int64? {
            var value: Int64 = 0
            for byte in bytes[range] {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            return value
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            year >= 1600, (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        // Days from civil, with years that begin in March.
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let yearOfEra = shifted - era * 400
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        let local = days * 86_400 + hour * 3_600 + minute * 60 + second
        guard let sign = bytes[19...].firstIndex(where: { $0 == 0x2B || $0 == 0x2D }),
            sign + 3 <= bytes.count, let hours = number(sign + 1..<sign + 3)
        else { return local }
        let rest = bytes[(sign + 3)...].drop { $0 == 0x3A }.prefix(2)
        let minutes = rest.count == 2 ? number(rest.startIndex..<rest.endIndex) ?? 0 : 0
        let offset = hours * 3_600 + minutes * 60
        return local - (bytes[sign] == 0x2B ? offset : -offset)
    }
}
