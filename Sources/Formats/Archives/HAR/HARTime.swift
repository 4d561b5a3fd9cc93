import Notation

/// Times as HTTP archives write them, to and from nanoseconds since 1970 UTC.
///
/// Source: HAR 1.2, `startedDateTime` (ISO 8601). Exporters write any number of digits after the
/// second (none to nine) and any offset.
enum HARTime {
    /// Plausible seconds, those of 1970 to 2199: sums of such a time and some durations stay in
    /// range.
    private static let believed: Range<Int64> = 0..<7_258_118_400

    /// The time in `text`; nil where it is none or not plausible.
    ///
    /// Separators may be missing, and without an offset it is UTC.
    static func parse(_ text: String) -> Int64? {
        guard let moment = Timestamp(text, [.basicForm, .withoutZone]),
            believed.contains(moment.unixSeconds)
        else { return nil }
        return moment.unixNanoseconds
    }

    /// The time as `2024-05-06T07:08:09.123456Z`.
    ///
    /// Six digits, as mitmproxy writes them: browsers read them, and what is within a millisecond
    /// keeps its order.
    static func write(_ unixNanoseconds: Int64) -> String {
        Timestamp(unixNanoseconds: max(0, unixNanoseconds)).text(digits: 6)
    }
}
