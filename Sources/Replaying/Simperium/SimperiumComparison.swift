internal import Notation
internal import Wire

/// Compares a command of a live server with the recorded one.
public enum SimperiumComparison {
    /// What a server chooses in each run: change versions, marks, and the client and ccid of a
    /// change.
    static let volatile = [
        "//cv", "//ccid", "//ccids", "//clientid", "//current", "//mark", "//token",
    ]

    /// Where they differ: name, key and version of an `e`, and the JSON.
    ///
    /// The channel is ignored, and so is what servers and clients choose in each run.
    ///
    /// - Parameters:
    ///   - recorded: The recorded command.
    ///   - live: The received command.
    ///   - keys: Live keys of objects by the recorded ones.
    ///   - rules: What else takes no part; rules for JSON count.
    ///   - limit: The maximum number of differences that are listed.
    /// - Returns: None where both are equivalent.
    public static func differences(
        recorded: [UInt8], live: [UInt8], keys: [String: String] = [:], rules: [IgnoreRule] = [],
        limit: Int = 20
    ) -> Differences {
        differences(
            recorded: recorded, live: live, keys: keys, leftOut: leftOut(rules), limit: limit)
    }

    /// What is ignored: what servers choose in each run, and what rules name.
    static func leftOut(_ rules: [IgnoreRule]) -> LeftOut {
        var leftOut = LeftOut(rules: rules)
        for pattern in volatile.compactMap(PathPattern.init) { leftOut.mask(json: pattern) }
        return leftOut
    }

    /// The same, with what takes no part made ready.
    static func differences(
        recorded: [UInt8], live: [UInt8], keys: [String: String], leftOut: LeftOut,
        limit: Int = 20
    ) -> Differences {
        var found = Differences(limit: limit)
        let one = Pieces(recorded)
        let other = Pieces(live)
        guard one.name == other.name else {
            found.add(
                Difference(
                    .presence, "command", recorded: OneLine.text(one.name),
                    live: OneLine.text(other.name)))
            return found
        }
        if one.name == "h" { return found }
        let key = one.key.map { keys[$0] ?? $0 }
        if key != other.key {
            found.add(
                Difference(
                    .presence, "key", recorded: key.map { OneLine.text($0).quoted },
                    live: other.key.map { OneLine.text($0).quoted }))
        }
        if one.version != other.version {
            found.add(
                Difference(
                    .presence, "version", recorded: one.version.map { OneLine.text($0) },
                    live: other.version.map { OneLine.text($0) }))
        }
        let a = Meaning(one.payload, without: leftOut).replacing(keys)
        found.compare(
            a, Meaning(other.payload, without: leftOut), in: Difference.Scope())
        return found
    }

    /// Name, key and JSON of a command.
    struct Pieces {
        var name: String
        var key: String?
        var version: String?
        var payload: [UInt8]

        init(_ text: [UInt8]) {
            let digits = text.prefix { $0 &- 0x30 < 10 }.count
            let start = digits > 0 && digits < text.count && text[digits] == 0x3A ? digits + 1 : 0
            let colon = text[start...].prefix(64).firstIndex(of: 0x3A) ?? text.count
            name = String(decoding: text[start..<colon], as: UTF8.self)
            payload = Array(text.dropFirst(colon + 1))
            guard name == "e", let end = payload.firstIndex(of: 0x0A) else { return }
            let head = payload[..<end]
            let dot = head.lastIndex(of: 0x2E) ?? end
            key = String(decoding: head[..<dot], as: UTF8.self)
            version = String(decoding: head[dot...].dropFirst(), as: UTF8.self)
            payload = Array(payload[(end + 1)...])
        }
    }
}

extension Meaning {
    /// The same with other keys of objects in JSON.
    fileprivate func replacing(_ keys: [String: String]) -> Meaning {
        guard !keys.isEmpty, case .json(let value) = self else { return self }
        return .json(value.replacing(keys))
    }
}

extension JSONValue {
    fileprivate func replacing(_ keys: [String: String]) -> JSONValue {
        switch self {
        case .string(let text): keys[text].map { .string($0) } ?? self
        case .array(let elements): .array(elements.map { $0.replacing(keys) })
        case .object(let object):
            .object(
                JSONObject(
                    object.members.map { .init($0.key.string, $0.value.replacing(keys)) }))
        default: self
        }
    }
}
