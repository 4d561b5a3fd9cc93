/// What a rule keeps about one scope.
struct ScopeCount: Hashable {
    /// Events so far.
    var occurrences: Int64 = 0
    /// Whether the client has done what ends the rule for it.
    var isEnded = false
    /// When it was hit last, in nanoseconds since the session started.
    var lastHit: Int64?
}
