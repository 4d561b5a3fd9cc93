internal import Notation
internal import Wire

/// Rewrites a recorded command of a server for the live client.
///
/// What is put in place of an identifier is put there as a JSON string; every other byte stays as
/// it was recorded.
struct ServerText {
    private let bucket: String
    private let socket: ConnectionID
    private var patches: [(range: Range<Int>, bytes: [UInt8])] = []

    /// The text of a recorded command on the live channel; its keys are noted.
    static func rewritten(
        _ text: [UInt8], channel: Int?, bucket: String, socket: ConnectionID,
        bindings: inout Bindings
    ) -> [UInt8] {
        var rewriting = ServerText(bucket: bucket, socket: socket)
        let digits = text.prefix { $0 &- 0x30 < 10 }.count
        var start = 0
        if let channel, digits > 0, digits < text.count, text[digits] == 0x3A {
            rewriting.put(Array(String(channel).utf8), at: 0..<digits, of: text)
            start = digits + 1
        }
        if let colon = text[start...].prefix(64).firstIndex(of: 0x3A) {
            let payload = (colon + 1)..<text.count
            switch String(decoding: text[start..<colon], as: UTF8.self) {
            case "c": rewriting.changes(text, payload, bindings)
            case "i": rewriting.page(text, payload, &bindings)
            case "e": rewriting.entity(text, payload, &bindings)
            default: break
            }
        }
        return rewriting.applied(to: text)
    }

    private init(bucket: String, socket: ConnectionID) {
        self.bucket = bucket
        self.socket = socket
    }

    private static let limits = JSONLimits(depth: 256)

    private mutating func changes(
        _ text: [UInt8], _ payload: Range<Int>, _ bindings: Bindings
    ) {
        guard let document = try? JSONDocument.scan(text, in: payload, limits: Self.limits) else {
            return
        }
        for change in document.root.elements {
            for member in change.members {
                switch member.key.string {
                // Not noted: another client of the recording may have made it up.
                case "id":
                    if let live = member.value.string.flatMap({ bindings.key($0, in: bucket) }) {
                        put(live, at: member.value, of: text)
                    }
                case "clientid":
                    if let name = member.value.string,
                        let live = bindings.client(name, on: socket)
                    {
                        put(live, at: member.value, of: text)
                    }
                case "ccids":
                    for element in member.value.elements { ccid(element, text, bindings) }
                case "ccid": ccid(member.value, text, bindings)
                case "v", "d": data(member.value, text, bindings)
                default: break
                }
            }
        }
    }

    private mutating func page(
        _ text: [UInt8], _ payload: Range<Int>, _ bindings: inout Bindings
    ) {
        guard let document = try? JSONDocument.scan(text, in: payload, limits: Self.limits) else {
            return
        }
        guard let index = document.root["index"] else { return }
        for entry in index.elements {
            for member in entry.members {
                switch member.key.string {
                case "id": key(member.value, text, &bindings)
                case "d": data(member.value, text, bindings)
                default: break
                }
            }
        }
    }

    private mutating func entity(
        _ text: [UInt8], _ payload: Range<Int>, _ bindings: inout Bindings
    ) {
        guard let end = text[payload].firstIndex(of: 0x0A),
            let dot = text[payload.lowerBound..<end].lastIndex(of: 0x2E)
        else { return }
        let range = payload.lowerBound..<dot
        let key = String(decoding: text[range], as: UTF8.self)
        bindings.see(key, in: bucket)
        if let live = bindings.key(key, in: bucket) { put(Array(live.utf8), at: range, of: text) }
        if let document = try? JSONDocument.scan(
            text, in: (end + 1)..<text.count, limits: Self.limits)
        {
            data(document.root, text, bindings)
        }
    }

    private mutating func key(
        _ node: JSONDocument.Node, _ text: [UInt8], _ bindings: inout Bindings
    ) {
        guard let key = node.string else { return }
        bindings.see(key, in: bucket)
        if let live = bindings.key(key, in: bucket) { put(live, at: node, of: text) }
    }

    private mutating func ccid(
        _ node: JSONDocument.Node, _ text: [UInt8], _ bindings: Bindings
    ) {
        if let ccid = node.string, let live = bindings.changes[ccid] {
            put(live, at: node, of: text)
        }
    }

    /// Keys that occur as whole strings or as keys of members in the data of objects.
    private mutating func data(
        _ node: JSONDocument.Node, _ text: [UInt8], _ bindings: Bindings
    ) {
        guard !bindings.mentions.isEmpty else { return }
        switch node.kind {
        case .string:
            if let live = node.string.flatMap({ bindings.mentions[$0] }) {
                put(live, at: node, of: text)
            }
        case .array: for element in node.elements { data(element, text, bindings) }
        case .object:
            for member in node.members {
                if let live = member.key.string.flatMap({ bindings.mentions[$0] }) {
                    put(live, at: member.key, of: text)
                }
                data(member.value, text, bindings)
            }
        default: break
        }
    }

    private mutating func put(_ live: String, at node: JSONDocument.Node, of text: [UInt8]) {
        // The same identifier keeps the spelling it had.
        guard node.string != live else { return }
        put(JSONValue.string(live).bytes(), at: node.range, of: text)
    }

    private mutating func put(_ bytes: [UInt8], at range: Range<Int>, of text: [UInt8]) {
        guard text[range] != bytes[...] else { return }
        patches.append((range, bytes))
    }

    private func applied(to text: [UInt8]) -> [UInt8] {
        guard !patches.isEmpty else { return text }
        var output: [UInt8] = []
        output.reserveCapacity(text.count + 64)
        var start = 0
        for patch in patches {
            output += text[start..<patch.range.lowerBound]
            output += patch.bytes
            start = patch.range.upperBound
        }
        output += text[start...]
        return output
    }
}
