import Platform

/// Settings of a run of the tests.
public enum ProcessEnvironment {
    /// The number in an environment variable; nil where it is not set or none.
    public static func number(_ name: String) -> Int? {
        getenv(name).flatMap { Int(String(cString: $0)) }
    }

    /// The seeds of a test that plays long sessions: `count` of them, or as many per cent of these as
    /// `TAPEDECK_SEEDS` says, but one at least.
    public static func seeds(_ count: Int) -> Range<UInt64> {
        let share = min(100, max(0, number("TAPEDECK_SEEDS") ?? 100))
        return 0..<UInt64(max(1, count * share / 100))
    }

    /// The text of an environment variable; nil where it is not set.
    public static func text(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
