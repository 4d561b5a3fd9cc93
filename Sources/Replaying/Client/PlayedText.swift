internal import Notation
internal import Simperium
internal import Wire

/// Rewrites a recorded command of a client for the live server.
///
/// Identifiers are replaced in place, in the recorded spelling; every other byte stays as recorded.
struct PlayedText {
    /// The identifiers in a command with their live values.
    struct Words {
        var live: (ReplayIdentity.Kind, String) -> String
        /// The live key of an object; nil for the same.
        var key: (_ recorded: String, _ isNew: Bool) -> String?
        var version: (_ key: String, Int64) -> Int64
        var changeVersion: (String) -> String
        var mark: (String) -> String
        /// Keys that differ and are replaced in the data of objects.
        var keys: [String: String]
    }

    private let words: Words
    private let text: [UInt8]
    private var patches: [(range: Range<Int>, bytes: [UInt8])] = []

    /// The text of a recorded command in terms of the live session.
    static func rewritten(_ text: [UInt8], _ words: Words) -> [UInt8] {
        var rewriting = PlayedText(words: words, text: text)
        let command = SimperiumCommand.parse(text, from: .client)
        switch command.body {
        case .initialize: rewriting.initialize(command.payload)
        case .indexRequest: rewriting.index(command.payload)
        case .entityRequest(let key, let version): rewriting.entity(command.payload, key, version)
        case .changesSince(let cv):
            rewriting.put(Array(words.changeVersion(cv).utf8), at: command.payload)
        case .changes: rewriting.changes(command.payload)
        case .indexState: rewriting.state(command.payload)
        default: break
        }
        return rewriting.applied()
    }

    private init(words: Words, text: [UInt8]) {
        self.words = words
        self.text = text
    }

    private func scan(_ payload: Range<Int>) -> JSONDocument? {
        try? JSONDocument.scan(text, in: payload, limits: JSONLimits(depth: 256))
    }

    private mutating func initialize(_ payload: Range<Int>) {
        guard let document = scan(payload) else { return }
        for member in document.root.members {
            guard let value = member.value.string else { continue }
            switch member.key.string {
            case "token": put(words.live(.token, value), at: member.value)
            case "clientid", "client_id": put(words.live(.clientID, value), at: member.value)
            case "username": put(words.live(.user, value), at: member.value)
            case "cmd":
                if value.hasPrefix("cv:") {
                    put("cv:" + words.changeVersion(String(value.dropFirst(3))), at: member.value)
                } else if value.hasPrefix("i:") {
                    let slots = Self.slots(String(value.dropFirst(2)), words.mark)
                    put("i:" + slots, at: member.value)
                }
            default: break
            }
        }
    }

    private mutating func index(_ payload: Range<Int>) {
        let slots = String(decoding: text[payload], as: UTF8.self)
        put(Array(Self.slots(slots, words.mark).utf8), at: payload)
    }

    /// The slots of an `i` with another mark in the second or third.
    private static func slots(_ slots: String, _ mark: (String) -> String) -> String {
        var parts = slots.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
            .map(String.init)
        for place in [1, 2] where place < parts.count && !parts[place].isEmpty {
            parts[place] = mark(parts[place])
        }
        return parts.joined(separator: ":")
    }

    private mutating func entity(_ payload: Range<Int>, _ key: String, _ version: Int64) {
        let live = words.key(key, false) ?? key
        put(Array("\(live).\(words.version(key, version))".utf8), at: payload)
    }

    private mutating func changes(_ payload: Range<Int>) {
        guard let document = scan(payload) else { return }
        if document.root.kind == .array {
            for element in document.root.elements { change(element) }
        } else {
            change(document.root)
        }
    }

    private mutating func change(_ change: JSONDocument.Node) {
        let key = change["id"]?.string
        let isNew = change["sv"] == nil && change["o"]?.string == "M"
        let live = key.flatMap { words.key($0, isNew) }
        var keys = words.keys
        if let key, let live, key.utf8.count >= Bindings.shortestMention { keys[key] = live }
        for member in change.members {
            let value = member.value
            switch member.key.string {
            case "id": if let live { put(live, at: value) }
            case "clientid":
                if let name = value.string { put(words.live(.clientID, name), at: value) }
            case "ccid": if let ccid = value.string { put(words.live(.ccid, ccid), at: value) }
            case "ccids":
                for one in value.elements {
                    if let ccid = one.string { put(words.live(.ccid, ccid), at: one) }
                }
            case "sv": if let key { version(value, key) }
            case "v", "d": data(value, keys)
            default: break
            }
        }
    }

    /// A version, as a number or, as some clients have it, as a string.
    private mutating func version(_ node: JSONDocument.Node, _ key: String) {
        if let version = node.int {
            put(Array(String(words.version(key, version)).utf8), at: node.range)
        } else if let version = node.string.flatMap({ Int64($0) }) {
            put(String(words.version(key, version)), at: node)
        }
    }

    private mutating func state(_ payload: Range<Int>) {
        guard let document = scan(payload) else { return }
        for member in document.root.members {
            switch member.key.string {
            case "current":
                if let cv = member.value.string { put(words.changeVersion(cv), at: member.value) }
            case "index": for entry in member.value.elements { self.entry(entry) }
            case "pending", "pendings": for entry in member.value.elements { self.entry(entry) }
            default: break
            }
        }
    }

    private mutating func entry(_ entry: JSONDocument.Node) {
        guard let key = entry["id"]?.string else {
            // The clients for iOS send `{KEY: VERSION}`.
            for member in entry.members {
                guard let key = member.key.string else { continue }
                version(member.value, key)
                if let live = words.key(key, false) { put(live, at: member.key) }
            }
            return
        }
        for member in entry.members {
            switch member.key.string {
            case "id": if let live = words.key(key, false) { put(live, at: member.value) }
            case "v", "sv": version(member.value, key)
            case "ccid":
                if let ccid = member.value.string {
                    put(words.live(.ccid, ccid), at: member.value)
                }
            default: break
            }
        }
    }

    /// Keys that occur as whole strings or as keys of members in the data of objects.
    private mutating func data(_ node: JSONDocument.Node, _ keys: [String: String]) {
        guard !keys.isEmpty else { return }
        switch node.kind {
        case .string: if let live = node.string.flatMap({ keys[$0] }) { put(live, at: node) }
        case .array: for element in node.elements { data(element, keys) }
        case .object:
            for member in node.members {
                if let live = member.key.string.flatMap({ keys[$0] }) { put(live, at: member.key) }
                data(member.value, keys)
            }
        default: break
        }
    }

    private mutating func put(_ live: String, at node: JSONDocument.Node) {
        // The same identifier keeps the spelling it had.
        guard node.string != live else { return }
        put(JSONValue.string(live).bytes(), at: node.range)
    }

    private mutating func put(_ bytes: [UInt8], at range: Range<Int>) {
        guard text[range] != bytes[...] else { return }
        patches.append((range, bytes))
    }

    private func applied() -> [UInt8] {
        guard !patches.isEmpty else { return text }
        var output: [UInt8] = []
        output.reserveCapacity(text.count + 64)
        var start = 0
        for patch in patches.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            output += text[start..<patch.range.lowerBound]
            output += patch.bytes
            start = patch.range.upperBound
        }
        return output + text[start...]
    }
}
