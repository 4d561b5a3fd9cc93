/// All rules.
public enum Rules {
    /// Every rule, sorted by identifier.
    public static let all: [Rule] =
        (SimperiumSessionRules.all + SimperiumServerRules.all + SimperiumChangeRules.all
        + SimperiumFindingGroups.rules + CommCareExchangeRules.all + CommCareSessionRules.all
        + CommCareFindingGroups.rules + HTTPRules.all + WebSocketRules.all)
        .sorted { $0.id < $1.id }

    /// The rule with this identifier.
    public static func rule(_ id: String) -> Rule? { byID[id] }

    private static let byID: [String: Rule] = Dictionary(
        all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })

    /// Checks for all rules, at the beginning of a session.
    static func checks() -> [any Check] {
        [
            SimperiumSessionCheck(), SimperiumServerCheck(), SimperiumChangeCheck(),
            CommCareExchangeCheck(), CommCareSessionCheck(), HTTPCheck(), WebSocketCheck(),
        ]
    }

    /// The groups that join findings.
    static let groups: [FindingGroup] = SimperiumFindingGroups.all + CommCareFindingGroups.all
}
