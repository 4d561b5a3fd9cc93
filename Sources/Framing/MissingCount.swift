extension Int64 {
    /// Greatest offset that missing bytes lead to.
    ///
    /// Their count is stated by the file; half of the range is left for bytes that are really
    /// there.
    private static let furthest = Int64.max >> 1

    /// This offset moved past `count` missing bytes, as far as they can be counted.
    ///
    /// A negative `count` moves nothing.
    package func advanced(past count: Int64) -> Int64 {
        guard count > 0, self < Self.furthest else { return self }
        return count < Self.furthest - self ? self + count : Self.furthest
    }
}
