extension FaultAction {
    /// Whether something about it is drawn.
    var drawsByChance: Bool {
        switch kind {
        case .latency: (duration("jitter") ?? 0) > 0
        case .corrupt: arguments["at"] == nil
        default: false
        }
    }

    /// Whether it lasts for the times of its schedule.
    var lastsForWindow: Bool { kind == .blackout && arguments["for"] == nil }
}
