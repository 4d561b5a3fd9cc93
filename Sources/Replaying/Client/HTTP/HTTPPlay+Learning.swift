internal import Notation
internal import OpenRosa
internal import Wire

extension HTTPPlay {
    /// Bytes of the longest JSON that is searched for what a server issues.
    private static let longestJSON = 4 << 20

    /// Binds values that the recorded server issued to those that the live one issued in their
    /// place.
    mutating func learn(
        _ plan: HTTPPlayPlan, _ answer: HTTPPlayAnswer, _ identity: inout ReplayIdentity
    ) {
        guard let recorded = plan.recording.response else { return }
        let live = answer.message
        identity.learnCookies(recorded, live)
        guard let status = plan.exchange.status, 200...299 ~= status,
            answer.status.map({ 200...299 ~= $0 }) ?? false
        else { return }
        for name in ["etag", "last-modified"] {
            guard let value = recorded.value(name), let other = live.value(name) else { continue }
            identity.bind(.validator, recorded: value, live: other)
        }
        if let object = HTTPObjectPath(plan.exchange),
            let version = recorded.value("x-simperium-version"),
            let other = live.value("x-simperium-version")
        {
            identity.bind(
                .version, recorded: "\(object.name)/\(version)", live: "\(object.name)/\(other)")
        }
        if plan.api?.group == .sync {
            learnRestore(plan, recorded, live, &identity)
        } else if let value = Self.json(recorded), let other = Self.json(live) {
            identity.learn(value, other)
        }
    }

    private mutating func learnRestore(
        _ plan: HTTPPlayPlan, _ recorded: ReplayMessage, _ live: ReplayMessage,
        _ identity: inout ReplayIdentity
    ) {
        let host = plan.exchange.host
        // Whether the cases are needed is known once the token is.
        let some = restoreEvents(recorded, all: false)
        guard let token = HTTPDeviceCases.token(of: some) else { return }
        let isWanted = cases.isWanted(token, host: host)
        let others = restoreEvents(live, all: isWanted)
        guard let other = HTTPDeviceCases.token(of: others) else { return }
        identity.bind(.syncToken, recorded: token, live: other)
        if let user = Self.registration(some), let liveUser = Self.registration(others) {
            if let id = user.uuid, let liveID = liveUser.uuid {
                identity.bind(.userID, recorded: id, live: liveID)
            }
            if let name = user.username, let liveName = liveUser.username, name != liveName {
                identity.bind(.user, recorded: name, live: liveName)
            }
        }
        guard isWanted else { return }
        cases.restore(
            restoreEvents(recorded, all: true), others, since: plan.since, host: host)
    }

    private static func registration(_ events: [CommCareEvent]) -> Registration? {
        for case .registration(let registration) in events { return registration }
        return nil
    }

    /// The contents of a restore.
    ///
    /// - Parameters:
    ///   - message: The answer.
    ///   - all: Whether the cases are needed.
    /// - Returns: Nothing where it is not read to its end.
    func restoreEvents(_ message: ReplayMessage, all: Bool) -> [CommCareEvent] {
        var events: [CommCareEvent] = []
        let reader = CommCareReader { event in
            switch event {
            case .restoreID, .registration: events.append(event)
            case .caseBlock: if all { events.append(event) }
            default: break
            }
        }
        do {
            try reader.feed(message.body.span)
            try reader.finish()
            return events
        } catch {
            // A restore that breaks off gives nothing.
            return []
        }
    }

    private static func json(_ message: ReplayMessage) -> JSONValue? {
        guard message.body.count <= longestJSON,
            message.value("content-type").map(HeaderText.mediaType)?.hasSuffix("json") ?? true
                || message.body.first == 0x7B
        else { return nil }
        let text = String(decoding: message.body, as: UTF8.self)
        return try? JSONValue(parsing: text)
    }
}
