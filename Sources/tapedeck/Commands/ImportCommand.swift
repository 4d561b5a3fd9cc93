import ArgumentParser
import Interchange

/// `tapedeck import`.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make a trace of a recording that was kept as text.",
        discussion: """
            What was recorded is in the new trace as it was, numbers included; what decoding makes \
            of it is built anew. A mistake in the recording ends with its file and line.
            """)

    @Argument(help: "The folder with the recording.")
    var file: String

    @Argument(help: "The trace to make; it must not be there.")
    var trace: String

    func run() async throws {
        let line = ProgressLine("importing")
        defer { line.end() }
        do {
            switch try ImportFormat(of: file) {
            case .textRecording:
                try RecordingImport.run(from: file, to: trace, progress: line.show)
            }
        } catch {
            throw Failure(error)
        }
    }
}
