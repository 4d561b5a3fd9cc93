/// What a peer has to do after something has happened.
///
/// A duty is broken as soon as what the peer does shows that it will not be done, and only else when
/// its time is up. It is undecided where the recording ends before.
public struct Duty: Sendable {
    /// The rule that is broken where it is not done; its deadline is the last resort.
    public let rule: Rule
    /// What it follows from.
    public let trigger: String
    /// What shows that it will not be done, besides time; nil where only time does.
    public let due: String?
    /// That it was not seen, where a recording ended before; nil where nothing is said then.
    public let undecided: String?

    init(_ rule: Rule, after trigger: String, due: String? = nil, undecided: String?) {
        self.rule = rule
        self.trigger = trigger
        self.due = due
        self.undecided = undecided
    }

    /// All duties, sorted by the identifiers of their rules.
    public static let all = (commCare + simperiumClients + simperiumServers + webSocket)
        .sorted { $0.rule.id < $1.rule.id }

    /// The duty of a rule; nil where it demands nothing that takes time.
    public static func of(_ rule: Rule) -> Duty? { byRule[rule] }

    private static let byRule = Dictionary(
        all.map { ($0.rule, $0) }, uniquingKeysWith: { first, _ in first })
}
