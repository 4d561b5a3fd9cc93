extension FaultAction {
    /// Whether something about it is drawn.
    var drawsByChance: Bool { kind.specification.isRandom(self) }

    /// Whether it lasts for the times of its schedule.
    package var lastsForWindow: Bool { kind.specification.lastsForWindow(self) }
}
