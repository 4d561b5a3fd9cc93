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
    static func checks(_ patience: Patience) -> [any Check] {
        var sessions = SimperiumSessionCheck()
        sessions.patience = patience
        var servers = SimperiumServerCheck()
        servers.patience = patience
        var changes = SimperiumChangeCheck()
        changes.patience = patience
        var devices = CommCareSessionCheck()
        devices.patience = patience
        var sockets = WebSocketCheck()
        sockets.patience = patience
        return [
            sessions, servers, changes, CommCareExchangeCheck(), devices, HTTPCheck(), sockets,
        ]
    }

    /// The groups that join findings.
    static let groups: [FindingGroup] = SimperiumFindingGroups.all + CommCareFindingGroups.all
}
