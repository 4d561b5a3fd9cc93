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
        do {
            try Rebuild.run(path: trace) { share in
                guard StandardError.isTerminal else { return }
                StandardError.write("\rrebuilding: \(Int(share * 100)) %")
            }
        } catch {
            throw Failure(error)
        }
        if StandardError.isTerminal { StandardError.write("\n") }
    }
}
