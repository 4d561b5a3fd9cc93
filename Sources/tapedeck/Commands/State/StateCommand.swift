import ArgumentParser
import Notation
import Replaying
import Sessions
import Trace
import Wire

/// `tapedeck state`.
struct StateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Show the state of each side at a point in time, rebuilt from the trace.",
        discussion: """
            Per Simperium bucket: objects and versions of the server and of each client, change \
            versions, and what a client sent and has not seen acknowledged. Per CommCare user and \
            device: sync token, cases and unanswered forms. The state of a server is what it \
            reported; that of a client follows from what it sent and received, faults included. \
            With --diff: only where the two disagree; exits with status 1 if they do.

            Examples:
              tapedeck state app.tape --at 12s
              tapedeck state app.tape --diff
            """)

    @Argument(help: "The trace.", completion: .file())
    var trace: String

    @Option(
        help: ArgumentHelp(
            "The point in time, inclusive: 12.5s since the start, a time such as "
                + "2026-11-21T17:00:00.5Z, #12 or exchange:12, c40 or command:40, m7 or message:7; "
                + "(default: the end).", valueName: "time|id"))
    var at: StateTime?

    @Option(help: "Show the end of this session, or --at since its start.")
    var session: Int64?

    @Option(help: "Show this bucket only.")
    var bucket: String?

    @Option(help: "Show this user, device or clientid only.")
    var user: String?

    @Option(help: "Show this object or case only, with all its data.")
    var key: String?

    @Flag(help: "Show only where client and server disagree.")
    var diff = false

    @Flag(help: "Print a JSON object per line.")
    var json = false

    func run() throws {
        let reader: StateReader
        do {
            reader = try StateReader(path: trace)
        } catch {
            throw Failure(error)
        }
        if let warning = reader.warning { StandardError.write("tapedeck: \(warning)\n") }
        let moment = try StateTime.moment(at: at, session: session)
        let reading = try SessionStateReading.shown(reader, upto: moment, "reading")
        if reading.cut > 0 {
            let commands = Summary.count(Int64(reading.cut), "long command")
            StandardError.warn(
                "\(commands) \(reading.cut == 1 ? "was" : "were") skipped, whose bytes were deleted"
            )
        }
        if let hint = try endOfTrace(before: moment) { StandardError.warn(hint) }
        let view = StateView(
            state: reading.state, at: reading.at, anchor: reader.anchor, bucket: bucket,
            user: user, key: key)
        let disagreements: Int
        if json {
            let lines = StateLines(view: view)
            disagreements = diff ? lines.writeDifferences() : lines.write()
        } else {
            let page = StatePage(view: view)
            disagreements = diff ? page.writeDifferences() : page.write()
        }
        if diff, disagreements > 0 { throw ExitCode(Failure.Status.failed.rawValue) }
    }

    /// That the trace, or the session, ends before a time since its start.
    private func endOfTrace(before moment: StateMoment) throws(Failure) -> String? {
        guard case .time(let nanoseconds, let session) = moment else { return nil }
        let end = try TraceReader.opened(trace).reading { reader throws(TraceError) in
            guard let session else { return try reader.nanoseconds() }
            return try reader.nanoseconds(of: session)
        }
        guard nanoseconds > end else { return nil }
        let what = session.map { "session \($0)" } ?? "the trace"
        return "\(what) ends at \(TimeSpan.clock(end)) s; this is the state then"
    }
}
