import Wire

extension SimperiumCommand {
    /// Whether a server's command answers this one of a client.
    ///
    /// A change is answered by one with its ccid, a request of an object by the object, a request of
    /// changes by any or by `cv:?`, `init` by `auth`. Source: Simperium/Specification.md#messages.
    package func isAnswered(by answer: SimperiumCommand) -> Bool {
        guard sender == .client, answer.sender == .server else { return false }
        if name == "h" { return answer.name == "h" }
        guard channel == answer.channel else { return false }
        switch (body, answer.body) {
        case (.initialize, .auth), (.indexRequest, .indexPage), (.indexRequest, .unknownMark),
            (.changesSince, .unknownChangeVersion), (.changesSince, .changes):
            return true
        case (.entityRequest(let key, _), .entity(let reply)): return key == reply.key
        case (.changes(let sent), .changes(let came)):
            let ccids = Set(sent.flatMap(\.ccids))
            return came.contains { !ccids.isDisjoint(with: $0.ccids) }
        default: return false
        }
    }

    /// Whether a server answers such a command at all.
    package var hasAnswer: Bool {
        switch body {
        case .initialize, .indexRequest, .changesSince, .entityRequest, .changes, .heartbeat: true
        default: false
        }
    }
}
