import Wire

/// Spans of time, in nanoseconds.
enum CommCareTime {
    /// From one instant to a later one.
    static func gap(_ from: Instant, _ to: Instant) -> Int64 {
        to.nanoseconds - from.nanoseconds
    }

    /// An instant this many nanoseconds later.
    static func after(_ at: Instant, _ nanoseconds: Int64) -> Instant {
        let (sum, overflow) = at.nanoseconds.addingReportingOverflow(nanoseconds)
        return Instant(nanoseconds: overflow ? .max : sum)
    }

    /// Nanoseconds of this many seconds.
    static func seconds(_ count: Double) -> Int64 { Int64(count * 1_000_000_000) }

    /// Nanoseconds of whole seconds that a peer wrote.
    static func seconds(_ count: Int) -> Int64 {
        Int64(min(max(count, 0), 1_000_000_000)) * 1_000_000_000
    }

    /// As text: `40 ms`, `1.5 s`, `12 s`.
    static func text(_ span: Int64) -> String {
        let tenths = (span + 50_000_000) / 100_000_000
        if tenths < 10 { return "\((span + 500_000) / 1_000_000) ms" }
        return tenths % 10 == 0 || tenths >= 1_000
            ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
}
