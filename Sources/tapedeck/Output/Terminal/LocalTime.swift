import Platform

/// A time of the wall clock in the time zone of this machine (`TZ`).
struct LocalTime {
    private let parts: tm
    private let nanoseconds: Int64

    /// The time `unixNanoseconds` after 1970 UTC.
    init(unixNanoseconds: Int64) {
        let (seconds, rest) = unixNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        nanoseconds = rest < 0 ? rest + 1_000_000_000 : rest
        var moment = time_t(rest < 0 ? seconds - 1 : seconds)
        var parts = tm()
        localtime_r(&moment, &parts)
        self.parts = parts
    }

    /// `2026-11-21`.
    var day: String {
        "\(Int(parts.tm_year) + 1900)-\(Self.two(parts.tm_mon + 1))-\(Self.two(parts.tm_mday))"
    }

    /// `14:03:05.123`.
    var clock: String { "\(second).\(String(nanoseconds / 1_000_000 + 1000).dropFirst())" }

    /// `2026-11-21 14:03:05 +01:00`.
    var text: String { "\(day) \(second) \(offset)" }

    /// `2026-11-21 14:03:05.123 +01:00`.
    var exactText: String { "\(day) \(clock) \(offset)" }

    /// `+01:00`.
    private var offset: String {
        let minutes = abs(parts.tm_gmtoff) / 60
        return "\(parts.tm_gmtoff < 0 ? "-" : "+")\(Self.two(Int32(minutes / 60)))"
            + ":\(Self.two(Int32(minutes % 60)))"
    }

    private var second: String {
        "\(Self.two(parts.tm_hour)):\(Self.two(parts.tm_min)):\(Self.two(parts.tm_sec))"
    }

    private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
