/// What a group of rules is about: a protocol, or one of its areas.
public struct RuleTopic: Hashable, Sendable, Identifiable {
    /// The beginning that the identifiers of its rules share: `simperium.change`, `http`.
    public let id: String
    /// The topic as a heading.
    public let title: String

    /// All topics, sorted by identifier.
    public static let all: [RuleTopic] = [
        RuleTopic("commcare.case", "CommCare: cases"),
        RuleTopic("commcare.form", "CommCare: forms"),
        RuleTopic("commcare.headers", "CommCare: header fields"),
        RuleTopic("commcare.retry", "CommCare: retries"),
        RuleTopic("commcare.server", "CommCare: servers"),
        RuleTopic("commcare.story", "CommCare: several mistakes together"),
        RuleTopic("commcare.submit", "CommCare: submissions"),
        RuleTopic("commcare.sync", "CommCare: restores and sync tokens"),
        RuleTopic("http", "HTTP"),
        RuleTopic("openrosa", "OpenRosa"),
        RuleTopic("simperium.auth", "Simperium: tokens"),
        RuleTopic("simperium.change", "Simperium: changes"),
        RuleTopic("simperium.cv", "Simperium: change versions"),
        RuleTopic("simperium.diff", "Simperium: diffs"),
        RuleTopic("simperium.entity", "Simperium: entities"),
        RuleTopic("simperium.heartbeat", "Simperium: heartbeats"),
        RuleTopic("simperium.index", "Simperium: the index"),
        RuleTopic("simperium.remote", "Simperium: changes and requests from the server"),
        RuleTopic("simperium.server", "Simperium: servers"),
        RuleTopic("simperium.session", "Simperium: connections and channels"),
        RuleTopic("simperium.story", "Simperium: several mistakes together"),
        RuleTopic("websocket", "WebSocket"),
    ]

    private init(_ id: String, _ title: String) {
        self.id = id
        self.title = title
    }

    /// The topic of a rule; where none is listed, one named by the beginning of its identifier.
    public init(of rule: Rule) {
        let parts = rule.id.split(separator: ".")
        let hasAreas = ["simperium", "commcare"].contains(parts.first)
        let id = parts.prefix(hasAreas ? 2 : 1).joined(separator: ".")
        self = Self.all.first { $0.id == id } ?? RuleTopic(id, id)
    }
}
