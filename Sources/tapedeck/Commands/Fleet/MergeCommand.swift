import ArgumentParser
import Trace

/// `tapedeck merge`.
struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Write one trace with all rows of several.",
        discussion: """
            The rows of each trace follow those of the one before, under higher numbers: sessions, \
            connections, bytes, faults with their verdicts, findings, gaps and marks. Sessions stay \
            apart. Decoded rows are built anew. The traces are only read.

            Example: tapedeck merge phone.tape tablet.tape both.tape
            """)

    @Argument(
        help: "The traces, and last the one to write, which must not exist.",
        completion: .file())
    var traces: [String]

    func validate() throws {
        guard traces.count > 2 else {
            throw ValidationError("name two traces or more, and last the one to write")
        }
    }

    func run() throws {
        guard let target = traces.last else { return }
        let sources = Array(traces.dropLast())
        var bar = ProgressBar()
        defer { bar.clear() }
        let outcome: TraceMerge.Outcome
        do {
            outcome = try TraceMerge.write(sources, to: target) { share in
                bar.show(done: Int(share * 1_000), of: 1_000, "merging")
            }
        } catch {
            throw Failure(error)
        }
        bar.clear()
        let counts = [
            Summary.count(Int64(sources.count), "trace"),
            Summary.count(outcome.sessions, "session"),
            Summary.count(outcome.connections, "connection"),
            Summary.count(outcome.exchanges, "exchange"),
        ]
        StandardOutput.write(counts.joined(separator: ", ") + "\ntrace: \(target)\n")
    }
}
