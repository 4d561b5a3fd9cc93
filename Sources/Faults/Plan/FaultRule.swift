public import Filters

/// One rule of a fault plan: what is hit, how often, and what is done to it.
public struct FaultRule: Hashable, Sendable {
    /// The name, unlike that of any other rule of the plan.
    public let name: String
    /// What is hit, and the phase in which that is evaluated.
    public let condition: FaultCondition
    /// What is done.
    public let action: FaultAction
    /// Which of the events are hit.
    public let schedule: FaultSchedule

    /// A rule with these parts.
    init(
        name: String, condition: FaultCondition, action: FaultAction, schedule: FaultSchedule
    ) {
        self.name = name
        self.condition = condition
        self.action = action
        self.schedule = schedule
    }

    /// The phase in which it is evaluated: the earliest where its filter can be evaluated and its
    /// action be carried out.
    public var phase: FilterPhase { condition.phase }

    /// What events are counted by: the plan's value, or else the client where a random draw decides
    /// and everything together where it does not.
    ///
    /// Counted over all, a draw would depend on which of two connections came first.
    public var extent: FaultSchedule.Extent {
        schedule.per ?? (schedule.probability != nil || action.drawsByChance ? .client : .overall)
    }
}
