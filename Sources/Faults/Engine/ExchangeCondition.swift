import Filters

/// What has to be true of an exchange so that a filter can hold for it.
///
/// Evaluated on the bytes of heads, without making text or rows of them: where it is false the
/// filter does not match, where it is true the filter has to be evaluated.
indirect enum ExchangeCondition: Sendable {
    /// The filter may hold for anything.
    case open
    /// The filter holds for nothing.
    case never
    /// The comparison holds, or does not hold.
    case comparison(FilterComparison, holds: Bool)
    /// All of these.
    case all([ExchangeCondition])
    /// One of these.
    case any([ExchangeCondition])

    /// What has to be true for one of several, the cheapest first.
    static func one(of conditions: [ExchangeCondition]) -> ExchangeCondition {
        if conditions.contains(where: \.isOpen) { return .open }
        let asked = sorted(conditions.filter { !$0.isNever })
        return asked.isEmpty ? .never : asked.count == 1 ? asked[0] : .any(asked)
    }

    /// What has to be true for all of several, the cheapest first.
    static func all(of conditions: [ExchangeCondition]) -> ExchangeCondition {
        if conditions.contains(where: \.isNever) { return .never }
        let asked = sorted(conditions.filter { !$0.isOpen })
        return asked.isEmpty ? .open : asked.count == 1 ? asked[0] : .all(asked)
    }

    /// What has to be true so that `node` can hold, or where `holds` is false, so that it can fail
    /// to hold.
    ///
    /// - Parameters:
    ///   - node: The filter.
    ///   - holds: Whether it has to hold.
    ///   - isEarly: Whether the condition is for the head of the request, while the filter is evaluated
    ///     later: what can still become known leaves it open.
    init(_ node: FilterNode, holds: Bool = true, isEarly: Bool = false) {
        switch node {
        case .always: self = holds ? .open : .never
        case .not(let node): self.init(node, holds: !holds, isEarly: isEarly)
        case .and(let nodes), .or(let nodes):
            let parts = nodes.map { ExchangeCondition($0, holds: holds, isEarly: isEarly) }
            var needsAll = holds
            if case .or = node { needsAll = !holds }
            self = needsAll ? .all(of: parts) : .one(of: parts)
        case .comparison(let comparison):
            if !comparison.isFor(.exchange) {
                self = holds ? .never : .open
            } else if isEarly
                ? ExchangePrefilter.settlesEarly(comparison.field)
                : ExchangePrefilter.shows(comparison.field)
            {
                self = .comparison(comparison, holds: holds)
            } else {
                self = .open
            }
        }
    }

    /// Whether the filter may hold for anything.
    var isOpen: Bool { if case .open = self { true } else { false } }
    private var isNever: Bool { if case .never = self { true } else { false } }

    private static func sorted(_ conditions: [ExchangeCondition]) -> [ExchangeCondition] {
        conditions.enumerated().sorted {
            ($0.element.expense, $0.offset) < ($1.element.expense, $1.offset)
        }
        .map(\.element)
    }

    /// The relative cost of evaluating it.
    private var expense: Int {
        switch self {
        case .open, .never: 0
        case .comparison(let comparison, _):
            switch comparison.field {
            case .api: 4
            case .header, .requestHeader, .responseHeader: 3
            case .path, .query, .host, .scheme, .device: 2
            default: 1
            }
        case .all(let parts), .any(let parts): parts.map(\.expense).max() ?? 0
        }
    }
}
