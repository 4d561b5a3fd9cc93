internal import Notation
internal import Wire

/// A recorded command beside a live one.
struct CommandMatch {
    /// Where they differ.
    private(set) var differences: Differences
    /// What is bound where they do not.
    private(set) var proposals: [Bindings.Proposal] = []

    /// Compares two commands.
    ///
    /// At most `limit` differences are listed: 1 where only their lack matters.
    init(
        _ recorded: ClientCommand, _ live: ClientCommand, bucket: String, socket: ConnectionID,
        bindings: Bindings, isStrict: Bool, limit: Int
    ) {
        differences = Differences(limit: limit)
        guard recorded.name == live.name else {
            differences.add(
                Difference(.presence, "command", recorded: recorded.line, live: live.line))
            return
        }
        // A key that is new on one side only is recognised by `sv`.
        for index in 0..<max(recorded.names.count, live.names.count) {
            if differences.isFull { return }
            let one = index < recorded.names.count ? recorded.names[index] : nil
            let other = index < live.names.count ? live.names[index] : nil
            guard let one, let other, one.path == other.path else {
                differences.add(
                    Difference(
                        .presence, one?.path ?? other?.path ?? "",
                        recorded: one.map(\.shown), live: other.map(\.shown)))
                break
            }
            let verdict = bindings.check(
                one.role, recorded: one.text, live: other.text, bucket: bucket, socket: socket,
                isStrict: isStrict, pending: proposals)
            switch verdict {
            case .fits:
                proposals.append(.init(role: one.role, recorded: one.text, live: other.text))
            case .expected(let expected):
                let values = OneLine.pair(expected, other.text)
                let origin = expected == one.text ? "" : " (\(OneLine.text(one.text).quoted) there)"
                differences.add(
                    Difference(
                        .binding, one.path, recorded: values.0.quoted + origin,
                        live: values.1.quoted))
            case .taken(let rival):
                differences.add(
                    Difference(
                        .binding, one.path, recorded: OneLine.text(one.text).quoted,
                        live: OneLine.text(other.text).quoted
                            + ", which is bound to \(OneLine.text(rival).quoted)"))
            }
        }
        // An object may name itself.
        differences.compare(
            bindings.translated(recorded.rest, proposals), live.rest, at: "",
            in: Difference.Scope())
    }
}

extension ClientCommand.Name {
    /// The identifier as text.
    fileprivate var shown: String {
        role == .token ? "a token" : OneLine.text(text).quoted
    }
}

extension Bindings {
    /// A value of the recording with the live keys of the objects in it.
    func translated(_ value: JSONValue, _ pending: [Proposal]) -> JSONValue {
        var fresh: [String: String] = [:]
        for one in pending where one.isMentioned { fresh[one.recorded] = one.live }
        guard !mentions.isEmpty || !fresh.isEmpty else { return value }
        return translated(value, fresh)
    }

    private func translated(_ value: JSONValue, _ fresh: [String: String]) -> JSONValue {
        switch value {
        case .string(let text):
            return (fresh[text] ?? mentions[text]).map { .string($0) } ?? value
        case .array(let elements): return .array(elements.map { translated($0, fresh) })
        case .object(let object):
            return .object(
                JSONObject(
                    object.members.map { member in
                        let key = member.key.string
                        return .init(
                            fresh[key] ?? mentions[key] ?? key, translated(member.value, fresh))
                    }))
        default: return value
        }
    }
}
