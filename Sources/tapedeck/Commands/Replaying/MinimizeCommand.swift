import ArgumentParser
import Foundation
import Notation
import Sessions
import Trace

/// `tapedeck minimize`.
struct MinimizeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "minimize",
        abstract: "Find the shortest recording that still makes a check fail.",
        discussion: """
            The check is a shell command. It fails if it exits with a status other than 0, and a \
            shorter recording counts if the status is the same as with the whole one. \
            Connections are left out first, then channels, exchanges and WebSocket messages, \
            until nothing else can be left out. Ended early, the shortest one so far is written.

            Example: tapedeck minimize app.tape --check 'tapedeck diagnose {}'
            """)

    @Argument(help: "The trace.", completion: .file())
    var trace: String

    @Option(
        help: """
            The command; {} in it, and TAPEDECK_TRACE in its environment, is the trace to check.
            """)
    var check: String

    @Option(
        help: ArgumentHelp(
            "The trace to write; it must not exist (default: TRACE with .minimal before its ending).",
            valueName: "file"), completion: .file())
    var output: String?

    @Option(help: ArgumentHelp("Seconds after which a check is ended.", valueName: "seconds"))
    var patience = 60.0

    @Option(help: ArgumentHelp("Run the check at most this many times.", valueName: "count"))
    var maxChecks = 10_000

    @Flag(help: "Print the outcome as one JSON object.")
    var json = false

    func validate() throws {
        guard patience > 0, patience < 1e6 else {
            throw ValidationError("--patience is a number of seconds above 0")
        }
        guard maxChecks > 1 else { throw ValidationError("--max-checks is at least 2") }
    }

    func run() async throws {
        let target = output ?? Self.minimal(trace)
        guard !FileManager.default.fileExists(atPath: target) else {
            throw Failure(.noInput, "\(target) exists already: name another with --output")
        }
        let line = ProgressLine("minimizing")
        defer { line.end() }
        let outcome: Minimization.Outcome
        do {
            let folder = try TraceFiles.makeFolder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let check = TraceCheck(command: check, patience: patience)
            var search = try Minimization(
                of: trace, in: folder, maximumChecks: maxChecks, check: check.run,
                progress: line.show)
            outcome = try search.run(to: target)
        } catch let error as FileError {
            throw Failure(error)
        } catch let error as MinimizationError {
            throw Failure(error.isCommand ? .usage : .failed, error.reason)
        }
        line.end()
        StandardOutput.write(json ? Self.json(outcome, target) : Self.text(outcome, target))
    }

    /// `session.tape` as `session.minimal.tape`.
    static func minimal(_ trace: String) -> String {
        let url = URL(fileURLWithPath: trace)
        guard !url.pathExtension.isEmpty else { return trace + ".minimal" }
        return String(trace.dropLast(url.pathExtension.count)) + "minimal." + url.pathExtension
    }

    private static func text(_ outcome: Minimization.Outcome, _ target: String) -> String {
        let left = outcome.counts.map { "\($0.left) of \($0.of) \($0.kind)" }
        let end = outcome.isStopped ? "; ended early, it may not be the shortest" : ""
        return left.joined(separator: ", ") + " after \(outcome.checks) checks\(end)\n"
            + "trace: \(target)\n"
    }

    private static func json(_ outcome: Minimization.Outcome, _ target: String) -> String {
        var object = JSONObjectText()
        for (kind, left, all) in outcome.counts {
            var count = JSONObjectText()
            count.add("left", Int64(left))
            count.add("of", Int64(all))
            object.add(kind, raw: count.text)
        }
        object.add("checks", Int64(outcome.checks))
        object.add("stopped", raw: outcome.isStopped ? "true" : "false")
        object.add("trace", target)
        return object.text + "\n"
    }
}
