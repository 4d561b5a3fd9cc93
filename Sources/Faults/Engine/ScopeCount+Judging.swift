import Wire

extension ScopeCount {
    /// Counts an event and evaluates the schedule.
    ///
    /// - Parameters:
    ///   - answer: What the event is to the rule.
    ///   - rule: The rule.
    ///   - scope: Value of the scope.
    ///   - at: When it was received.
    ///   - isOpen: Whether the windows are open.
    ///   - seed: Seed of the session.
    /// - Returns: The draw where the event is hit, else nil.
    mutating func judge(
        _ answer: FaultQuestion.Answer, _ rule: FaultRule, scope: String, at: Instant,
        isOpen: Bool, seed: UInt64
    ) -> UInt64? {
        if answer.ends, isOpen { isEnded = true }
        guard answer.holds, isOpen else { return nil }
        if let pause = rule.schedule.untilWaited, let lastHit,
            at.nanoseconds - lastHit >= pause
        {
            isEnded = true
        }
        if isEnded { return nil }
        occurrences += 1
        let draw = FaultDraw.draw(
            seed: seed, rule: rule.name, scope: scope, occurrence: occurrences)
        guard rule.schedule.hits(occurrences, draw: draw) else { return nil }
        lastHit = at.nanoseconds
        return draw
    }
}

extension FaultSchedule {
    /// Whether the occurrence with this number is hit.
    func hits(_ occurrence: Int64, draw: UInt64) -> Bool {
        if let first, occurrence > first { return false }
        if let every, occurrence % every != 0 { return false }
        if !nth.isEmpty, !nth.contains(occurrence) { return false }
        if let probability { return FaultDraw.happens(probability, draw: draw) }
        return true
    }
}
