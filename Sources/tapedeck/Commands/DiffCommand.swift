import ArgumentParser
import Replaying
import Sessions
import Trace
import Wire

/// `tapedeck diff`.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compare two traces by meaning, side by side.",
        discussion: """
            Exchanges and Simperium commands are aligned: what is missing from the second, added \
            in it, changed or in another order is reported, and so are the contents of buckets \
            and the sets of cases at the end. Exits with status 0 if both are the same, with 1 \
            if they differ, and with 65 if neither has anything to compare.

            Examples:
              tapedeck diff good.tape bad.tape
              tapedeck diff app.tape --session 1 --with-session 2
            """)

    @Argument(help: "The first trace.", completion: .file())
    var first: String

    @Argument(
        help: "The second trace (default: the first, for two of its sessions).", completion: .file()
    )
    var second: String?

    @Option(help: ArgumentHelp("Compare this session of the first only.", valueName: "N"))
    var session: Int64?

    @Option(
        help: ArgumentHelp(
            "Compare with this session of the second only.", valueName: "N"))
    var withSession: Int64?

    @Option(
        help: ArgumentHelp(
            "Ignore this: json:/PATH, xml:/PATH, header:NAME, query:NAME or /PATH for both.",
            valueName: "rule"))
    var ignore: [String] = []

    @Flag(
        help: """
            Compare what is volatile too (dates, tokens, instanceIDs, device ids), and generated \
            identifiers.
            """)
    var exact = false

    @Option(
        name: [.customLong("context"), .customShort("U")],
        help: ArgumentHelp(
            "Print this many equal items around each difference.", valueName: "n"))
    var context = 1

    @Flag(help: "Compare messages only, not the contents at the end, nor times.")
    var messagesOnly = false

    @Flag(help: "Print a JSON object per line.")
    var json = false

    func run() throws {
        guard context >= 0 else { throw Failure(.usage, "--context takes 0 or more") }
        guard second != nil || session != withSession else {
            throw Failure(
                .usage,
                "name a second trace, or two sessions of the first with --session and --with-session"
            )
        }
        let second = second ?? first
        let (before, after) = (session.map { SessionID($0) }, withSession.map { SessionID($0) })
        let rules = try rules()
        let one = try RecordedSession.opened(first, session: before)
        let other = try RecordedSession.opened(second, session: after)
        guard
            !(one.exchanges.isEmpty && one.commands.isEmpty && other.exchanges.isEmpty
                && other.commands.isEmpty)
        else {
            throw Failure(
                .data, "neither \(first) nor \(second) has an exchange or a command to compare")
        }
        let (a, b) = (one.compared, other.compared)
        var page = DiffPage(
            isJSON: json, hasColour: !json && StandardOutput.hasColour, context: context)
        page.begin(
            (Self.name(first, session), one.exchanges.count, one.commands.count),
            (Self.name(second, withSession), other.exchanges.count, other.commands.count))
        var comparison = TraceComparison(a, b, .init(rules: rules, isExact: exact))
        comparison.run { page.take($0) }
        if !messagesOnly {
            comparison.compareStates(
                try Self.state(first, before), try Self.state(second, after)
            ) { page.take($0) }
            page.take(TimingComparison(a, b, pairs: comparison.exchangePairs))
        }
        page.end(boundNames: comparison.boundNames)
        if page.differs { throw ExitCode(Failure.Status.failed.rawValue) }
    }

    private static func name(_ path: String, _ session: Int64?) -> String {
        session.map { "\(path) session \($0)" } ?? path
    }

    private func rules() throws(Failure) -> [IgnoreRule] {
        var rules: [IgnoreRule] = []
        for text in ignore {
            do {
                rules.append(try IgnoreRule(parsing: text))
            } catch {
                throw Failure(.usage, "--ignore: \(error.description)")
            }
        }
        return rules
    }

    /// The state of both sides at the end of a trace or a session of it.
    private static func state(
        _ path: String, _ session: SessionID?
    ) throws(Failure) -> SessionState {
        let reader: StateReader
        do {
            reader = try StateReader(path: path)
        } catch {
            throw Failure(error)
        }
        do {
            return try SessionStateReading.shown(
                reader, upto: session.map { .session($0) } ?? .end,
                "reading the state of \(path)"
            ).state
        } catch {
            throw Failure(error)
        }
    }
}

extension RecordedSession {
    /// The compared parts of it.
    var compared: ComparedSession {
        ComparedSession(
            exchanges: exchanges, commands: commands, message: { message($0, $1) },
            text: { text($0) })
    }
}
