/// How much longer something takes, by what has passed.
struct ProgressEstimate {
    private let start: ContinuousClock.Instant

    /// Begins at `start`.
    init(from start: ContinuousClock.Instant = .now) { self.start = start }

    /// `, 12 s left`; empty in the first second and where too little has been done to say.
    func text(share: Double, at now: ContinuousClock.Instant = .now) -> String {
        let passed = start.duration(to: now)
        guard passed >= .seconds(1), share >= 0.02, share < 1 else { return "" }
        let seconds =
            Double(passed.components.seconds) + Double(passed.components.attoseconds) / 1e18
        let left = Int64((seconds * (1 - share) / share).rounded(.up))
        guard left >= 60 else { return ", \(left) s left" }
        let minutes = (left + 59) / 60
        return ", \(minutes) min left"
    }
}
