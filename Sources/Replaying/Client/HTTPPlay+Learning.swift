internal import OpenRosa
internal import Wire

extension HTTPPlay {
    /// Bytes of the longest JSON that is searched for what a server gives out.
    private static let longestJSON = 4 << 20

    /// Names by which JSON says what a server gives out.
    private static let kinds: [String: ReplayIdentity.Kind] = [
        "access_token": .token, "refresh_token": .token, "id_token": .token, "token": .token,
        "userid": .userID, "user_id": .userID, "username": .user, "cv": .changeVersion,
        "current": .changeVersion,
    ]

    /// Binds what the recorded server gave out to what the live one gives out in its place.
    mutating func learn(
        _ plan: HTTPPlayPlan, _ answer: HTTPPlayAnswer, _ identity: inout ReplayIdentity
    ) {
        guard let recorded = plan.recording.response else { return }
        let live = answer.message
        let cookies = Self.cookies(live)
        for (name, value) in Self.cookies(recorded) {
            guard let other = cookies.first(where: { $0.name == name }) else { continue }
            identity.bind(.cookie, recorded: "\(name)=\(value)", live: "\(name)=\(other.value)")
            // Tokens against forgery come back in fields of forms and of the header.
            if value.utf8.count >= 16, value != other.value {
                identity.bind(.token, recorded: value, live: other.value)
            }
        }
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
            var visits = 10_000
            Self.learn(value, other, key: nil, depth: 0, &visits, &identity)
        }
    }

    private mutating func learnRestore(
        _ plan: HTTPPlayPlan, _ recorded: ReplayMessage, _ live: ReplayMessage,
        _ identity: inout ReplayIdentity
    ) {
        let host = plan.exchange.host
        // Whether the cases matter is known once the token is.
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

    /// What a restore says.
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

    // MARK: JSON and header fields

    private static func json(_ message: ReplayMessage) -> JSONValue? {
        guard message.body.count <= longestJSON,
            message.value("content-type").map(HeaderText.mediaType)?.hasSuffix("json") ?? true
                || message.body.first == 0x7B
        else { return nil }
        let text = String(decoding: message.body, as: UTF8.self)
        return try? JSONValue(parsing: text)
    }

    private static func learn(
        _ recorded: JSONValue, _ live: JSONValue, key: String?, depth: Int, _ visits: inout Int,
        _ identity: inout ReplayIdentity
    ) {
        guard depth < 8, visits > 0 else { return }
        visits -= 1
        switch (recorded, live) {
        case (.string(let value), .string(let other)):
            guard let kind = key.flatMap({ kinds[$0] }), !value.isEmpty, !other.isEmpty,
                kind != .user || value != other
            else { return }
            identity.bind(kind, recorded: value, live: other)
        case (.object(let object), .object(let other)):
            for member in object.members {
                let key = member.key.string
                guard let value = other[key] else { continue }
                learn(member.value, value, key: key, depth: depth + 1, &visits, &identity)
            }
        case (.array(let values), .array(let others)) where values.count == others.count:
            for (value, other) in zip(values, others) {
                learn(value, other, key: nil, depth: depth + 1, &visits, &identity)
            }
        default: return
        }
    }

    private static func cookies(_ message: ReplayMessage) -> [(name: String, value: String)] {
        message.fields.filter { $0.name.lowercased() == "set-cookie" }.compactMap { field in
            let pair = field.value.prefix { $0 != ";" }
            guard let sign = pair.firstIndex(of: "=") else { return nil }
            return (
                HeaderText.trimmed(pair[..<sign]),
                HeaderText.trimmed(pair[pair.index(after: sign)...])
            )
        }
    }
}
