import ArgumentParser
import Diagnosis
import Foundation
import Notation
import Reproduction
import Sessions
import Trace

/// `tapedeck reproduce`.
struct ReproduceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reproduce",
        abstract: "Make a test for a client of a finding.",
        discussion: """
            Writes the shortest recording that still shows the finding, redacted, the steps of a \
            person that led to it, and what has to happen so that a client can break the rule \
            again to a folder, which `tapedeck retest` plays to a client. The built-in client is \
            tested first: it has to pass.

            Example: tapedeck reproduce session.tape f1 tests/lost-edit
            """)

    @Argument(help: "The trace.", completion: .file())
    var trace: String

    @Argument(
        help:
            "The number of the finding, or of what could not be decided, as diagnose prints it, such as f1 or u1."
    )
    var finding: NumberedFinding

    @Argument(help: "The folder to write; it must not exist, or be empty.", completion: .file())
    var folder: String

    @Option(
        help: ArgumentHelp(
            "The time after which each duty counts as not done, in place of the deadlines of the rules.",
            valueName: "duration"))
    var patience: TimeSpan?

    @Option(
        help: ArgumentHelp(
            "Diagnose at most this many recordings on the way to the shortest one.",
            valueName: "count"))
    var maxChecks = 2_000

    @Flag(help: "Do not test the built-in client with the result.")
    var noCheck = false

    @Flag(help: "Print the outcome as one JSON object.")
    var json = false

    @OptionGroup var authority: AuthorityOptions

    func validate() throws {
        guard maxChecks > 1 else { throw ValidationError("--max-checks is at least 2") }
    }

    func run() async throws {
        let folder = try empty()
        let line = ProgressLine("reproducing")
        defer {
            line.end()
            // Nothing was made.
            let files = FileManager.default
            if (try? files.contentsOfDirectory(atPath: folder))?.isEmpty == true {
                try? files.removeItem(atPath: folder)
            }
        }
        do {
            let reproducer = try Reproducer(
                finding.number, of: trace, in: folder,
                patienceSeconds: patience.map { Double($0.nanoseconds) / 1e9 })
            let work = try TraceFiles.makeFolder()
            defer { try? FileManager.default.removeItem(atPath: work) }
            var outcome = try reproducer.shorten(
                in: work, maximumChecks: maxChecks, progress: line.show)
            let verdict =
                noCheck ? nil : try await verify(&outcome, reproducer, folder, work, line)
            line.end()
            StandardOutput.write(
                json ? outcome.json(folder, verdict) : outcome.text(folder, verdict))
        } catch let error as FileError {
            throw Failure(error)
        } catch let error as MinimizationError {
            throw Failure(.failed, error.reason)
        } catch let error as ReproductionError {
            throw Failure(.data, error.reason)
        }
    }

    /// The folder, which is there and empty.
    private func empty() throws(Failure) -> String {
        let url = URL(fileURLWithPath: folder)
        let files = FileManager.default
        if let contents = try? files.contentsOfDirectory(atPath: url.path) {
            guard contents.isEmpty else {
                throw Failure(.noInput, "\(folder) is not empty: name another folder")
            }
            return url.path
        }
        do {
            try files.createDirectory(
                at: url, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure(.io, "\(folder) cannot be made: \(error.localizedDescription)")
        }
        return url.path
    }

    /// Tests the built-in client with the steps; where it does not pass, with those without the
    /// breach itself, which may be nothing that a person did.
    private func verify(
        _ outcome: inout Reproducer.Outcome, _ reproducer: Reproducer, _ folder: String,
        _ work: String, _ line: ProgressLine
    ) async throws -> RetestResult {
        let player = try RetestPlayer(authority: authority)
        func play(_ name: String) async throws -> RetestResult {
            var result = try await player.play(
                outcome.reproduction, in: folder, output: "\(work)/\(name)",
                command: RetestPlayer.builtIn
            ) { _ = line.show("testing the built-in client, \(Int($0)) s") }
            if Reproducer.relax(&outcome.reproduction, to: result) {
                result.reproduction = outcome.reproduction
                (result.missing, result.differences) = ([], [])
            }
            return result
        }
        var result = try await play("with-breach")
        if result.verdict != .held {
            let counts = (outcome.counts, outcome.checks, outcome.secrets)
            let first = (outcome, result)
            outcome = try reproducer.write(leavingBreachOut: true)
            (outcome.counts, outcome.checks, outcome.secrets) = counts
            result = try await play("without-breach")
            if result.verdict != .held {
                (outcome, result) = first
                _ = try reproducer.write(leavingBreachOut: false)
            }
        }
        outcome.reproduction.isVerified = result.verdict == .held
        try reproducer.write(outcome.reproduction)
        return result
    }
}

/// A finding, named by the number that `diagnose` prints.
struct NumberedFinding: ExpressibleByArgument {
    /// The number.
    let number: FindingNumber

    init?(argument: String) {
        guard let number = FindingNumber(argument) else { return nil }
        self.number = number
    }
}

extension Reproducer.Outcome {
    fileprivate func text(_ folder: String, _ verdict: RetestResult?) -> String {
        let left = counts.map { "\($0.left) of \($0.of) \($0.kind)" }.joined(separator: ", ")
        var lines = [
            "\(reproduction.rule): \(reproduction.detail)",
            "recording: \(left) after \(checks) checks; "
                + "\(secrets) secret\(secrets == 1 ? "" : "s") replaced",
        ]
        if unexplained > 0 {
            lines.append(
                "\(unexplained) edit\(unexplained == 1 ? "" : "s") of the client could not be made a step"
            )
        }
        if let verdict { lines.append("the built-in client: \(verdict.summary)") }
        lines.append("test a client with: tapedeck retest \(ShellWord.quoted(folder)) -- CLIENT")
        return lines.map { ListLine.clean($0) + "\n" }.joined()
    }

    fileprivate func json(_ folder: String, _ verdict: RetestResult?) -> String {
        var object = JSONObjectText()
        object.add("folder", folder)
        object.add("rule", reproduction.rule)
        object.add("fingerprint", reproduction.fingerprint)
        object.add("ordinal", Int64(reproduction.ordinal))
        for (kind, left, all) in counts {
            var count = JSONObjectText()
            count.add("left", Int64(left))
            count.add("of", Int64(all))
            object.add(kind, raw: count.text)
        }
        object.add("checks", Int64(checks))
        object.add("secrets", Int64(secrets))
        object.add("unexplained", Int64(unexplained))
        if let verdict { object.add("built_in", verdict.verdict.rawValue) }
        return object.text + "\n"
    }
}
