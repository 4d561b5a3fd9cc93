import ArgumentParser

/// What is certified, and where the report goes.
struct CertifyOptions: ParsableArguments {
    static let discussion = """
        Each scenario starts a server and a recording proxy on free ports, and then COMMAND, which \
        finds the addresses and a script in its environment (TAPEDECK_URL, TAPEDECK_SCRIPT and \
        others). Without COMMAND the addresses are printed, and a person leads a device through. \
        Ends with 1 where the client broke a rule, and 69 where it never came.
        """

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The client under test, or what drives it.", valueName: "command"))
    var command: [String] = []

    @Flag(help: "Certify the client that is built in.")
    var builtin = false

    @Option(
        name: .customLong("case"),
        help: ArgumentHelp(
            "Only this case or scenario, or all that begin so with NAME*; may be repeated.",
            valueName: "name"))
    var cases: [String] = []

    @Flag(help: "Print the cases and the scenarios, and end.")
    var list = false

    @Flag(help: "Let findings that are no more than information fail a case.")
    var strict = false

    @Option(
        help: ArgumentHelp(
            "Folder for traces and scripts; certify-PROTOCOL without it.", valueName: "dir"))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Write the report as JSON to this file, or to standard output with -.",
            valueName: "FILE|-"))
    var json: String?

    @Option(
        help: ArgumentHelp("Write the report as one HTML page to this file.", valueName: "file"))
    var html: String?

    @Option(
        help: ArgumentHelp(
            "Write the report as JUnit XML to this file, or to standard output with -.",
            valueName: "FILE|-"))
    var junit: String?

    @Option(
        help: ArgumentHelp(
            "Scenarios that are played at a time, 4 unless told; one with a device.",
            valueName: "n"))
    var jobs: Int?

    @Option(
        help: ArgumentHelp(
            "Multiply the time limits of scenarios; 10 with a device, else 1.", valueName: "n"))
    var slowness: Double?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Address for the client; port 0, which is usual, takes a free one for each scenario.",
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
            jobs ?? 1 == 1 || !isDevice, "a device is led through one scenario after the other")
        try require(
            jobs ?? 1 == 1 || listen.port == 0, "with --jobs each scenario needs a port: use 0")
        try require(!(json == "-" && junit == "-"), "--json - and --junit - exclude each other")
    }

    /// Whether a person leads a device through.
    var isDevice: Bool { command.isEmpty && !builtin }

    /// How many scenarios are played at a time.
    var atOnce: Int { jobs ?? (isDevice || listen.port != 0 ? 1 : 4) }
}
