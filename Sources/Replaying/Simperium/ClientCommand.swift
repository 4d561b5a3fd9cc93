internal import Notation
internal import Simperium
internal import Wire

/// The contents of a client's command, its identifiers apart from the rest.
struct ClientCommand {
    /// What an identifier denotes.
    enum Role: Hashable {
        /// The client, chosen by it.
        case client
        /// The session of the user.
        case token
        /// A change, chosen by the client.
        case change
        /// An object; `isNew` where the client makes it up.
        case key(isNew: Bool)
    }

    /// An identifier with its place.
    struct Name {
        var role: Role
        var text: String
        /// What it is called in a difference.
        var path: String
    }

    var name: String
    var names: [Name] = []
    /// Everything else; its members are called as in the command.
    var rest: JSONValue = .null
    /// Bucket of an `init`.
    var bucket: String?

    init(_ text: [UInt8]) {
        let command = SimperiumCommand.parse(text, from: .client)
        name = command.name
        guard let message = SimperiumMessage(command, in: text) else {
            rest = .string(String(decoding: text[command.payload], as: UTF8.self))
            if name.isEmpty { rest = .string(String(decoding: text, as: UTF8.self)) }
            return
        }
        switch message.body {
        case .initialize(let request):
            bucket = request.bucket
            if let id = request.clientID {
                names.append(Name(role: .client, text: id, path: "clientid"))
            }
            if let token = request.token {
                names.append(Name(role: .token, text: token, path: "token"))
            }
            rest = Self.object([
                ("name", request.bucket), ("app_id", request.app), ("api", request.api),
                ("username", request.username), ("cmd", request.request?.text ?? request.command),
            ])
        case .indexRequest(let request):
            rest = Self.object([
                ("data", request.wantsData ? "1" : nil), ("mark", request.mark),
                ("limit", request.limit.map { String($0) }),
            ])
        case .entityRequest(let key, let version):
            names = [Name(role: .key(isNew: false), text: key, path: "key")]
            rest = .object(JSONObject([.init("version", .number(String(version)))]))
        case .changesSince(let cv): rest = Self.object([("cv", cv)])
        case .changes(let changes):
            let isSingle = changes.count == 1
            var all: [JSONValue] = []
            for (index, change) in changes.enumerated() {
                all.append(add(change, isSingle ? "" : "\(index)/"))
            }
            rest = isSingle ? all[0] : .array(all)
        case .indexState(let state):
            var entries: [JSONValue] = []
            for (index, entry) in state.entries.enumerated() {
                if let key = entry.key {
                    names.append(
                        Name(role: .key(isNew: false), text: key, path: "index/\(index)/id"))
                }
                entries.append(entry.version.map { .number(String($0)) } ?? .null)
            }
            var pending: [JSONValue] = []
            for (index, one) in state.pending.enumerated() {
                let path = "pending/\(index)/"
                if let key = one.key {
                    names.append(Name(role: .key(isNew: true), text: key, path: path + "id"))
                }
                if let ccid = one.ccid {
                    names.append(Name(role: .change, text: ccid, path: path + "ccid"))
                }
                pending.append(one.sv.map { .number(String($0)) } ?? .null)
            }
            rest = .object(
                JSONObject([
                    .init("current", state.current.map { .string($0) } ?? .null),
                    .init("index", .array(entries)), .init("pending", .array(pending)),
                ]))
        default: rest = .string(String(decoding: text[command.payload], as: UTF8.self))
        }
    }

    private mutating func add(_ change: SimperiumChange<JSONValue>, _ path: String) -> JSONValue {
        if let key = change.key {
            let isNew = change.operation == .modify && change.sv == nil
            names.append(Name(role: .key(isNew: isNew), text: key, path: path + "id"))
        }
        for ccid in change.ccids {
            names.append(Name(role: .change, text: ccid, path: path + "ccid"))
        }
        if let client = change.clientID {
            names.append(Name(role: .client, text: client, path: path + "clientid"))
        }
        var object = JSONObject()
        if let operation = change.operation {
            object.members.append(.init("o", .string(operation.text)))
        }
        if let sv = change.sv { object.members.append(.init("sv", .number(String(sv)))) }
        if let value = change.value { object.members.append(.init("v", value)) }
        if let data = change.data { object.members.append(.init("d", data)) }
        return .object(object)
    }

    private static func object(_ members: [(String, String?)]) -> JSONValue {
        .object(
            JSONObject(
                members.compactMap { name, value in value.map { .init(name, .string($0)) } }))
    }

    /// What it is on one line, without tokens.
    var line: String {
        guard name != "init" else { return "init of \(OneLine.text(bucket ?? "no bucket"))" }
        let keys = names.compactMap { name in
            if case .key = name.role { name.text } else { nil }
        }
        let shown = keys.isEmpty ? "" : " " + OneLine.text(keys.prefix(4).joined(separator: ", "))
        let title = name.isEmpty ? "text that is not a command" : OneLine.text(name)
        return "\(title)\(shown) \(rest.excerpt)"
    }
}
