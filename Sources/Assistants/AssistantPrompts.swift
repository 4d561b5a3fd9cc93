import Notation

/// Instructions for the usual hunts.
struct AssistantPrompt: Sendable {
    let name: String
    let title: String
    let about: String
    /// Names of arguments, all optional, and what they are.
    let arguments: [(name: String, about: String)]
    /// The text; `{NAME}` stands for an argument.
    let text: String

    /// The prompt as `prompts/list` has it.
    var declaration: JSONValue {
        .members(
            ("name", .string(name)), ("title", .string(title)), ("description", .string(about)),
            (
                "arguments",
                .array(
                    arguments.map {
                        .members(
                            ("name", .string($0.name)), ("description", .string($0.about)),
                            ("required", .bool(false)))
                    })
            ))
    }

    /// The text with arguments in the place of their names.
    func filled(_ values: [String: String]) -> String {
        arguments.reduce(text) { text, argument in
            let value = values[argument.name] ?? ""
            return text.replacing(
                "{\(argument.name)}", with: value.isEmpty ? "any \(argument.name)" : "\"\(value)\"")
        }
    }

    /// All prompts, in the order in which they are listed.
    static let all: [AssistantPrompt] = [
        AssistantPrompt(
            name: "lost_edit", title: "A lost edit",
            about: "Finds out where an edit of a Simperium object got lost.",
            arguments: [
                ("bucket", "The bucket of the object."), ("key", "The key of the object."),
            ],
            text: """
                An edit was lost: object {key} in bucket {bucket}. Find out where.
                1. diagnose with rule "simperium.*": look for simperium.story.lost-edit, \
                simperium.change.forgotten, simperium.remote.taken-back.
                2. list with a filter on command:c and the key; show each change: which sv it has, \
                which diff, how it was answered.
                3. state with the key, at the command before and after the edit disappeared; state \
                with diff at the end.
                Say which row shows the loss, which side caused it, and which rule it broke.
                """),
        AssistantPrompt(
            name: "loop_412", title: "A loop of 412",
            about: "Finds out why a CommCare device never gets past 412 Precondition Failed.",
            arguments: [("device", "The device.")],
            text: """
                A CommCare device ({device}) gets 412 again and again. Find out why.
                1. diagnose with rule "commcare.*": look for commcare.story.412-loop, \
                commcare.sync.state-hash, commcare.sync.no-recovery-after-412.
                2. list with the filter "status:412"; show the first, and the restore before it.
                3. state at that exchange: compare the cases of the server and of the device.
                Say which case or token differs since which form or restore, and what the device had \
                to do.
                """),
        AssistantPrompt(
            name: "retry_storm", title: "A storm of retries",
            about: "Finds out who repeats requests against a server that is overloaded.",
            arguments: [],
            text: """
                A server that answers 503 or 429 gets more requests because of it. Find out from whom.
                1. list with the filter "status:503 or status:429" and fields time, device, method, \
                path, duration.
                2. diagnose with rule "commcare.retry.*" and with rule "http.*".
                3. For one device, list the requests between two answers: compare the pauses with \
                Retry-After.
                Say which rule each client broke and the pauses it should have kept.
                """),
        AssistantPrompt(
            name: "duplicate_forms", title: "Forms that came twice",
            about: "Finds out why a server has a form more than once.", arguments: [],
            text: """
                A server has the same form several times. Find out why.
                1. diagnose with rule "commcare.submit.*" and with rule "commcare.story.*".
                2. sql: SELECT instance_id, count(*) FROM openrosa WHERE instance_id <> '' GROUP BY 1 \
                HAVING count(*) > 1.
                3. show the submissions: whether an answer was lost, cut or late before each repetition.
                Say whether the instanceID stayed the same, and which side was wrong.
                """),
        AssistantPrompt(
            name: "stuck_object", title: "An object that does not sync",
            about: "Finds out why changes of a Simperium object are refused again and again.",
            arguments: [("key", "The key of the object.")],
            text: """
                Changes of object {key} are refused or never acknowledged. Find out why.
                1. list with the filter command:c and the key; note the error of each answer.
                2. show the first refused change and its answer.
                3. explain_rule for what diagnose finds with rule "simperium.change.*".
                Say what the client had to do after that error.
                """),
        AssistantPrompt(
            name: "compare_recordings", title: "What changed between two recordings",
            about: "Explains why one recording works and another does not.",
            arguments: [("other", "The path of the second trace.")],
            text: """
                Compare this trace with {other}.
                1. diff with it; ignore what is volatile.
                2. For the first difference that is not in the order alone: show both rows.
                3. diagnose both.
                Say which difference came first, and which others follow from it.
                """),
    ]
}
