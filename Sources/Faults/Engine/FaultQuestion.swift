import Filters

/// The conditions of a rule on an event in one phase.
struct FaultQuestion {
    /// What the event is to a rule.
    struct Answer {
        /// Number of the rule within its session.
        let rule: Int
        /// Whether the event is what ends the rule.
        let ends: Bool
        /// Whether the rule's filter holds for it.
        let holds: Bool
        /// What the rule counts events by.
        let extent: FaultSchedule.Extent
    }

    /// Number of the rule within its session.
    let rule: Int
    /// What the rule does.
    let kind: ActionKind
    /// Whether it only has somebody asked.
    let isAsking: Bool
    /// The generation of the rules in which it came.
    let generation: Int
    /// What the rule counts events by.
    let extent: FaultSchedule.Extent
    /// What ends the rule, if that is evaluated in this phase.
    let until: Filter?
    /// What is hit, if that is evaluated in this phase: all of these have to match.
    let filters: [Filter]
    /// What has to be true of an event so that it can be something to the rule.
    let condition: FilterCondition

    /// The question of the rule with this number in `phase`.
    init(
        _ rule: FaultRule, number: Int, generation: Int, until: Filter?, filters: [Filter],
        phase: FilterPhase
    ) {
        self.rule = number
        kind = rule.action.kind
        isAsking = rule.isAsking
        self.generation = generation
        extent = rule.extent
        self.until = until
        self.filters = filters
        let ending = until.map { FilterCondition($0.root, phase: phase) } ?? .never
        let hit =
            filters.isEmpty
            ? .never
            : FilterCondition.all(of: filters.map { FilterCondition($0.root, phase: phase) })
        condition = .one(of: [ending, hit])
    }

    /// What has to be true of an exchange so that it can be something to the rule.
    ///
    /// - Parameter isEarly: Whether only the head of its request is known.
    /// - Returns: The condition.
    func exchangeCondition(isEarly: Bool = false) -> ExchangeCondition {
        let ending = until.map { ExchangeCondition($0.root, isEarly: isEarly) } ?? .never
        let hit =
            filters.isEmpty
            ? .never
            : ExchangeCondition.all(
                of: filters.map { ExchangeCondition($0.root, isEarly: isEarly) })
        return .one(of: [ending, hit])
    }

    /// What `values` are to the rule; nil where they are nothing to it.
    func answer(_ values: some FilterSubjectValues, phase: FilterPhase) -> Answer? {
        let ends = until?.matches(values) ?? false
        let holds = !filters.isEmpty && filters.allSatisfy { $0.matches(values) }
        guard ends || holds else { return nil }
        return Answer(rule: rule, ends: ends, holds: holds, extent: extent)
    }

    /// Whether it looks at this field.
    func reads(_ field: Field) -> Bool {
        (filters + [until].compactMap(\.self)).contains { $0.root.reads(field) }
    }
}

extension FilterNode {
    /// Whether a test of it is of this field.
    fileprivate func reads(_ field: Field) -> Bool {
        switch self {
        case .always: false
        case .and(let nodes), .or(let nodes): nodes.contains { $0.reads(field) }
        case .not(let node): node.reads(field)
        case .comparison(let comparison): comparison.field == field
        }
    }
}
