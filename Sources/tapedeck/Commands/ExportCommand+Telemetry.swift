import Filters
import Fleet
import Foundation
import Redaction
import Trace

/// Sends a trace to a collector of OpenTelemetry.
extension ExportCommand {
    /// The variable in which programs of OpenTelemetry find fields of their requests.
    private static let headers = "OTEL_EXPORTER_OTLP_HEADERS"

    /// Sends exchanges and findings, of a redacted copy unless secrets are asked for.
    func sendTelemetry() throws {
        guard let otlp else { return }
        guard format == nil else { throw Failure(.usage, "--format goes with a file, not --otlp") }
        guard !secrets || !redact && redactPattern.isEmpty && redactName.isEmpty else {
            throw Failure(.usage, "--secrets and --redact exclude each other")
        }
        let words = ([file].compactMap { $0 }) + filter
        let filter = try parsedFilter(words)
        let line = ProgressLine("sending")
        defer { line.end() }
        do {
            let export = try TelemetryExport(
                to: otlp, headers: ProcessInfo.processInfo.environment[Self.headers] ?? "",
                of: trace, program: Program.version)
            guard !secrets else { return report(try export.send(trace: trace, filter), line) }
            let folder = try TraceFiles.makeFolder()
            let redacted = folder + "/redacted.tape"
            defer {
                TraceFiles.remove(redacted)
                TraceFiles.removeFolder(folder)
            }
            let options = RedactionOptions(patterns: redactPattern, names: redactName)
            try Redaction(options: options).write(
                from: trace, to: redacted, progress: line.show)
            report(try export.send(trace: redacted, filter), line)
        } catch let error as FleetError {
            throw Failure(error)
        } catch let error as FileError {
            throw Failure(error)
        } catch let error as TraceError {
            throw Failure(error)
        }
    }

    private func report(_ outcome: TelemetryExport.Outcome, _ line: ProgressLine) {
        line.end()
        say(
            Summary.count(Int64(outcome.spans), "span") + " and "
                + Summary.count(Int64(outcome.records), "log record") + " sent to \(otlp ?? "")")
        if outcome.refused > 0 { say("the collector refused \(outcome.refused) of them") }
    }
}
