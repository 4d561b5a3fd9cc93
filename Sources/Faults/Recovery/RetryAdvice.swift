import Wire

/// Whether a client waited as long as Retry-After required.
enum RetryAdvice {
    /// `; tried again after 31 s, Retry-After was 30`, or nothing where there was no Retry-After.
    static func words(_ item: RecoveryCase) -> String {
        guard let asked = item.retryAfter, let first = item.firstTry else { return "" }
        let waited = first.nanoseconds - item.fault.row.at.nanoseconds
        let start = "; tried again after \(seconds(waited))"
        guard let least = Int64(asked) else { return start + ", Retry-After was \(asked)" }
        let (nanoseconds, isFar) = least.multipliedReportingOverflow(by: 1_000_000_000)
        return waited < nanoseconds || isFar
            ? start + ", before Retry-After \(asked) had elapsed"
            : start + ", Retry-After was \(asked)"
    }

    /// `31 s`, `0.2 s`.
    static func seconds(_ nanoseconds: Int64) -> String {
        let tenths = (max(0, nanoseconds) + 50_000_000) / 100_000_000
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
}
