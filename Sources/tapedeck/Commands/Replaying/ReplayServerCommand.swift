import ArgumentParser
import Foundation
import Interception
import Notation
import Replaying
import Reproduction
import Sessions
import SyncServers
import Trace

/// `tapedeck replay server`.
struct ReplayServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: "Play the server of a recorded session to live clients, with no network.",
        discussion: """
            Answers HTTP, Simperium and other WebSockets as recorded, matched by meaning, to \
            clients that address it as the server and to those that use it as their proxy \
            (absolute URLs, CONNECT, TLS); nothing is ever sent anywhere else. The first line of \
            output is `listening on HOST:PORT`; SIGINT or SIGTERM ends it with a report. Exits \
            with status 1 if something was requested that was not recorded, or something \
            recorded was never requested. With COMMAND it plays while that runs and exits with its \
            status unless that is 0; standard output is the command's.

            Example: tapedeck replay server app.tape -- ./run-tests
            """)

    @Argument(help: "The trace.", completion: .file())
    var trace: String

    @OptionGroup var command: WrappedCommand

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Address to listen on; port 0 asks for a free one (default: 127.0.0.1:8080, with COMMAND a free port).",
            valueName: "host:port"))
    var listen: ListenAddress?

    @Flag(
        help: ArgumentHelp(
            "Requests that were not recorded end the replay, are refused and reported, or are answered from the state that the recording implies."
        ))
    var mode = Mode.strict

    @Option(
        help: ArgumentHelp(
            "Answer at N times the recorded speed; 1 is as recorded (default: at once).",
            valueName: "n"))
    var speed: Double?

    @Option(
        help: ArgumentHelp(
            "Ignore this when comparing: json:/PATH, xml:/PATH, header:NAME, query:NAME or /PATH; may be repeated.",
            valueName: "rule"))
    var ignore: [String] = []

    @Option(
        help: ArgumentHelp(
            "Random seed of what --model generates (default: a new one in each run).",
            valueName: "n"))
    var seed: UInt64?

    @Flag(help: "Allow recorded requests and commands that are never requested.")
    var allowUnused = false

    @Flag(help: "Exit when all was played and the last client has disconnected.")
    var exitWhenDone = false

    @Flag(help: "Print the report as a JSON object.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Write the report as JUnit XML to this file, or to standard output with -.",
            valueName: "FILE|-"), completion: .file())
    var junit: String?

    @OptionGroup var authority: AuthorityOptions

    /// The handling of requests that were not recorded.
    enum Mode: String, EnumerableFlag {
        case strict
        case lenient
        case model

        var option: ReplayServer.Mode {
            switch self {
            case .strict: .strict
            case .lenient: .lenient
            case .model: .model
            }
        }
    }

    func run() async throws {
        try command.begin("the replay")
        let listen = command.address(listen, port: 8080)
        guard !(json && junit == "-") else {
            throw Failure(.usage, "--json and --junit - exclude each other")
        }
        guard !command.isGiven || !json && junit != "-" else {
            throw Failure(
                .usage, "standard output is COMMAND's; write the report with --junit FILE")
        }
        if let speed, !(speed > 0 && speed.isFinite) {
            throw Failure(.usage, "--speed is above 0; leave it out to answer at once")
        }
        let authority = try authority.open()
        let rules = try rules()
        let source = try source()
        let signal = StopSignal()
        // A command gets to see the refusals, and ends when it wants to.
        let ends = !command.isGiven
        let seed = seed ?? .random(in: 0 ... .max)
        let options = ReplayServer.Options(
            mode: mode.option, pace: speed.map { .times($0) } ?? .asFastAsPossible,
            seed: seed, ignored: rules, endsWhenDone: exitWhenDone, tls: try leaves(authority),
            notice: { StandardError.write("tapedeck: \($0)\n") },
            stopped: { if ends { signal.stop() } })
        let server: ReplayServer
        do {
            server = try await ReplayServer.start(
                source, host: listen.host, port: listen.port, options: options)
        } catch {
            throw Failure(error)
        }
        StandardOutput.write("listening on \(ListenAddress.text(listen.host, server.port))\n")
        var environment = CommandEnvironment()
        let place = CommandEnvironment.reachable(listen.host, server.port)
        environment.proxy = place
        environment.server = place
        environment.more["TAPEDECK_TRACE"] = URL(fileURLWithPath: trace).path
        let outcome = await command.run(environment, trusting: authority, signal)
        try outcome.check(tell(await server.stop(), seed: seed))
    }

    private func rules() throws(Failure) -> [IgnoreRule] {
        var rules: [IgnoreRule] = []
        for text in ignore {
            do {
                rules.append(try IgnoreRule(parsing: text))
            } catch {
                throw Failure(.usage, "--ignore \(error)")
            }
        }
        return rules
    }

    /// The recording as the server reads it.
    private func source() throws(Failure) -> ReplaySource {
        let session = try RecordedSession.opened(trace)
        let source: ReplaySource
        do { source = try ReplaySource(session) } catch { throw Failure(error) }
        guard !source.isEmpty else {
            throw Failure(.data, "\(trace) has no HTTP exchange and no WebSocket to play")
        }
        return source
    }

    private func leaves(_ authority: CertificateAuthority) throws(Failure) -> LeafCache {
        do {
            return try LeafCache(authority: authority)
        } catch {
            throw Failure(error)
        }
    }

    /// Writes the report to the chosen outputs.
    ///
    /// - Returns: What makes the replay fail; nil for nothing.
    private func tell(_ report: ReplayReport, seed: UInt64) throws(Failure) -> Failure? {
        if let junit {
            let text = report.junit(
                allowsUnused: allowUnused,
                properties: [("seed", "\(seed)")] + ignore.map { ("ignore", $0) })
            try JUnitFile.write(text, to: junit)
        }
        if json {
            StandardOutput.write(report.json(allowsUnused: allowUnused).text() + "\n")
        } else if junit != "-" {
            StandardOutput.write(report.text(allowsUnused: allowUnused))
        }
        guard !report.isSatisfied(allowsUnused: allowUnused) else { return nil }
        if let nothing = report.nothing { return Failure(.failed, "\(nothing) of \(trace)") }
        let missed = report.sections.reduce(0) { $0 + $1.missed }
        let unused = report.sections.reduce(0) { $0 + $1.unused }
        return Failure(
            .failed, "\(missed) missed and \(unused) never requested of \(trace)")
    }
}
