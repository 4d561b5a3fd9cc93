internal import Dissection

extension Evidence {
    /// What it is, as rules name what they need: the `api` of a request, `status:` and that of an
    /// answer, `simperium:` and the name of a command, `error:` and the code of a refused change,
    /// `message` and `message:` with the opcode of a WebSocket's, `connection`.
    public var kinds: [String] {
        switch self {
        case .asked(let exchange): [exchange.row.api]
        case .answered(let exchange): exchange.row.status.map { ["status:\($0)"] } ?? []
        case .command(let command):
            ["simperium:\(command.row.name)"] + (command.row.error.map { ["error:\($0)"] } ?? [])
        case .message(let message): ["message", "message:\(message.row.opcode)"]
        case .connection: ["connection"]
        case .event, .gap, .fault, .note: []
        }
    }
}

extension Rule {
    /// Whether there was something that could have broken it, among evidence of these kinds: what
    /// its topic is about and, where the rule needs more, that.
    ///
    /// A rule without has not passed: it was not exercised.
    public func isExercised(by kinds: Set<String>) -> Bool {
        let isAbout =
            Self.withoutTopic.contains(id)
            ? !kinds.isEmpty : RuleTopic(of: self).isExercised(by: kinds)
        return isAbout && (Self.needs[id]?.contains { kinds.hasAny($0) } ?? true)
    }

    /// Rules that can be broken by what is not recognised as traffic of their topic.
    private static let withoutTopic: Set = [
        "commcare.headers.method", "simperium.session.reconnect-storm",
    ]

    /// Identifiers of rules that need certain evidence, and its kinds, one of which is enough.
    static let needs: [String: [String]] = Dictionary(
        [
            (
                ["status:202"],
                [
                    "commcare.server.pending-envelope", "commcare.server.progress-backwards",
                    "commcare.server.progress-malformed", "commcare.server.progress-missing",
                    "commcare.server.progress-stuck", "commcare.server.retry-after-malformed",
                    "commcare.server.retry-after-missing", "commcare.story.restore-poll-loop",
                    "commcare.submit.during-pending-restore", "commcare.sync.poll-abandoned",
                    "commcare.sync.polled-early", "commcare.sync.polled-late",
                    "commcare.sync.polled-without-end",
                ]
            ),
            (
                ["status:401"],
                ["commcare.retry.same-credentials", "http.server-401-without-challenge"]
            ),
            (["status:405"], ["http.server-405-without-allow"]),
            (
                ["status:406"],
                [
                    "commcare.retry.after-406", "commcare.server.406-body",
                    "commcare.server.406-key", "commcare.server.406-type",
                ]
            ),
            (
                ["status:412"],
                [
                    "commcare.server.412-envelope", "commcare.server.412-to-full-restore",
                    "commcare.story.412-loop", "commcare.sync.full-repeated-after-412",
                    "commcare.sync.incremental-after-412", "commcare.sync.no-recovery-after-412",
                    "commcare.sync.recovery-skips-fixtures",
                ]
            ),
            (
                ["status:422"],
                [
                    "commcare.server.422-nature", "commcare.server.message-not-first",
                    "commcare.submit.queue-stopped-after-422", "commcare.submit.resent-after-422",
                ]
            ),
            (
                ["status:429", "status:503"],
                [
                    "commcare.retry.at-once", "commcare.retry.before-retry-after",
                    "commcare.retry.cool-down", "commcare.retry.not-growing",
                    "commcare.server.overload-without-retry-after", "commcare.story.retry-storm",
                ]
            ),
            (["status:4*"], ["commcare.retry.after-4xx", "http.retry-after-4xx"]),
            (["status:3*"], ["http.server-redirect-without-location"]),
            (["error:400"], ["simperium.change.resend-after-400"]),
            (["error:401"], ["simperium.change.same-token-after-401"]),
            (["error:404"], ["simperium.change.diff-after-404"]),
            (["error:405"], ["simperium.change.diff-after-405"]),
            (
                ["error:409"],
                [
                    "simperium.change.no-cv-after-409", "simperium.change.resend-after-409",
                    "simperium.story.409-storm",
                ]
            ),
            (["error:412"], ["simperium.change.resend-after-412"]),
            (["error:413"], ["simperium.change.resend-after-413"]),
            (["error:404", "error:417", "error:440"], ["simperium.change.not-sent-whole"]),
            (["error:417", "error:440"], ["simperium.change.diff-after-440"]),
            (
                ["simperium:index"],
                ["simperium.remote.index-form", "simperium.remote.index-unanswered"]
            ),
            (
                ["simperium:log"],
                [
                    "simperium.remote.log-form", "simperium.remote.log-missing",
                    "simperium.remote.log-on-channel", "simperium.remote.log-unasked",
                    "simperium.server.log-level",
                ]
            ),
            (
                ["simperium:h"],
                [
                    "simperium.heartbeat.dead-connection",
                    "simperium.heartbeat.not-a-number", "simperium.heartbeat.not-incremented",
                    "simperium.heartbeat.on-channel", "simperium.server.heartbeat-late",
                    "simperium.server.heartbeat-number",
                    "simperium.server.heartbeat-unanswered",
                ]
            ),
            (["simperium:auth"], ["simperium.server.auth-form"]),
            (
                ["simperium:e"],
                ["simperium.server.entity-form"]
            ),
            (
                ["simperium:i"],
                [
                    "simperium.server.current-moves", "simperium.server.empty-mark",
                    "simperium.server.mark-digits", "simperium.server.page-current",
                    "simperium.server.page-form", "simperium.server.page-loop",
                    "simperium.server.page-too-long", "simperium.server.page-without-data",
                ]
            ),
            (["simperium:cv"], ["simperium.server.cv-form"]),
            (
                ["simperium:c"],
                [
                    "simperium.server.ack-without-ccids", "simperium.server.change-incomplete",
                    "simperium.server.change-not-in-array", "simperium.server.change-unanswered",
                    "simperium.server.cv-repeated", "simperium.server.diff-malformed",
                    "simperium.server.echo-missing", "simperium.server.error-form",
                    "simperium.server.unknown-operation", "simperium.server.version-gap",
                    "simperium.server.versions-descend",
                ]
            ),
            (["message:9"], ["websocket.ping-unanswered", "websocket.server-ping-unanswered"]),
        ].flatMap { kinds, rules in rules.map { ($0, kinds) } }, uniquingKeysWith: +)
}

extension RuleTopic {
    /// Whether there was traffic that the rules of this topic are about.
    func isExercised(by kinds: Set<String>) -> Bool {
        func has(_ needed: String...) -> Bool { needed.contains { kinds.hasAny($0) } }
        return switch id {
        case "http": kinds.contains { !$0.contains(":") && $0 != "message" }
        case "websocket": has("message", "websocket*", "simperium*")
        case "commcare.submit", "commcare.form": has("commcare.submit*", "openrosa.submit*")
        case "commcare.sync":
            has("commcare.restore*", "commcare.admin-restore*", "commcare.case-restore*")
        case "simperium.change", "simperium.diff": has("simperium:c")
        case "simperium.remote": has("simperium:c", "simperium:index", "simperium:log")
        case "simperium.cv": has("simperium:cv", "simperium:c")
        case "simperium.entity": has("simperium:e")
        case "simperium.index": has("simperium:i")
        case _ where id.hasPrefix("commcare."): has("commcare.*")
        case _ where id.hasPrefix("openrosa"): has("openrosa.*", "commcare.*")
        default: has("simperium*")
        }
    }
}

extension Set<String> {
    /// Whether it has this kind, or with a star at its end any that begins so.
    fileprivate func hasAny(_ kind: String) -> Bool {
        guard kind.hasSuffix("*") else { return contains(kind) }
        let beginning = kind.dropLast()
        return contains { $0.hasPrefix(beginning) }
    }
}
