import Notation

/// The tools that a server offers.
struct ToolCatalog: Sendable {
    /// The tools, in the order in which they are listed.
    let tools: [AssistantTool]

    /// Tools for one trace, or for any where there is no such; those that change something only where
    /// they are allowed.
    init(hasTrace: Bool, permissions: Set<AssistantPermission>) {
        let trace = AssistantTool.Parameter(
            name: "trace", kind: .text,
            about: hasTrace
                ? "The path of another trace (default: the one the server was started with)."
                : "The path of the trace.",
            isRequired: !hasTrace)
        let all = Self.reading + Self.recording(permissions) + Self.faults
        tools = all.filter { tool in
            tool.permission.map { permissions.contains($0) } ?? true
        }.map { tool in
            var tool = tool
            if let place = tool.parameters.firstIndex(where: { $0.name == "trace" }),
                tool.name != "start_recording"
            {
                tool.parameters[place] = trace
            }
            return tool
        }
    }

    /// The tool of this name; nil where there is none.
    subscript(name: String) -> AssistantTool? { tools.first { $0.name == name } }

    // MARK: Parameters

    private typealias Parameter = AssistantTool.Parameter

    /// Replaced by what it means for the server.
    private static let trace = Parameter(name: "trace", kind: .text, about: "")
    private static let cursor = AssistantTool.cursor
    private static let filter = Parameter(
        name: "filter", kind: .text,
        about:
            "Which rows, in the filter language: status>=400, method:POST, api:commcare.restore, bucket:notes, key:note1, command:c, sender:client, at:1s..3s, body~\"needle\", joined by and, or, not and parentheses."
    )

    // MARK: Reading

    private static let reading: [AssistantTool] = [
        AssistantTool(
            name: "list", title: "List rows",
            about:
                "Lists exchanges, Simperium commands and WebSocket messages in order of time, a line each, with the numbers that show takes.",
            parameters: [
                filter,
                Parameter(
                    name: "fields", kind: .texts,
                    about:
                        "Columns of a table in place of the usual lines: fields of the filter language, such as time, status, path, duration."
                ),
                Parameter(
                    name: "side", kind: .choice(["client", "server", "all"]),
                    about: "What the client had (default), what the server had, or all of both."),
                Parameter(
                    name: "limit", kind: .number(1...1_000_000), about: "At most so many rows."),
                trace, cursor,
            ]
        ) { given in
            var words = ["ls"]
            if !given.texts("fields").isEmpty {
                words.append("--columns=\(given.texts("fields").joined(separator: ","))")
            }
            words += options(["side", "limit"], given)
            return command(words, given, after: given.text("filter").map { [$0] } ?? [])
        },
        AssistantTool(
            name: "show", title: "Show a row",
            about:
                "Shows one row with its heads, body, meaning, faults and findings: 12 for an exchange, m12 for a message, c12 for a command, k12 for a connection, f12 for a finding, u12 for what could not be decided.",
            parameters: [
                Parameter(
                    name: "row", kind: .text, about: "The number of the row, as list has it.",
                    isRequired: true), trace, cursor,
            ]
        ) { given in command(["show"], given, after: [given.text("row") ?? ""]) },
        AssistantTool(
            name: "search", title: "Search text",
            about: "Lists the rows that have a text: words next to each other, or any substring.",
            parameters: [
                Parameter(name: "text", kind: .text, about: "What is sought.", isRequired: true),
                Parameter(
                    name: "substring", kind: .flag,
                    about: "Whether it may begin and end within words; of bodies, and slower."),
                filter, trace, cursor,
            ]
        ) { given in
            let text = given.text("text") ?? ""
            let quoted = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            let term = (given.flag("substring") ? "body~" : "text:") + "\"\(quoted)\""
            let words = given.text("filter").map { "(\($0)) and \(term)" } ?? term
            return command(["ls"], given, after: [words])
        },
        AssistantTool(
            name: "diagnose", title: "Diagnose",
            about:
                "Reports which rules of the protocols a client or server broke: where, the rows that show it, what was expected, the source and the likely cause.",
            parameters: [
                Parameter(
                    name: "rule", kind: .text,
                    about: "This rule only, or with NAME* all that begin with NAME."),
                Parameter(
                    name: "blame", kind: .choice(["client", "server"]),
                    about: "The rules of one side only."),
                Parameter(
                    name: "session", kind: .number(1...Int64.max), about: "This session only."),
                trace, cursor,
            ]
        ) { given in
            command(
                ["diagnose", "--fail-on=never"] + options(["rule", "blame", "session"], given),
                given)
        },
        AssistantTool(
            name: "explain_rule", title: "Explain a rule",
            about:
                "Explains a rule of the diagnosis: what it demands, what counts as evidence, when it is silent; without a rule, lists all.",
            parameters: [
                Parameter(
                    name: "rule", kind: .text,
                    about: "The rule, such as commcare.sync.incremental-after-412."),
                cursor,
            ], isRecorded: false
        ) { given in
            .command(
                given.text("rule").map { [.text("diagnose"), .text("--explain=\($0)")] }
                    ?? [.text("diagnose"), .text("--list-rules")])
        },
        AssistantTool(
            name: "state", title: "State of both sides",
            about:
                "Shows what the server and each client held at a point in time: objects and versions, cases, sync tokens, what was not acknowledged; or only where they disagree.",
            parameters: [
                Parameter(
                    name: "at", kind: .text,
                    about:
                        "12.5s since the start, a time of day, #12 for an exchange, c40 for a command (default: the end)."
                ),
                Parameter(name: "bucket", kind: .text, about: "This bucket only."),
                Parameter(name: "user", kind: .text, about: "This user, device or clientid only."),
                Parameter(
                    name: "key", kind: .text, about: "This object or case only, with all its data."),
                Parameter(
                    name: "diff", kind: .flag, about: "Only where client and server disagree."),
                trace, cursor,
            ]
        ) { given in
            command(
                ["state"] + (given.flag("diff") ? ["--diff"] : [])
                    + options(["at", "bucket", "user", "key"], given), given)
        },
        AssistantTool(
            name: "diff", title: "Compare two traces",
            about:
                "Compares two traces by meaning: what is missing, added, changed or in another order, and the contents at the end.",
            parameters: [
                trace,
                Parameter(
                    name: "other", kind: .text, about: "The path of the second trace.",
                    isRequired: true),
                Parameter(
                    name: "ignore", kind: .texts,
                    about: "What to ignore: json:/PATH, xml:/PATH, header:NAME, query:NAME."),
                cursor,
            ]
        ) { given in
            let ignored = given.texts("ignore").map {
                AssistantWork.Argument.text("--ignore=\($0)")
            }
            return .command(
                [.text("diff")] + ignored
                    + [.text("--"), .trace(given.text("trace")), .trace(given.text("other"))])
        },
        AssistantTool(
            name: "sql", title: "Query with SQL",
            about:
                "Runs one SELECT of SQLite on the trace and returns the rows as JSON lines. Views: exchange, message, command, change, body, header, commcare_form, commcare_sync, finding, fault; tables: connection, event, openrosa, session. sqlite_schema has all.",
            parameters: [
                Parameter(name: "query", kind: .text, about: "The SELECT.", isRequired: true),
                trace, cursor,
            ]
        ) { given in .query(given.text("query") ?? "", trace: given.text("trace")) },
    ]

    // MARK: What changes something

    private static func recording(_ permissions: Set<AssistantPermission>) -> [AssistantTool] {
        var parameters = [
            Parameter(
                name: "trace", kind: .text, about: "The path of the trace to write.",
                isRequired: true),
            Parameter(
                name: "to", kind: .text,
                about: "The URL of the server in whose place to listen (default: a forward proxy)."),
            Parameter(
                name: "listen", kind: .text,
                about: "The address to listen on, HOST:PORT (default: 127.0.0.1 and a free port)."),
        ]
        if permissions.contains(.faults) {
            parameters.append(
                Parameter(name: "faults", kind: .texts, about: "Rules of faults: FILTER => ACTION.")
            )
        }
        return [
            AssistantTool(
                name: "start_recording", title: "Start a recording",
                about:
                    "Starts a recording proxy, and returns its address and a handle for stop_recording. It ends with this server.",
                parameters: parameters, isRecorded: false, permission: .record
            ) { given in
                let arguments =
                    ["--listen=\(given.text("listen") ?? "127.0.0.1:0")"] + options(["to"], given)
                    + given.texts("faults").map { "--fault=\($0)" }
                return .startRecording(trace: given.text("trace") ?? "", arguments: arguments)
            },
            AssistantTool(
                name: "stop_recording", title: "Stop a recording",
                about: "Ends a recording that start_recording started.",
                parameters: [
                    Parameter(
                        name: "recording", kind: .text, about: "Its handle.", isRequired: true)
                ], isRecorded: false, permission: .record
            ) { given in .stopRecording(given.text("recording") ?? "") },
            AssistantTool(
                name: "recordings", title: "List recordings",
                about: "Lists the recordings that were started here and have not ended.",
                parameters: [], isRecorded: false, permission: .record
            ) { _ in .recordings },
        ]
    }

    private static let rule = Parameter(
        name: "rule", kind: .text,
        about:
            "The rule: FILTER => ACTION key=value …, such as api:commcare.restore => 503 first=2.",
        isRequired: true)

    private static let faults: [AssistantTool] = [
        AssistantTool(
            name: "list_faults", title: "List rules of faults",
            about: "Lists the rules of a recording in progress with their counts and state.",
            parameters: [trace], permission: .faults
        ) { given in control("list", given, []) },
        AssistantTool(
            name: "add_fault", title: "Add a rule of faults",
            about: "Adds a rule to a recording in progress; it takes effect at once.",
            parameters: [rule, trace], permission: .faults
        ) { given in control("add", given, [given.text("rule") ?? ""]) },
        AssistantTool(
            name: "remove_fault", title: "Remove a rule of faults",
            about: "Removes a rule from a recording in progress.",
            parameters: [
                Parameter(
                    name: "name", kind: .text,
                    about: "The name of the rule, as list_faults has it.",
                    isRequired: true), trace,
            ], permission: .faults
        ) { given in control("remove", given, [given.text("name") ?? ""]) },
    ]

    // MARK: Commands

    /// A command with options, the trace and what follows it.
    private static func command(
        _ words: [String], _ given: ToolArguments, after: [String] = []
    ) -> AssistantWork.Action {
        .command(
            words.map { .text($0) } + [.text("--"), .trace(given.text("trace"))]
                + after.map { .text($0) })
    }

    private static func control(
        _ verb: String, _ given: ToolArguments, _ after: [String]
    ) -> AssistantWork.Action {
        .command(
            [.text("faults"), .text(verb), .text("--"), .recorded(given.text("trace"))]
                + after.map { .text($0) })
    }

    /// Those of the arguments that were given, as options of the same names.
    private static func options(_ names: [String], _ given: ToolArguments) -> [String] {
        names.compactMap { name in
            (given.text(name) ?? given.number(name)).map { "--\(name)=\($0)" }
        }
    }
}
