import ArgumentParser
import Interchange

/// `tapedeck export`.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Keep a trace as text: a folder with lines of JSON.",
        discussion: """
            The same trace gives the same files, so that a change shows in a diff, and \
            `tapedeck import` gives the same trace back. Recorded traffic is secret: look at it \
            before you show it to anybody.
            """)

    @Argument(help: "The trace.")
    var trace: String

    @Argument(help: "The folder: not there yet, or empty.")
    var folder: String

    @Option(help: "Say where the recording comes from and what it shows.")
    var about: String?

    @Flag(help: "Replace the recording that is in the folder; other files there stay.")
    var replace = false

    func run() async throws {
        let line = ProgressLine("exporting")
        defer { line.end() }
        do {
            try RecordingExport.run(
                from: trace, to: folder, about: about, replaces: replace, progress: line.show)
        } catch {
            throw Failure(error)
        }
    }
}

extension Failure {
    init(_ error: InterchangeError) {
        let status: Status =
            switch error.code {
            case .cannotOpen: .noInput
            case .malformed, .newerFormat: .data
            case .busy: .temporary
            case .storage: .io
            case .stopped: .failed
            }
        self.init(status, error.reason)
    }
}
