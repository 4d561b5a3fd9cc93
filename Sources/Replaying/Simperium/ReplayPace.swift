public import Wire

/// How fast recorded time passes.
public enum ReplayPace: Hashable, Sendable {
    /// Everything at once, in its order.
    case asFastAsPossible
    /// This many times as fast as it was recorded; 1 is as recorded.
    case times(Double)
    /// As recorded, but no delay is longer than so many nanoseconds.
    case recorded(maximumNanoseconds: Int64)

    /// When something is due that was recorded `delay` nanoseconds after what happened at `start`.
    public func due(_ delay: Int64, after start: Instant) -> Instant {
        guard delay > 0 else { return start }
        let scaled: Int64
        switch self {
        case .asFastAsPossible: return start
        case .recorded(let maximum): scaled = min(delay, maximum)
        case .times(let speed):
            guard speed > 0 else { return start }
            scaled = Int64(exactly: (Double(delay) / speed).rounded()) ?? Int64.max / 4
        }
        let (sum, overflow) = start.nanoseconds.addingReportingOverflow(scaled)
        return Instant(nanoseconds: overflow ? .max : sum)
    }
}
