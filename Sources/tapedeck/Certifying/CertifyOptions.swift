import ArgumentParser

/// Options of `certify`: the client under test, and where the report is written.
struct CertifyOptions: ParsableArguments {
    static let discussion = """
        Each scenario starts a server and a recording proxy on free ports, and then COMMAND, \
        which finds the addresses and a script in its environment (TAPEDECK_URL, TAPEDECK_SCRIPT \
        and others). Without COMMAND the addresses are printed, and an operator performs the \
        steps on a device. At the end of each, the server's state and that of a second client are \
        compared with the script. Exits with status 1 if the client broke a rule or did not pass \
        a scenario, or if a case that a scenario names was not exercised, and 69 if it never \
        connected.
        """

    /// The same with an example of the suite.
    static func discussion(_ suite: String) -> String {
        """
        \(discussion)

        Example: tapedeck certify \(suite) --output results --junit results.xml -- ./my-client
        """
    }

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp(
            "The client under test, or a program that drives it.", valueName: "command"))
    var command: [String] = []

    @Flag(help: "Certify the built-in client.")
    var builtin = false

    @Option(
        name: .customLong("case"),
        help: ArgumentHelp(
            "Run only this case or scenario, or with NAME* all that begin with NAME; may be repeated.",
            valueName: "name"))
    var cases: [String] = []

    @Option(
        help: ArgumentHelp(
            "Leave out this scenario, or with NAME* all that begin with NAME, such as what the client has no support for; may be repeated.",
            valueName: "name"))
    var skip: [String] = []

    /// What else fails a certification.
    enum FailOn: String, ExpressibleByArgument, CaseIterable {
        /// A case that was not exercised, whichever.
        case notExercised = "not-exercised"
    }

    @Option(
        help: ArgumentHelp(
            "Exit with status 1 as well if any case was not exercised: not-exercised.",
            valueName: "what"))
    var failOn: [FailOn] = []

    @Flag(help: "Print the cases and the scenarios, and exit.")
    var list = false

    @Flag(help: "Let findings of severity info fail a case too.")
    var strict = false

    @Option(
        help: ArgumentHelp(
            "The time after which each duty of the client counts as not done, such as 30s, in place of the deadlines of the rules.",
            valueName: "duration"))
    var patience: TimeSpan?

    @Option(
        help: ArgumentHelp(
            "Folder for traces and scripts (default: certify-PROTOCOL).", valueName: "dir"),
        completion: .directory)
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Write the report as JSON to this file, or to standard output with -.",
            valueName: "FILE|-"), completion: .file())
    var json: String?

    @Option(
        help: ArgumentHelp("Write the report as one HTML page to this file.", valueName: "file"),
        completion: .file())
    var html: String?

    @Option(
        help: ArgumentHelp(
            "Write the report as JUnit XML to this file, or to standard output with -.",
            valueName: "FILE|-"), completion: .file())
    var junit: String?

    @Option(
        help: ArgumentHelp(
            "Scenarios that run at a time (default: 4; with a device: 1).",
            valueName: "n"))
    var jobs: Int?

    @Option(
        help: ArgumentHelp(
            "Multiply the time limits of scenarios (default: 1; with a device: 10).", valueName: "n"
        ))
    var slowness: Double?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Address for the client; port 0 takes a free port for each scenario.",
            valueName: "host:port"))
    var listen = ListenAddress(host: "127.0.0.1", port: 0)

    @OptionGroup var authority: AuthorityOptions

    mutating func validate() throws {
        func require(_ isWell: Bool, _ text: String) throws {
            if !isWell { throw ValidationError(text) }
        }
        try require(!builtin || command.isEmpty, "give COMMAND or --builtin, not both")
        try require(jobs.map { 1...64 ~= $0 } ?? true, "--jobs is 1 to 64")
        try require(
            slowness.map { $0 > 0 && $0 <= 1_000 } ?? true, "--slowness is above 0, at most 1000")
        try require(
            jobs ?? 1 == 1 || !isDevice,
            "with a device, scenarios run one after the other; leave out --jobs")
        try require(
            jobs ?? 1 == 1 || listen.port == 0, "with --jobs each scenario needs a port: use 0")
        try require(!(json == "-" && junit == "-"), "--json - and --junit - exclude each other")
    }

    /// Whether an operator performs the steps on a device.
    var isDevice: Bool { command.isEmpty && !builtin }

    /// Number of scenarios that run at a time.
    var atOnce: Int { jobs ?? (isDevice || listen.port != 0 ? 1 : 4) }
}
