import ArgumentParser
import Diagnosis
import Foundation
import Sessions
import Trace
import Wire

/// `tapedeck diagnose`.
struct DiagnoseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnose",
        abstract: "Report which rule a client or server broke, where, and what was expected.",
        discussion: """
            Reads the sessions of a trace and prints a paragraph for each broken rule: what \
            happened, the rows that show it, what was expected, the source and the likely cause. \
            What Tapedeck did to the traffic itself is never a finding, and what was not captured \
            yields none. Exits with status 1 if there is a finding of the severity of --fail-on, \
            and with 65 if nothing was recorded that could be diagnosed. The findings are stored in the trace unless another program writes to it.

            Examples:
              tapedeck diagnose app.tape
              tapedeck diagnose app.tape --junit findings.xml --markdown >> $GITHUB_STEP_SUMMARY
              tapedeck diagnose --explain commcare.retry.at-once
            """)

    @Argument(help: "The trace.", completion: .file())
    var trace: String?

    @Flag(help: "Print a JSON object per line.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Write JUnit XML, a test case per rule, to this file, or to standard output with -.",
            valueName: "FILE|-"), completion: .file())
    var junit: String?

    @Option(
        help: ArgumentHelp(
            "Write SARIF 2.1.0 to this file, or to standard output with -.",
            valueName: "FILE|-"), completion: .file())
    var sarif: String?

    @Option(
        help: ArgumentHelp(
            "Exit with status 1 if there is a finding of this severity or a worse one; with undecided, if there is an error or something could not be decided.",
            valueName: "error|warning|info|undecided|never"))
    var failOn = FailOn.error

    @Option(
        help: ArgumentHelp(
            "Check this rule only, or with NAME* all rules that begin with NAME; may be repeated.",
            valueName: "RULE"), completion: .custom { _, _, prefix in Completion.rules(prefix) })
    var rule: [String] = []

    @Option(
        help: ArgumentHelp(
            "Omit this rule, or with NAME* all rules that begin with NAME; may be repeated.",
            valueName: "RULE"), completion: .custom { _, _, prefix in Completion.rules(prefix) })
    var ignore: [String] = []

    @Option(help: ArgumentHelp("Check the rules of one side only.", valueName: "client|server"))
    var blame: Side?

    @Option(
        help: ArgumentHelp("Omit the findings listed in this file.", valueName: "FILE"),
        completion: .file())
    var baseline: String?

    @Option(
        help: ArgumentHelp(
            "Write the findings to this file, as a baseline for later.", valueName: "FILE"),
        completion: .file())
    var writeBaseline: String?

    @Option(help: ArgumentHelp("Diagnose this session only.", valueName: "N"))
    var session: Int64?

    @Option(
        help: ArgumentHelp(
            "The time after which each duty counts as not done, such as 30s, in place of the deadlines of the rules.",
            valueName: "duration"))
    var patience: TimeSpan?

    @OptionGroup var times: TimeOption

    @OptionGroup var paging: PagerOption

    @Option(
        help: ArgumentHelp("Explain a rule; takes no trace.", valueName: "RULE"),
        completion: .custom { _, _, prefix in Completion.rules(prefix) })
    var explain: String?

    @Flag(help: "List the rules; takes no trace.")
    var listRules = false

    @Flag(help: "Print Markdown, as for the summary of a job; with --list-rules, of the rules.")
    var markdown = false

    func run() throws {
        if let explain {
            let rule = try RuleChoice.rule(explain)
            StandardOutput.write(json ? RulePage.json(rule) + "\n" : RulePage.text(rule))
            return
        }
        let choice = try RuleChoice(wanted: rule, ignored: ignore, blamed: blame?.peer)
        if listRules { return StandardOutput.write(list(choice.rules)) }
        guard let trace else { throw Failure(.usage, "name the trace to diagnose") }
        guard [json, markdown, junit == "-", sarif == "-"].count(where: { $0 }) <= 1 else {
            throw Failure(.usage, "--json, --markdown, --junit - and --sarif - exclude each other")
        }
        let known = try baseline.map { path throws(Failure) in try FindingBaseline(path: path) }
        let diagnosis = try TraceDiagnosis.shown(
            trace: trace, session: session.map { SessionID($0) }, patience: patience)
        if let reason = diagnosis.unstored {
            StandardError.write("tapedeck: the findings are not stored: \(reason)\n")
        }
        let report = DiagnosisReport(diagnosis, choice: choice, known: known)
        if let writeBaseline {
            try JUnitFile.write(FindingBaseline.text(report.all), to: writeBaseline)
        }
        if let junit {
            let fails = failOn.includes
            try JUnitFile.write(
                FindingJUnit.text(
                    report.sessions, undecided: report.undecided, counts: report.counts,
                    seeds: report.seeds, rules: choice.rules, fails: fails), to: junit)
        }
        if let sarif {
            try JUnitFile.write(
                FindingSARIF.text(
                    report.sessions, undecided: report.undecided, rules: choice.rules,
                    trace: trace), to: sarif)
        }
        if json {
            report.printJSON()
        } else if markdown {
            StandardOutput.write(report.markdown(trace: trace))
        } else if junit != "-", sarif != "-" {
            try print(report, of: trace)
        }
        let failing = report.all.count { failOn.includes($0.severity) }
        if failing > 0 {
            throw Failure(
                .failed,
                "\(failing) finding\(failing == 1 ? "" : "s") of severity \(failOn.words) in \(trace)"
            )
        }
        try failOnUndecided(report, trace)
        if failOn != .never, let nothing = report.nothing {
            throw Failure(.data, "\(trace) has nothing to diagnose: \(nothing)")
        }
    }

    private func print(_ report: DiagnosisReport, of trace: String) throws(Failure) {
        var column = TimeColumn(times.time)
        if times.time != .relative {
            let reader = try TraceReader.opened(trace)
            column.learn(
                try reader.reading { reader throws(TraceError) in try reader.sessions() })
        }
        paging.begin()
        report.printText(times.time, column)
    }

    /// What makes the diagnosis fail that is no finding.
    private func failOnUndecided(_ report: DiagnosisReport, _ trace: String) throws {
        let count = report.allUndecided.count
        guard failOn == .undecided, count > 0 else { return }
        throw Failure(
            .failed,
            "\(count) \(count == 1 ? "duty" : "duties") could not be decided in \(trace), which ended too early"
        )
    }

    private func list(_ rules: [Rule]) -> String {
        if markdown { return RulePage.markdown(rules) }
        return json ? rules.map { RulePage.json($0) + "\n" }.joined() : RulePage.list(rules)
    }
}

/// The least severity that makes a diagnosis fail.
enum FailOn: String, ExpressibleByArgument, CaseIterable {
    case error, warning, info, undecided, never

    /// Whether a finding of this severity makes it fail.
    func includes(_ severity: FindingRow.Severity) -> Bool {
        switch self {
        case .error, .undecided: severity == .error
        case .warning: severity != .info
        case .info: true
        case .never: false
        }
    }

    /// What makes a diagnosis fail, in words; empty where nothing does.
    func failures(findings: [FindingRow.Severity], undecided: Int) -> [String] {
        let failing = findings.count { includes($0) }
        var all: [String] = []
        if failing > 0 {
            all.append("\(Summary.count(Int64(failing), "finding")) of severity \(words)")
        }
        if self == .undecided, undecided > 0 {
            all.append(
                "\(undecided) \(undecided == 1 ? "duty" : "duties") could not be decided")
        }
        return all
    }

    /// `warning or worse`.
    var words: String {
        self == .error || self == .undecided ? "error" : "\(rawValue) or worse"
    }
}
