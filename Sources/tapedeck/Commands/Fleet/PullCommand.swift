import ArgumentParser
import Filters
import Fleet
import Trace
import Wire

/// `tapedeck pull`.
struct PullCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull",
        abstract: "Bring sessions or connections back from a fleet as a trace.",
        discussion: """
            The trace has the bytes as they were shipped, with their numbers, findings and faults; \
            decoded rows are built anew. Name a session, a connection, or a filter for the \
            connections of all rows that fit. Of several recorders the rows are merged, with new \
            numbers.

            Example: tapedeck pull clickhouse://lab.example/tapes lost.tape --session 3 --recorder 3f2a9c1e
            """)

    @Argument(help: "The fleet: clickhouse://[USER@]HOST[:PORT]/DATABASE.")
    var fleet: String

    @Argument(help: "The trace to write, which must not exist.", completion: .file())
    var trace: String

    @Argument(
        help: "The connections of which rows, in the filter language.",
        completion: .custom { _, _, prefix in Completion.filters(prefix) })
    var filter: [String] = []

    @Option(help: ArgumentHelp("A session.", valueName: "number"))
    var session: Int64?

    @Option(help: ArgumentHelp("A connection.", valueName: "number"))
    var connection: Int64?

    @Option(
        help: ArgumentHelp(
            "Of the recorder whose identifier begins so (default: of any).", valueName: "id"))
    var recorder: String = ""

    @OptionGroup var options: FleetOptions

    func validate() throws {
        let choices =
            (session == nil ? 0 : 1) + (connection == nil ? 0 : 1) + (filter.isEmpty ? 0 : 1)
        guard choices == 1 else {
            throw ValidationError("give one of --session, --connection and a filter")
        }
    }

    func run() throws {
        let choice: PullSelection.Choice
        if let session {
            choice = .session(SessionID(session))
        } else if let connection {
            choice = .connection(ConnectionID(connection))
        } else {
            choice = .rows(FleetQuestion(try FilterArguments.parsed(filter), side: .all))
        }
        let listing = try FleetListing(fleet, options, nil)
        let outcome: FleetPull.Outcome
        do {
            outcome = try PatienceLine.during("pulling from \(fleet)") {
                try FleetPull(listing.reader).write(
                    PullSelection(choice, recorder: recorder), to: trace)
            }
        } catch let error as FleetError {
            throw Failure(error)
        } catch let error as FileError {
            throw Failure(error)
        }
        let counts = [
            Summary.count(Int64(outcome.recorders), "recorder"),
            Summary.count(Int64(outcome.sessions), "session"),
            Summary.count(outcome.connections, "connection"),
            Summary.count(outcome.exchanges, "exchange"),
        ]
        StandardOutput.write(counts.joined(separator: ", ") + "\ntrace: \(trace)\n")
    }
}
