import ArgumentParser
import Filters
import Fleet
import Formats

/// `tapedeck fleet`.
struct FleetGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Ask all recorders of a fleet at once: rules, clients, lost edits, loops.",
        discussion: """
            The views are of the findings that were shipped: of traces that were diagnosed.

            Example: tapedeck fleet losses clickhouse://lab.example/tapes 'at>=2026-11-24 label.app:3.*'
            """,
        subcommands: [
            FleetRulesCommand.self, FleetClientsCommand.self, FleetLossesCommand.self,
            FleetLoopsCommand.self, FleetDashboardCommand.self,
        ])
}

/// The arguments of a view.
struct FleetViewArguments: ParsableArguments {
    @Argument(help: "The fleet: clickhouse://[USER@]HOST[:PORT]/DATABASE.")
    var fleet: String

    @Argument(
        help: "Which findings: at, label.NAME, recorder and session (default: all).",
        completion: .custom { _, _, prefix in Completion.filters(prefix) })
    var filter: [String] = []

    @Option(name: .shortAndLong, help: "Print at most this many lines.")
    var limit: Int?

    @Flag(help: "Print a JSON object per line.")
    var json = false

    @Flag(help: "Print a table for spreadsheets (CSV), with times of the wall clock in UTC.")
    var csv = false

    @OptionGroup var options: FleetOptions

    /// Prints a view.
    func show(_ view: FleetView) throws {
        if json, csv { throw Failure(.usage, "--json and --csv exclude each other") }
        if let limit, limit < 0 { throw Failure(.usage, "--limit is at least 0") }
        let filter = try FilterArguments.parsed(filter)
        let listing = try FleetListing(fleet, options, nil)
        let table: ListTable
        do throws(FleetError) {
            table = try view.table(listing.reader, filter, limit: limit)
        } catch {
            throw Failure(error)
        }
        guard json || csv else {
            StandardOutput.write(TextTable(columns: Terminal.columns).text(table))
            return
        }
        let end = json ? "\n" : "\r\n"
        StandardOutput.write(table.exported(asJSON: json).map { $0 + end }.joined())
    }
}

/// `tapedeck fleet rules`.
struct FleetRulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract:
            "List the rules that were broken, with how many clients, when and in which versions.",
        discussion: "Example: tapedeck fleet rules clickhouse://lab.example/tapes label.app:3.2")

    @OptionGroup var arguments: FleetViewArguments

    func run() throws { try arguments.show(.rules) }
}

/// `tapedeck fleet clients`.
struct FleetClientsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clients",
        abstract: "List the clients by rule broken, first and last time, and versions affected.",
        discussion: """
            A client is known by its device, else by the label device of its session, else by its \
            recorder; its version is the label app, else its User-Agent.

            Example: tapedeck fleet clients clickhouse://lab.example/tapes
            """)

    @OptionGroup var arguments: FleetViewArguments

    func run() throws { try arguments.show(.clients) }
}

/// `tapedeck fleet losses`.
struct FleetLossesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "losses", abstract: "List the clients that lost edits.",
        discussion: """
            Example: tapedeck fleet losses clickhouse://lab.example/tapes 'at>=2026-11-24'
            """)

    @OptionGroup var arguments: FleetViewArguments

    func run() throws { try arguments.show(.losses) }
}

/// `tapedeck fleet loops`.
struct FleetLoopsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loops", abstract: "List loops after 412 by version of the app.",
        discussion: "Example: tapedeck fleet loops clickhouse://lab.example/tapes")

    @OptionGroup var arguments: FleetViewArguments

    func run() throws { try arguments.show(.loops) }
}

/// `tapedeck fleet dashboard`.
struct FleetDashboardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dashboard",
        abstract: "Print a dashboard for Grafana over the tables of a fleet, as JSON.",
        discussion: """
            Grafana's import asks for its data source of ClickHouse, whose default database is that \
            of the fleet.

            Example: tapedeck fleet dashboard > fleet.json
            """)

    func run() throws { StandardOutput.write(Dashboard.json + "\n") }
}
