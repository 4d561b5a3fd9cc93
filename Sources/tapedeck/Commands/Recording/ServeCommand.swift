import ArgumentParser
import Foundation
import Interception
import Notation
import SyncServers

/// `tapedeck serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run a CommCare and a Simperium server on one port, with no network.",
        discussion: """
            Without --accounts any user with any password is accepted, and any token of 32 or \
            more letters and digits; without --state all data is lost when it stops. The first \
            line of output is `listening on HOST:PORT`, the second is the address and token of \
            the admin interface. With --from a client goes on from just before an incident: the \
            server has the buckets, cases, sync tokens and users that the recorded servers had. \
            With COMMAND it serves while that runs and exits with its status; standard output is \
            the command's.

            Examples:
              tapedeck serve --state data.db
              tapedeck serve -- npm test
            """)

    @OptionGroup var command: WrappedCommand

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Address to listen on; port 0 asks for a free one (default: 127.0.0.1:8000, with COMMAND a free port).",
            valueName: "host:port"))
    var listen: ListenAddress?

    @Flag(help: "Serve TLS as well, to clients that begin with a TLS handshake.")
    var tls = false

    @OptionGroup var authority: AuthorityOptions

    @Option(
        help: ArgumentHelp("Keep all data in this file; created if missing.", valueName: "file"),
        completion: .file())
    var state: String?

    @Option(
        help: ArgumentHelp(
            "Begin with what the servers of this trace held.", valueName: "trace"),
        completion: .file())
    var from: String?

    @Option(
        help: ArgumentHelp(
            "With --from: the point in time, as for `tapedeck state`; (default: the end).",
            valueName: "time|id"))
    var at: StateTime?

    @Option(help: "With --from: the end of this session, or --at since its start.")
    var session: Int64?

    @Option(
        help: ArgumentHelp(
            "Accept only the users and applications of this file.", valueName: "file"),
        completion: .file())
    var accounts: String?

    @Option(
        help: ArgumentHelp(
            "Number of 202 answers with progress before a restore is sent.",
            valueName: "n"))
    var restorePolls = 0

    @Option(
        help: ArgumentHelp("Seconds that a 202 asks the client to wait.", valueName: "seconds"))
    var retryAfter = 1

    @Option(
        help: ArgumentHelp(
            "Build restores of more cases than this in the background, answering 202; 0: never.",
            valueName: "n"))
    var restoreSlice = 2000

    @Option(
        help: ArgumentHelp(
            "Answer a user's submissions beyond this many per minute with 429.", valueName: "n"))
    var submissionsPerMinute: Int?

    @Option(
        help: ArgumentHelp(
            "Answer a user's restores beyond this many per minute with 429.", valueName: "n"))
    var restoresPerMinute: Int?

    @Option(
        help: ArgumentHelp(
            "Answer CommCare requests of all users together beyond this many per minute with 503.",
            valueName: "n"))
    var requestsPerMinute: Int?

    @Flag(
        help: ArgumentHelp(
            "Simperium: answer cv with one change for each object, which may span versions."))
    var mergeChanges = false

    @Option(
        help: ArgumentHelp(
            "Simperium: answer every third change with this error, 500 to 599, without making it.",
            valueName: "code"))
    var changeError: Int?

    @Option(
        help: ArgumentHelp(
            "With --change-error: answer every Nth change with it instead.", valueName: "n"))
    var changeErrorEvery: Int?

    func run() async throws {
        try command.begin("the server")
        let listen = command.address(listen, port: 8000)
        guard restorePolls >= 0, restoreSlice >= 0, retryAfter > 0 else {
            throw Failure(
                .usage,
                "--restore-polls and --restore-slice are at least 0 and --retry-after at least 1")
        }
        let limits = [submissionsPerMinute, restoresPerMinute, requestsPerMinute]
        guard limits.allSatisfy({ $0 ?? 0 >= 0 }) else {
            throw Failure(.usage, "a limit per minute is at least 0")
        }
        let behavior = try simperiumBehavior()
        let token = Self.adminToken()
        let accounts = try readAccounts()
        let initial = try initialState(accounts)
        var options = SyncServer.Options(
            accounts: accounts, state: state, adminToken: token,
            notice: { StandardError.write("tapedeck: \($0)\n") })
        options.initial = initial
        options.simperium = behavior
        options.commCare.restorePolls = restorePolls
        options.commCare.retryAfter = retryAfter
        options.commCare.restoreSlice = restoreSlice
        options.commCare.submissionsPerMinute = submissionsPerMinute
        options.commCare.restoresPerMinute = restoresPerMinute
        options.commCare.requestsPerMinute = requestsPerMinute
        let lines = ServedLines()
        options.served = { lines.add($0) }
        let trusted = tls ? try authority.open() : nil
        options.tls = try trusted.map(leaves)
        let signal = StopSignal()
        let server: SyncServer
        do {
            server = try await SyncServer.start(
                host: listen.host, port: listen.port, options: options)
        } catch {
            throw Failure(error)
        }
        let address = ListenAddress.text(listen.host, server.port)
        StandardOutput.write("listening on \(address)\n")
        for line in LocalAddresses.lines(listening: listen.host, port: server.port) {
            StandardError.warn(line)
        }
        StandardOutput.write("admin at http://\(address)/admin/ token \(token)\n")
        let place = CommandEnvironment.reachable(listen.host, server.port)
        for line in ServedLines.places(
            place, isOpen: self.accounts == nil && from == nil, token: Self.adminToken())
        {
            StandardOutput.write(line + "\n")
        }
        var environment = CommandEnvironment()
        environment.server = place
        environment.more["TAPEDECK_ADMIN_URL"] = "http://\(place)/admin"
        environment.more["TAPEDECK_ADMIN_TOKEN"] = token
        let outcome = await command.run(environment, trusting: trusted, signal)
        await server.stop()
        StandardOutput.write(lines.summary + "\n")
        try outcome.check(nil)
    }

    private func leaves(_ authority: CertificateAuthority) throws(Failure) -> LeafCache {
        do {
            return try LeafCache(authority: authority)
        } catch {
            throw Failure(error)
        }
    }

    private func readAccounts() throws(Failure) -> Accounts {
        guard let accounts else { return .open }
        guard let data = FileManager.default.contents(atPath: accounts) else {
            throw Failure(.noInput, "--accounts \(accounts) cannot be read; check the name")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw Failure(.data, "--accounts \(accounts) is not UTF-8")
        }
        do {
            return try Accounts(yaml: text)
        } catch {
            throw Failure(.data, "--accounts \(accounts), \(error)")
        }
    }

    /// 32 random hexadecimal digits that cannot be guessed.
    private func simperiumBehavior() throws -> SimperiumServer.Behavior {
        var behavior = SimperiumServer.Behavior()
        behavior.mergesChanges = mergeChanges
        behavior.changeError = changeError
        guard changeError.map({ 500...599 ~= $0 }) ?? true else {
            throw Failure(.usage, "--change-error is 500 to 599")
        }
        if let changeErrorEvery {
            guard changeError != nil else {
                throw Failure(.usage, "--change-error-every goes with --change-error")
            }
            guard changeErrorEvery >= 1 else {
                throw Failure(.usage, "--change-error-every is at least 1")
            }
            behavior.changeErrorEvery = changeErrorEvery
        }
        return behavior
    }

    private static func adminToken() -> String {
        var random = SystemRandomNumberGenerator()
        return Hexadecimal.text((0..<16).map { _ in UInt8.random(in: 0 ... .max, using: &random) })
    }
}

extension Failure {
    /// Why a server does not start.
    init(_ error: SyncServerError) {
        let status: Status =
            switch error.code {
            case .stateNotThere: .noInput
            case .stateInUse: .temporary
            case .badState: .data
            case .addressInUse, .badAddress, .failed: .io
            }
        self.init(status, error.reason)
    }
}
