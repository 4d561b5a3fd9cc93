import ArgumentParser
import Certification
import Diagnosis
import Foundation
import Notation
import Reports
import Reproduction

/// `tapedeck retest`.
struct RetestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retest",
        abstract: "Test a client with a reproduction of a finding.",
        discussion: """
            Plays the server of the folder's recording to COMMAND, which finds the addresses and \
            the steps in its environment (TAPEDECK_URL, TAPEDECK_SCRIPT and the others of \
            certify). Exits with status 0 if what leads to the bug happened and the rule held, \
            with 1 if the client broke it again, never got that far, or it could not be decided, \
            and with 69 if the client never connected.

            Example: tapedeck retest tests/lost-edit -- ./my-client
            """)

    @Argument(help: "The folder that reproduce wrote.", completion: .file())
    var folder: String

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp(
            "The client under test, or a program that drives it.", valueName: "command"))
    var command: [String] = []

    @Flag(help: "Test the built-in client.")
    var builtin = false

    @Option(
        help: ArgumentHelp(
            "The time after which each duty counts as not done, in place of the deadlines of the rules.",
            valueName: "duration"))
    var patience: TimeSpan?

    @Option(
        help: ArgumentHelp(
            "Folder for the trace and the client's output (default: retest in FOLDER).",
            valueName: "dir"), completion: .directory)
    var output: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Address for the client; port 0 takes a free port.", valueName: "host:port"))
    var listen = ListenAddress(host: "127.0.0.1", port: 0)

    @Option(
        help: ArgumentHelp(
            "Write the result as JUnit XML to this file, or to standard output with -.",
            valueName: "FILE|-"), completion: .file())
    var junit: String?

    @Flag(help: "Print the result as one JSON object.")
    var json = false

    @OptionGroup var authority: AuthorityOptions

    func validate() throws {
        guard builtin != !command.isEmpty else {
            throw ValidationError("give the client after --, or --builtin")
        }
        guard !(json && junit == "-") else {
            throw ValidationError("--json and --junit - exclude each other")
        }
    }

    func run() async throws {
        let path = "\(folder)/\(Reproduction.file)"
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(.noInput, "\(path) cannot be read; name a folder that reproduce wrote")
        }
        let reproduction: Reproduction
        do throws(Reproduction.Mistake) {
            reproduction = try Reproduction(parsing: String(decoding: data, as: UTF8.self))
        } catch {
            throw Failure(.data, "\(path): \(error.reason)")
        }
        if let program = command.first, ClientProcess.path(of: program) == nil {
            throw Failure(.usage, "there is no program \(program); check the name after --")
        }
        let player = try RetestPlayer(authority: authority, host: listen.host, port: listen.port)
        let line = ProgressLine("testing")
        let result = try await player.play(
            reproduction, in: folder, output: output ?? "\(folder)/retest",
            command: builtin ? RetestPlayer.builtIn : command,
            patienceSeconds: patience.map { Double($0.nanoseconds) / 1e9 }
        ) { _ = line.show("\(Int($0)) of at most \(Int(reproduction.limitSeconds)) s") }
        line.end()
        try tell(result)
    }

    private func tell(_ result: RetestResult) throws(Failure) {
        if let junit { try JUnitFile.write(result.junit, to: junit) }
        if json {
            StandardOutput.write(result.json)
        } else if junit != "-" {
            StandardOutput.write(result.text)
        }
        switch result.verdict {
        case .held: return
        case .unreachable: throw Failure(.unavailable, result.summary)
        case .broken, .notReached, .undecided, .endDiffers:
            throw Failure(.failed, result.summary)
        }
    }
}

extension RetestResult {
    /// The result for a reader: the findings in full, then the verdict.
    fileprivate var text: String {
        var text = ""
        for finding in findings { text += FindingText.paragraph(finding) + "\n" }
        if !otherRules.isEmpty {
            text += "other rules that the client broke: \(otherRules.joined(separator: ", "))\n"
        }
        return text + "\(verdict.rawValue): \(summary)\ntrace: \(trace)\n"
    }

    fileprivate var json: String {
        var object = JSONObjectText()
        object.add("rule", reproduction.rule)
        object.add("verdict", verdict.rawValue)
        object.add("message", summary)
        object.add("client", ending)
        object.add("trace", trace)
        object.add("findings", Int64(findings.count))
        object.add(
            "other_rules",
            raw: "[" + otherRules.map { JSONString.quoted($0) }.joined(separator: ",") + "]")
        return object.text + "\n"
    }

    fileprivate var junit: String {
        let outcome: JUnitReport.Outcome =
            verdict == .held
            ? .passed(output: summary)
            : .failed(
                message: summary, type: verdict.rawValue,
                detail: findings.map(\.detail).joined(separator: "\n"))
        return JUnitReport(
            suites: [
                .init(
                    name: reproduction.suite.rawValue, seconds: seconds,
                    cases: [
                        .init(
                            group: reproduction.suite.rawValue, name: reproduction.rule, outcome,
                            properties: [("rule", reproduction.rule)])
                    ])
            ]
        ).text
    }
}
