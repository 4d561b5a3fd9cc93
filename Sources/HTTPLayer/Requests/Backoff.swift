/// How long a failed request waits before its next attempt: 1, 2, 4 … 30 s, less the jitter.
public struct Backoff: Sendable {
    /// The wait after the first failure; it doubles with each.
    public var first: Duration
    /// The longest wait.
    public var longest: Duration
    /// Gives the part of the upper half of a wait to leave out, 0 (nothing) to 1 (all of it).
    public var jitter: @Sendable () -> Double

    /// No waiting, for tests.
    public static let none = Backoff(first: .zero, longest: .zero, jitter: { 0 })

    /// Waits that double from `first` to `longest`.
    public init(
        first: Duration = .seconds(1), longest: Duration = .seconds(30),
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.first = first
        self.longest = longest
        self.jitter = jitter
    }

    /// The wait after the attempt numbered `attempt`, from 1.
    func wait(after attempt: Int) -> Duration {
        // A request has at most 16 attempts: the shift cannot overflow.
        let whole = min(first * (1 << min(max(attempt - 1, 0), 16)), longest)
        let part = min(max(jitter(), 0), 1)
        return whole - whole * (part / 2)
    }
}
