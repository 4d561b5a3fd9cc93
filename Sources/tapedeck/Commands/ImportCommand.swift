import ArgumentParser
import Formats
import Foundation
import Trace

/// `tapedeck import`.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Convert a capture of another tool, or a recording kept as text, to a trace.",
        discussion: """
            Takes pcap and pcapng files, HTTP archives (HAR), flows of mitmproxy and folders of \
            text; the content decides, not the name. The trace is decoded like live traffic. A \
            mistake in the file is reported with its place.

            Example: tapedeck import app.har app.tape
            """)

    @Argument(help: "The file, or the folder with the recording.", completion: .file())
    var file: String

    @Argument(help: "The trace to write; it must not exist.", completion: .file())
    var trace: String

    @Option(
        help: ArgumentHelp(
            "Decrypt TLS in packets with the secrets in this file (SSLKEYLOGFILE); may be repeated.",
            valueName: "file"), completion: .file())
    var keylog: [String] = []

    @Flag(help: "Keep the packets as well, to export them as they were.")
    var keepPackets = false

    @Flag(help: "Print what was read as a JSON object.")
    var json = false

    func run() async throws {
        let line = ProgressLine("importing")
        defer { line.end() }
        do {
            let format = try ImportFormat(of: file)
            if format != .capture, !keylog.isEmpty || keepPackets {
                throw Failure(
                    .usage, "--keylog and --keep-packets go with packet files; \(file) is not one")
            }
            let summary = try read(format, line)
            line.end()
            StandardOutput.write(json ? summary.json + "\n" : summary.text)
            if let problem = summary.problem { throw Failure(.data, problem) }
        } catch let error as FileError {
            throw Failure(error)
        }
    }

    private func read(_ format: ImportFormat, _ line: ProgressLine) throws -> ImportSummary {
        let arguments = CommandLine.arguments.dropFirst().joined(separator: " ")
        switch format {
        case .textRecording:
            let outcome = try RecordingImport.run(from: file, to: trace, progress: line.show)
            return ImportSummary(outcome, trace: trace)
        case .capture:
            var options = CaptureImport.Options(version: Program.version, arguments: arguments)
            options.secrets = try keylog.map { ($0, try Self.contents(of: $0)) }
            options.keepsPackets = keepPackets
            let outcome = try CaptureImport.run(
                from: file, to: trace, options, progress: line.show)
            return ImportSummary(outcome, trace: trace)
        case .har:
            let outcome = try HARImport.run(
                from: file, to: trace, version: Program.version, arguments: arguments,
                progress: line.show)
            return ImportSummary(outcome, trace: trace)
        case .mitmproxy:
            let outcome = try MitmproxyImport.run(
                from: file, to: trace, version: Program.version, arguments: arguments,
                progress: line.show)
            return ImportSummary(outcome, trace: trace)
        }
    }

    /// The secrets of a key log.
    static func contents(of path: String) throws(Failure) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(.noInput, "--keylog \(path) cannot be read; check the name")
        }
        return Array(data)
    }
}
