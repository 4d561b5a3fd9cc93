import Notation
public import Wire

extension SimperiumMessage {
    /// The text of one WebSocket message.
    ///
    /// JSON is written without space, members in the order of real clients and servers, strings
    /// with no escapes but the needed ones. What is written reads as the same value, and without
    /// notes but for what the value itself lacks: a missing field, an empty `cv`, a user named by a
    /// number. What has no spelling is written as it is and reads as something else: a key with a
    /// line feed, an empty key or a version below 0 in an `e`, a colon in the slots of an `i`, a
    /// user that is called `expired` or begins with `{`, an operation `other("M")`, a heartbeat,
    /// level or channel below 0, a command of a bucket without a channel and payload, a number of
    /// JSON that is none, and an `other` under a name that is specified.
    ///
    /// - Parameter sender: Who sends it; a client's only change is an object with one `ccid`.
    /// - Returns: The text, in UTF-8.
    public func encoded(by sender: Peer) -> [UInt8] {
        var output: [UInt8] = []
        if let channel {
            output.append(contentsOf: String(channel).utf8)
            output.append(0x3A)
        }
        let (name, payload) = body.parts(by: sender)
        output.append(contentsOf: name.utf8)
        guard let payload else { return output }
        output.append(0x3A)
        output.append(contentsOf: payload)
        return output
    }
}

extension SimperiumBody<JSONValue> {
    /// Name of the command, and what follows its colon.
    fileprivate func parts(by sender: Peer) -> (name: String, payload: [UInt8]?) {
        switch self {
        case .initialize(let request): ("init", request.json.bytes())
        case .auth(.accepted(let user)): ("auth", Array(user.utf8))
        case .auth(.expired): ("auth", Array("expired".utf8))
        case .auth(.refused(let code, let message)):
            (
                "auth",
                JSONValue(members: [("msg", .text(message)), ("code", .int(code))]).bytes()
            )
        case .indexRequest(let request): ("i", Array(request.slots.utf8))
        case .indexPage(let page): ("i", page.json.bytes())
        case .unknownMark: ("i", [0x3F])
        case .entityRequest(let key, let version): ("e", Array("\(key).\(version)".utf8))
        case .entity(let reply):
            ("e", Array("\(reply.key).\(reply.version)\n".utf8) + reply.content.written)
        case .changesSince(let cv): ("cv", Array(cv.utf8))
        case .unknownChangeVersion(let isLegacy): (isLegacy ? "c" : "cv", [0x3F])
        case .changes(let changes):
            if sender == .client, changes.count == 1 {
                ("c", changes[0].json(by: sender).bytes())
            } else {
                ("c", JSONValue.array(changes.map { $0.json(by: sender) }).bytes())
            }
        case .heartbeat(let count): ("h", Array(String(count).utf8))
        case .options(let options):
            (
                "o",
                JSONValue(members: [
                    ("expose_namespace", options.exposesNamespace.map { .bool($0) }),
                    ("namespace", .text(options.namespace)),
                ]).bytes()
            )
        case .indexStateRequest: ("index", nil)
        case .indexState(let state): ("index", state.json.bytes())
        case .logLevel(let level): ("log", Array(String(level).utf8))
        case .log(let log):
            (
                "log",
                JSONValue(members: [("log", .text(log.text)), ("bucket", .text(log.bucket))])
                    .bytes()
            )
        case .notUnderstood: ("?", nil)
        case .other(let name, let payload): (name, payload)
        }
    }
}

extension InitRequest {
    /// In the order of the clients for JavaScript and Android, a user name after the version.
    fileprivate var json: JSONValue {
        JSONValue(members: [
            ("name", .text(bucket)), ("clientid", .text(clientID)), ("api", .text(api)),
            ("token", .text(token)), ("app_id", .text(app)), ("library", .text(library)),
            ("version", .text(version)), ("username", .text(username)),
            ("cmd", .text(command ?? request?.text)),
        ])
    }
}

extension IndexPage<JSONValue> {
    fileprivate var json: JSONValue {
        JSONValue(members: [
            ("current", .text(current)), ("index", .array(entries.map(\.json))),
            ("mark", .text(mark)), ("count", .int(count)),
        ])
    }
}

extension EntityReply<JSONValue>.Content {
    fileprivate var written: [UInt8] {
        switch self {
        case .missing: [0x3F]
        case .data(let data): JSONValue(members: [("data", data)]).bytes()
        case .other(let other): other.bytes()
        }
    }
}

extension IndexPage<JSONValue>.Entry {
    fileprivate var json: JSONValue {
        JSONValue(members: [("id", .text(key)), ("v", .int(version)), ("d", data)])
    }
}

extension IndexState<JSONValue> {
    fileprivate var json: JSONValue {
        JSONValue(members: [
            ("current", .text(current)), ("index", .array(entries.map(\.json))),
            (
                "pending",
                .array(
                    pending.map {
                        JSONValue(members: [
                            ("id", .text($0.key)), ("sv", .int($0.sv)), ("ccid", .text($0.ccid)),
                        ])
                    })
            ),
            ("extra", extra),
        ])
    }
}
