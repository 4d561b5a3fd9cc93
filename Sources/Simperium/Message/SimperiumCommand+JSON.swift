public import Notation
import Wire

extension SimperiumCommand {
    /// Everything that was read, as one JSON object.
    ///
    /// Its first members are `sender`, `channel`, `command` (the name as sent) and `kind` (its
    /// meaning: `init`, `auth`, `index_request`, `index_page`, `unknown_mark`, `entity_request`,
    /// `entity`, `changes_since`, `unknown_change_version`, `changes`, `heartbeat`, `options`,
    /// `index_state_request`, `index_state`, `log_level`, `log`, `not_understood`, `other`,
    /// `unreadable`); then come the fields of that kind, always all of them, `null` where they are
    /// missing; last `notes`, each with `code`, `text`, `field` and `offset`, and `problem`, `null`
    /// or `text` and `offset`. Offsets are in bytes of the message.
    ///
    /// - Parameter message: The message it was read from.
    /// - Returns: An object, whatever the message was; bytes that are not UTF-8 are U+FFFD in it.
    public func describedAsJSON(in message: [UInt8]) -> JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("sender", .string(sender.description)), ("channel", .int(channel) ?? .null),
            ("command", .string(name)), ("kind", .string(kind)),
        ]
        members += fields(in: message).map { ($0.key, $0.value ?? .null) }
        members.append(("notes", .array(notes.map(\.json))))
        members.append(
            (
                "problem",
                problem.map {
                    JSONValue(members: [
                        ("text", .string($0.description)), ("offset", .int($0.offset)),
                    ])
                } ?? .null
            ))
        return JSONValue(members: members.map { ($0.key, $0.value) })
    }

    /// Its meaning, in one word.
    private var kind: String {
        switch body {
        case .initialize: "init"
        case .auth: "auth"
        case .indexRequest: "index_request"
        case .indexPage: "index_page"
        case .unknownMark: "unknown_mark"
        case .entityRequest: "entity_request"
        case .entity: "entity"
        case .changesSince: "changes_since"
        case .unknownChangeVersion: "unknown_change_version"
        case .changes: "changes"
        case .heartbeat: "heartbeat"
        case .options: "options"
        case .indexStateRequest: "index_state_request"
        case .indexState: "index_state"
        case .logLevel: "log_level"
        case .log: "log"
        case .notUnderstood: "not_understood"
        case .other: "other"
        case nil: "unreadable"
        }
    }

    private typealias Fields = [(key: String, value: JSONValue?)]

    private func fields(in message: [UInt8]) -> Fields {
        switch body {
        case .initialize(let request): fields(of: request)
        case .auth(let reply): fields(of: reply)
        case .indexRequest(let request): request.described
        case .indexPage(let page):
            [
                ("current", .text(page.current)),
                ("entries", .array(page.entries.map { $0.described(in: message) })),
                ("mark", .text(page.mark)), ("count", .int(page.count)),
            ]
        case .entityRequest(let key, let version):
            [("key", .string(key)), ("version", .int(version))]
        case .entity(let reply): fields(of: reply, in: message)
        case .changesSince(let cv): [("cv", .string(cv))]
        case .unknownChangeVersion(let isLegacy): [("is_legacy", .bool(isLegacy))]
        case .changes(let changes):
            [("changes", .array(changes.map { $0.described(in: message) }))]
        case .heartbeat(let count): [("number", .int(count))]
        case .options(let options):
            [
                ("expose_namespace", options.exposesNamespace.map { .bool($0) }),
                ("namespace", .text(options.namespace)),
            ]
        case .indexState(let state):
            [
                ("current", .text(state.current)),
                ("entries", .array(state.entries.map { $0.described(in: message) })),
                ("pending", .array(state.pending.map(\.described))),
                ("extra", state.extra.flatMap { JSONValue($0, of: message) }),
            ]
        case .logLevel(let level): [("level", .int(level))]
        case .log(let log): [("log", .text(log.text)), ("bucket", .text(log.bucket))]
        case .other, nil: [("payload", text(of: payload, in: message))]
        case .unknownMark, .indexStateRequest, .notUnderstood: []
        }
    }

    private func fields(of request: InitRequest) -> Fields {
        [
            ("bucket", .text(request.bucket)), ("app_id", .text(request.app)),
            ("token", .text(request.token)), ("client_id", .text(request.clientID)),
            ("api", .text(request.api)), ("library", .text(request.library)),
            ("version", .text(request.version)), ("username", .text(request.username)),
            ("cmd", .text(request.command)), ("request", request.request?.described),
        ]
    }

    private func fields(of reply: AuthReply) -> Fields {
        switch reply {
        case .accepted(let user):
            [
                ("result", .string("accepted")), ("user", .string(user)), ("code", nil),
                ("message", nil),
            ]
        case .refused(let code, let message):
            [
                ("result", .string("refused")), ("user", nil), ("code", .int(code)),
                ("message", .text(message)),
            ]
        case .expired:
            [("result", .string("expired")), ("user", nil), ("code", nil), ("message", nil)]
        }
    }

    private func fields(of reply: EntityReply<Range<Int>>, in message: [UInt8]) -> Fields {
        var content: JSONValue?
        switch reply.content {
        case .missing: break
        case .data(let range), .other(let range): content = JSONValue(range, of: message)
        }
        let hasData = reply.data != nil
        return [
            ("key", .string(reply.key)), ("version", .int(reply.version)),
            ("is_missing", .bool(reply.content == .missing)), ("data", hasData ? content : nil),
            ("without_data", hasData ? nil : content),
        ]
    }

    private func text(of range: Range<Int>, in message: [UInt8]) -> JSONValue {
        .string(String(decoding: message[range.clamped(to: 0..<message.count)], as: UTF8.self))
    }
}
