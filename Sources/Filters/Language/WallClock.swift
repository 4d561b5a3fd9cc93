/// Times of the wall clock that a value of `at` gives, such as `2026-11-21T14:03:05Z` or `14:03`.
public struct WallClock: Hashable, Sendable {
    /// What the times are counted from.
    public enum Scale: String, Hashable, Sendable, CaseIterable {
        /// 1970 in UTC: a time with `Z` or an offset.
        case utc
        /// 1970 in the time zone of the reader: a day, or a time without an offset.
        case local
        /// Midnight in the time zone of the reader: a time without a day.
        case timeOfDay
    }

    /// What they are counted from.
    public var scale: Scale
    /// The times, in nanoseconds.
    public var range: ClosedRange<Int64>

    /// These times.
    public init(_ scale: Scale, _ range: ClosedRange<Int64>) {
        self.scale = scale
        self.range = range
    }

    /// Whether a text begins as such a time does: with two digits and a colon, or four and a hyphen.
    static func looksLike(_ text: Substring) -> Bool {
        let start = Array(text.utf8.prefix(5))
        func digits(_ count: Int) -> Bool {
            start.count > count && start.prefix(count).allSatisfy { (0x30...0x39).contains($0) }
        }
        return digits(2) && start[2] == 0x3A || digits(4) && start[4] == 0x2D
    }

    /// Reads all of `text`: the day, minute, second or fraction that it names, from its first
    /// nanosecond to its last.
    ///
    /// Source: RFC 3339, section 5.6; a day, minutes, and times without offset or day are read as well.
    init?(_ text: Substring) {
        var reader = Reader(rest: Array(text.utf8)[...])
        guard let read = reader.wallClock() else { return nil }
        self = read
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        private static let second: Int64 = 1_000_000_000
        private static let day = 86_400 * second

        mutating func wallClock() -> WallClock? {
            guard rest.dropFirst(4).first == 0x2D else {
                guard let time = time(), rest.isEmpty else { return nil }
                return WallClock(.timeOfDay, time)
            }
            guard let midnight = date() else { return nil }
            guard let separator = rest.popFirst() else {
                return WallClock(.local, midnight...midnight + Self.day - 1)
            }
            guard [0x54, 0x74, 0x20].contains(separator), let time = time() else { return nil }
            let (low, high) = (midnight + time.lowerBound, midnight + time.upperBound)
            guard !rest.isEmpty else { return WallClock(.local, low...high) }
            guard let offset = offset(), rest.isEmpty else { return nil }
            return WallClock(.utc, low - offset...high - offset)
        }

        private mutating func digits(_ count: Int) -> Int64? {
            let taken = rest.prefix(count)
            guard taken.count == count, taken.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            rest = rest.dropFirst(count)
            return taken.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }

        private mutating func skip(_ sign: UInt8) -> Bool {
            guard rest.first == sign else { return false }
            rest = rest.dropFirst()
            return true
        }

        /// Nanoseconds from 1970 to the beginning of the day.
        private mutating func date() -> Int64? {
            guard let year = digits(4), (1970...2200).contains(year), skip(0x2D),
                let month = digits(2), (1...12).contains(month), skip(0x2D),
                let day = digits(2), (1...31).contains(day)
            else { return nil }
            // Years from March on, so that the day that may be missing is their last.
            let shifted = month > 2 ? year : year - 1
            let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
            let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear
            return (days - 719_468) * Self.day
        }

        /// Nanoseconds of the day.
        private mutating func time() -> ClosedRange<Int64>? {
            guard let hour = digits(2), hour < 24, skip(0x3A), let minute = digits(2), minute < 60
            else { return nil }
            let start = (hour * 3_600 + minute * 60) * Self.second
            guard skip(0x3A) else { return start...start + 60 * Self.second - 1 }
            guard let second = digits(2), second < 60 else { return nil }
            var low = start + second * Self.second
            // A point with another behind it separates the ends of a range.
            guard rest.first == 0x2E else { return low...low + Self.second - 1 }
            rest = rest.dropFirst()
            var unit = Self.second
            while let digit = rest.first, (0x30...0x39).contains(digit), unit > 1 {
                unit /= 10
                low += Int64(digit - 0x30) * unit
                rest = rest.dropFirst()
            }
            return unit < Self.second ? low...low + unit - 1 : nil
        }

        /// Nanoseconds by which the clock was ahead of UTC.
        private mutating func offset() -> Int64? {
            guard let sign = rest.popFirst() else { return nil }
            if sign == 0x5A || sign == 0x7A { return 0 }
            guard sign == 0x2B || sign == 0x2D, let hours = digits(2), hours < 24, skip(0x3A),
                let minutes = digits(2), minutes < 60
            else { return nil }
            return (sign == 0x2D ? -1 : 1) * (hours * 3_600 + minutes * 60) * Self.second
        }
    }
}
