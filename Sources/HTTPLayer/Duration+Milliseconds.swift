extension Duration {
    /// In whole milliseconds, at least 1, because libcurl takes 0 for "no limit".
    var wholeMilliseconds: Int {
        let parts = components
        // More than a month counts as unlimited, and fits in libcurl's counters.
        let seconds = min(max(parts.seconds, 0), 30 * 86_400)
        return max(Int(seconds) * 1000 + Int(max(parts.attoseconds, 0) / 1_000_000_000_000_000), 1)
    }
}
