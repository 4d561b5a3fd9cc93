import ArgumentParser
import Assistants
import Foundation
import Trace

/// `tapedeck mcp`.
struct MCPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract:
            "Let an assistant read traces, over the Model Context Protocol on standard input.",
        discussion: """
            Messages are lines of JSON on standard input and output, as clients of the protocol \
            start it. Tools list, show, search, diagnose, compare and query what was recorded; \
            secrets are replaced by placeholders. Nothing is changed unless --allow says so. Ends \
            with its input; what it started ends with it.

            Example: tapedeck mcp app.tape
            """)

    @Argument(
        help: "The trace that is meant where none is named (default: each call names one).",
        completion: .file())
    var trace: String?

    @Option(
        help: ArgumentHelp(
            "Allow this as well: record to start and stop recordings, faults to add and remove rules; separated by commas.",
            valueName: "record|faults"))
    var allow: AllowedActions?

    @Flag(help: "Leave secrets as they are.")
    var secrets = false

    func run() throws {
        if let trace { _ = try TraceReader.opened(trace) }
        var random = SystemRandomNumberGenerator()
        let options = AssistantOptions(
            hasTrace: trace != nil, permissions: allow?.permissions ?? [],
            version: Program.version, seed: random.next())
        let traces = AssistantTraces(named: trace, hasSecrets: secrets)
        AssistantShell(AssistantServer(options), AssistantWorker(traces)).run()
    }
}

/// What an assistant may do beside reading.
struct AllowedActions: ExpressibleByArgument {
    let permissions: Set<AssistantPermission>

    /// `record`, `faults` or both with a comma.
    init?(argument: String) {
        var permissions: Set<AssistantPermission> = []
        for word in argument.split(separator: ",", omittingEmptySubsequences: false) {
            guard let permission = AssistantPermission(rawValue: String(word)) else { return nil }
            permissions.insert(permission)
        }
        self.permissions = permissions
    }
}
