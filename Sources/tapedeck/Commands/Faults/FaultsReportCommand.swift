import ArgumentParser
import Faults
import Sessions
import Trace
import Wire

/// `tapedeck faults report`.
struct FaultsReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Report for each fault of a trace whether the client recovered from it.",
        discussion: """
            A fault is recovered when something later shows it, such as the same request answered \
            with success or the change acknowledged; the report shows what, after how long and \
            after how many tries. It is undecided while the session runs and nothing shows it yet, \
            and where the recording ended while the client rightly waited. Answers of the action \
            answer are not judged. Exits with status 1 if one is not recovered. The verdicts are stored in the trace \
            unless another program writes to it.

            Examples:
              tapedeck faults report app.tape
              tapedeck faults report app.tape --markdown >> $GITHUB_STEP_SUMMARY
            """)

    @Argument(help: "The trace.", completion: .file())
    var trace: String

    @Flag(help: "Print a JSON object.")
    var json = false

    @Flag(help: "Print Markdown, as for the summary of a job.")
    var markdown = false

    @Option(
        help: ArgumentHelp(
            "Write the verdicts as JUnit XML to this file, or to standard output with -.",
            valueName: "FILE|-"), completion: .file())
    var junit: String?

    @Option(help: ArgumentHelp("Judge this session only.", valueName: "N"))
    var session: Int64?

    func run() throws {
        guard [json, markdown, junit == "-"].count(where: { $0 }) <= 1 else {
            throw Failure(.usage, "--json, --markdown and --junit - exclude each other")
        }
        let judgement = try FaultJudgement.shown(
            trace: trace, session: session.map { SessionID($0) })
        if let reason = judgement.unstored {
            StandardError.write("tapedeck: the verdicts are not stored: \(reason)\n")
        }
        if let junit {
            try JUnitFile.write(FaultsReportText.junit(judgement), to: junit)
        }
        if json {
            StandardOutput.write(FaultsReportText.json(judgement))
        } else if markdown {
            StandardOutput.write(FaultsReportMarkdown.text(judgement, trace: trace))
        } else if junit != "-" {
            StandardOutput.write(FaultsReportText.table(judgement))
        }
        if judgement.sessions.allSatisfy(\.faults.isEmpty) {
            StandardError.write("tapedeck: nothing was judged: no fault was injected in \(trace)\n")
        }
        let undecided = judgement.count(.undecided)
        if undecided > 0 {
            let reason =
                judgement.isRunning
                ? "the session is still running; run the report again when it has ended"
                : "the recording ended before the client had to act; record for longer"
            StandardError.write("tapedeck: \(undecided) undecided: \(reason)\n")
        }
        let lost = judgement.count(.notRecovered)
        if lost > 0 {
            throw Failure(
                .failed,
                "the client did not recover from \(lost) fault\(lost == 1 ? "" : "s") in \(trace)")
        }
    }
}
