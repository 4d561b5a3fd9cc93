import ArgumentParser
import Trace

/// `tapedeck rebuild`.
struct RebuildCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild",
        abstract: "Drop all that is derived from a trace's bytes and build it again.",
        discussion: """
            The same bytes give the same rows; a newer version may decode more of them.

            Example: tapedeck rebuild app.tape
            """)

    @Argument(help: "The trace.", completion: .file())
    var trace: String

    func run() throws {
        var bar = ProgressBar()
        defer { bar.clear() }
        do {
            try Rebuild.run(path: trace) { share in
                bar.show(done: Int(share * 1_000), of: 1_000, "rebuilding")
            }
        } catch {
            throw Failure(error)
        }
    }
}
