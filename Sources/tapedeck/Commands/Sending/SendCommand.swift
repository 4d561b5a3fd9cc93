import ArgumentParser
import Faults
import Replaying
import Simperium
import SyncClients
import Trace
import Wire

/// `tapedeck send`.
struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a recorded request or Simperium command again, edited.",
        discussion: """
            Sends what the client sent, to its server or another one, and prints the answer beside \
            the recorded one. A command is sent over a new socket, after its channel is opened with \
            the recorded token. What it does on the server is not undone.

            Examples:
              tapedeck send app.tape 12
              tapedeck send app.tape 12 --set 'json /name Anna' --to http://127.0.0.1:8000
              tapedeck send app.tape c40 --edit
            """)

    @Argument(help: "The trace.", completion: .file())
    var trace: String

    @Argument(
        help: "12 for an exchange, c12 for a command.",
        completion: .custom { words, _, prefix in Completion.rows(words, prefix) }
    )
    var id: Shown

    @Option(
        help: ArgumentHelp(
            """
            Change it first, as the rules edit: 'json /a 1', 'json-remove /a', 'header X v', \
            'query a b', 'form a b', 'path /b', 'replace a b', and for a change 'object a "b"'; \
            may be repeated.
            """,
            valueName: "edit"))
    var set: [String] = []

    @Flag(help: "Open it in the editor first (VISUAL, EDITOR); an empty text sends nothing.")
    var edit = false

    @OptionGroup var place: SendTarget

    @Option(
        help: ArgumentHelp(
            "Wait so long for the answer (default: 30s); for a command, print all that comes in this time.",
            valueName: "duration"))
    var wait: TimeSpan?

    @Option(
        help: ArgumentHelp(
            "Ignore this when comparing: json:/PATH, xml:/PATH, header:NAME or /PATH for both; may be repeated.",
            valueName: "rule"))
    var ignore: [String] = []

    @Flag(help: "Exit with status 1 if the answer differs from the recorded one.")
    var same = false

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let edits = try edits()
        let rules = try ignored()
        let reader = try TraceReader.opened(trace)
        let isSame: Bool
        switch id {
        case .exchange(let id):
            isSame = try await SentExchange(
                reader: reader, place: place, edits: edits, opensEditor: edit,
                patience: patience, page: page(rules)
            ).send(id)
        case .command(let id):
            isSame = try await SentChannelCommand(
                reader: reader, place: place, edits: edits, opensEditor: edit,
                patience: patience, waits: wait != nil, page: page(rules)
            ).send(id)
        case .message, .connection, .finding:
            throw Failure(
                .usage, "only an exchange, such as 12, or a command, such as c12, is sent again")
        }
        if same, !isSame {
            throw Failure(.failed, "the answer is not the recorded one")
        }
    }

    /// Nanoseconds to wait for an answer.
    private var patience: Int64 { wait?.nanoseconds ?? 30_000_000_000 }

    private func page(_ rules: [IgnoreRule]) -> SendPage {
        SendPage(
            rules: rules, isJSON: json, hasColour: !json && StandardOutput.hasColour)
    }

    private func edits() throws(Failure) -> [MessageEdit] {
        var edits: [MessageEdit] = []
        for text in set {
            do throws(EditableTextError) {
                edits.append(try MessageEdit(text))
            } catch {
                throw Failure(.usage, "--set \(error)")
            }
        }
        return edits
    }

    private func ignored() throws(Failure) -> [IgnoreRule] {
        var rules: [IgnoreRule] = []
        for text in ignore {
            do {
                rules.append(try IgnoreRule(parsing: text))
            } catch {
                throw Failure(.usage, "--ignore: \(error)")
            }
        }
        return rules
    }
}

extension Failure {
    /// What an edit that cannot be done, or a message that cannot be read, is to the user.
    init(_ error: EditableTextError) { self.init(.data, error.description) }

    init(_ failure: SendFailure) {
        let status: Status =
            switch failure {
            case .trust: .noInput
            case .unreachable, .unanswered: .unavailable
            }
        self.init(status, failure.reason)
    }
}
