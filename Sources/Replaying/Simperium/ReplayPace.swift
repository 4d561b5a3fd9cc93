public import Wire

/// How fast recorded time passes.
public enum ReplayPace: Hashable, Sendable {
    /// Everything at once, in its order.
    case asFastAsPossible
    /// This many times as fast as it was recorded; 1 is as recorded.
    case times(Double)

    /// When something is due that was recorded `delay` nanoseconds after what happened at `start`.
    public func due(_ delay: Int64, after start: Instant) -> Instant {
        guard case .times(let speed) = self, speed > 0, delay > 0 else { return start }
        let scaled = Int64(exactly: (Double(delay) / speed).rounded()) ?? Int64.max / 4
        let (sum, overflow) = start.nanoseconds.addingReportingOverflow(scaled)
        return Instant(nanoseconds: overflow ? .max : sum)
    }
}
