internal import Notation
internal import Wire

extension ReplayIdentity {
    /// Names of the JSON members with values that a server issues.
    private static let kinds: [String: Kind] = [
        "access_token": .token, "refresh_token": .token, "id_token": .token, "token": .token,
        "userid": .userID, "user_id": .userID, "username": .user, "cv": .changeVersion,
        "current": .changeVersion,
    ]
    /// The maximum number of values that are inspected in one document.
    private static let maxVisits = 10_000
    /// The maximum depth.
    private static let maxDepth = 8

    /// Binds values that the recorded server issued in JSON to those of the live one at the same
    /// place: tokens, users, change versions.
    mutating func learn(_ recorded: JSONValue, _ live: JSONValue) {
        var visits = Self.maxVisits
        learn(recorded, live, key: nil, depth: 0, &visits)
    }

    private mutating func learn(
        _ recorded: JSONValue, _ live: JSONValue, key: String?, depth: Int, _ visits: inout Int
    ) {
        guard depth < Self.maxDepth, visits > 0 else { return }
        visits -= 1
        switch (recorded, live) {
        case (.string(let value), .string(let other)):
            guard let kind = key.flatMap({ Self.kinds[$0] }), !value.isEmpty, !other.isEmpty,
                kind != .user || value != other
            else { return }
            bind(kind, recorded: value, live: other)
        case (.object(let object), .object(let other)):
            for member in object.members {
                let key = member.key.string
                guard let value = other[key] else { continue }
                learn(member.value, value, key: key, depth: depth + 1, &visits)
            }
        case (.array(let values), .array(let others)) where values.count == others.count:
            for (value, other) in zip(values, others) {
                learn(value, other, key: nil, depth: depth + 1, &visits)
            }
        default: return
        }
    }

    /// Binds the cookies that a recorded answer sets to those of the live one.
    mutating func learnCookies(_ recorded: ReplayMessage, _ live: ReplayMessage) {
        let cookies = Self.cookies(live)
        for (name, value) in Self.cookies(recorded) {
            guard let other = cookies.first(where: { $0.name == name }) else { continue }
            bind(.cookie, recorded: "\(name)=\(value)", live: "\(name)=\(other.value)")
            // Tokens against forgery come back in fields of forms and of the header.
            if value.utf8.count >= 16, value != other.value {
                bind(.token, recorded: value, live: other.value)
            }
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
