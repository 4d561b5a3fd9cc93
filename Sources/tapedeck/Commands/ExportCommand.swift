import ArgumentParser
import Dissection
import Filters
import Formats
import Foundation
import Redaction
import Trace
import Wire

/// `tapedeck export`.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a trace in the formats of other tools, or as text.",
        discussion: """
            The format follows from the file extension: .har, .pcapng, .sh (curl commands), \
            .csv, .jsonl, .html (a report for a browser, without secrets); .tape is a trace, with \
            --redact, and a folder gets the recording as text. Recorded traffic is secret: --redact replaces secrets by placeholders, and \
            --check-secrets refuses to write what still looks like one.

            Example: tapedeck export app.tape app.har
            """)

    @Argument(help: "The trace.", completion: .file())
    var trace: String

    @Argument(
        help:
            "The file, which must not exist, or a folder, missing or empty; - is standard output. Not with --otlp.",
        completion: .file())
    var file: String?

    @Argument(help: "Which exchanges and commands, in the filter language (default: all).")
    var filter: [String] = []

    @Option(
        help: ArgumentHelp(
            "The format, if the file extension does not determine it.",
            valueName: "har|pcapng|curl|text|csv|jsonl|html|tape"))
    var format: OutputFormat?

    @Option(help: "With csv and jsonl: which rows.")
    var rows = ExportedRows.lines

    @Flag(help: "With csv and jsonl: bodies and payloads as well.")
    var bodies = false

    @Flag(help: "With csv: leave cells that a spreadsheet treats as formulas as they are.")
    var rawCells = false

    @Flag(help: "With pcapng: synthesize packets also where they were kept.")
    var synthesize = false

    @Flag(help: "Replace secrets by placeholders, the same for the same secret.")
    var redact = false

    @Option(
        help: ArgumentHelp(
            "Send exchanges as spans and findings as log records to this OpenTelemetry collector, such as http://127.0.0.1:4318, without secrets.",
            valueName: "url"))
    var otlp: String?

    @Flag(help: "With html and --otlp: leave secrets as they are.")
    var secrets = false

    @Option(
        help: ArgumentHelp(
            "With --redact: what this regular expression matches is a secret; may be repeated.",
            valueName: "regex"))
    var redactPattern: [String] = []

    @Option(
        help: ArgumentHelp(
            "With --redact: the value of this name in forms, JSON, queries or cases is a secret; may be repeated.",
            valueName: "name"))
    var redactName: [String] = []

    @Flag(help: "Refuse to write what still looks like a secret.")
    var checkSecrets = false

    @Option(help: "With text: note where the recording comes from and what it shows.")
    var about: String?

    @Flag(help: "With text: replace the recording in the folder; other files in it stay.")
    var replace = false

    func run() async throws {
        guard otlp == nil else { return try sendTelemetry() }
        guard let file else {
            throw Failure(.usage, "name the file to write after \(trace), or --otlp URL")
        }
        let format = try chosen(for: file)
        let filter = try parsedFilter(self.filter)
        if filter != nil, format == .text || format == .tape {
            throw Failure(
                .usage,
                "a filter goes with har, pcapng, curl, csv, jsonl and html; this format takes the whole trace"
            )
        }
        let options = RedactionOptions(patterns: redactPattern, names: redactName)
        let redact = redact || format == .html && !secrets
        guard format == .html || !secrets else {
            throw Failure(
                .usage, "--secrets goes with html; other formats have them without --redact")
        }
        guard redact || redactPattern.isEmpty && redactName.isEmpty else {
            throw Failure(.usage, "--redact-pattern and --redact-name go with --redact")
        }
        let line = ProgressLine("exporting")
        defer { line.end() }
        do {
            guard redact else {
                if format == .tape {
                    throw Failure(
                        .usage, "a trace is written only with --redact; copy \(trace) otherwise")
                }
                try check(trace, options, line)
                return try write(trace, to: file, format, filter, line)
            }
            let folder = try TraceFiles.makeFolder()
            let redacted = folder + "/redacted.tape"
            defer {
                TraceFiles.remove(redacted)
                TraceFiles.removeFolder(folder)
            }
            let target = format == .tape && !checkSecrets ? file : redacted
            let outcome = try Redaction(options: options).write(
                from: trace, to: target, progress: line.show)
            line.end()
            say(
                Summary.count(Int64(outcome.secrets), "secret") + " replaced in "
                    + Summary.count(Int64(outcome.connections), "connection"))
            try check(target, options, line)
            if format == .tape {
                if target != file { try TraceFiles.copy(target, to: file) }
                return
            }
            try write(redacted, to: file, format, filter, line)
        } catch let error as FileError {
            throw Failure(error)
        }
    }

    private func chosen(for file: String) throws(Failure) -> OutputFormat {
        if let format { return format }
        if file.hasSuffix(".tape") { return .tape }
        if file.hasSuffix(".html") { return .html }
        guard let found = ExportFormat(path: file) else {
            throw Failure(
                .usage,
                "the extension of \(file) is no known format; give --format har, pcapng, curl, text, csv, jsonl or html"
            )
        }
        return OutputFormat(found)
    }

    func parsedFilter(_ filter: [String]) throws(Failure) -> Filter? {
        guard !filter.isEmpty else { return nil }
        let text = filter.joined(separator: " ")
        do {
            return try Filter.parse(text)
        } catch {
            throw Failure(error, in: text)
        }
    }

    /// Ends with a list where something looks like a secret.
    private func check(
        _ trace: String, _ options: RedactionOptions, _ line: ProgressLine
    ) throws {
        guard checkSecrets else { return }
        let found = try SecretScan.run(trace, options: options, progress: line.show)
        line.end()
        guard !found.isEmpty else { return }
        for sighting in found { say(sighting.description) }
        throw Failure(
            .failed,
            "nothing was written: "
                + (found.count == 1
                    ? "one thing looks like a secret; "
                    : "\(found.count) things look like secrets; ")
                + (redact ? "--redact-pattern REGEX replaces them" : "--redact replaces them"))
    }

    private func write(
        _ trace: String, to file: String, _ format: OutputFormat, _ filter: Filter?,
        _ line: ProgressLine
    ) throws {
        let goesOn = { line.show("") }
        switch format {
        case .tape: break
        case .html: try writeReport(of: trace, to: file, filter, while: goesOn)
        case .text:
            try RecordingExport.run(
                from: trace, to: file, about: about, replaces: replace, progress: line.show)
        case .har:
            let chosen = try filter.map { try exchanges(of: trace, $0) }
            let outcome = try HARExport.run(
                from: trace, to: file, version: Program.version,
                including: chosen.map { chosen in { chosen.contains($0) } }, progress: line.show)
            line.end()
            if outcome.leftOut > 0 {
                say("\(outcome.leftOut) exchanges are incomplete and left out")
            }
        case .pcapng:
            let chosen = try filter.map {
                try PacketExport.connections(fitting: $0, in: trace)
            }
            let export = PacketExport(
                connections: chosen, makesAllUp: synthesize,
                application: "tapedeck \(Program.version)")
            try export.run(from: trace, to: file, progress: line.show)
        case .curl: try CurlScript(filter: filter).run(from: trace, to: file, while: goesOn)
        case .csv, .jsonl:
            let export = RowExport(
                format == .csv ? .csv : .jsonLines, rows: rows.option, filter: filter,
                hasBodies: bodies,
                hasRawCells: rawCells)
            try export.run(from: trace, to: file, while: goesOn)
        }
    }

    private func writeReport(
        of trace: String, to file: String, _ filter: Filter?, while goesOn: () -> Bool
    ) throws {
        let report = ReportExport(
            trace: trace, name: URL(fileURLWithPath: self.trace).lastPathComponent, filter: filter,
            words: self.filter.joined(separator: " "), isRedacted: trace != self.trace)
        let (html, outcome) = try report.make(while: goesOn)
        let written = try NewFile(for: file)
        try written.write(html)
        try written.publish()
        let left = outcome.leftOut.isEmpty ? "" : "; \(outcome.leftOut)"
        say(
            "\(Summary.count(Int64(outcome.rows), "row")), \(ByteCount.text(Int64(html.count)))\(left)"
        )
    }

    /// The exchanges that fit a filter, and those that opened the sockets of commands that do.
    private func exchanges(of trace: String, _ filter: Filter) throws -> Set<ExchangeID> {
        var exchanges: Set<ExchangeID> = []
        let sockets = try Filter.parse("status:101")
        try TraceReader.opened(trace).reading { reader throws(TraceError) in
            var speaking: Set<ConnectionID> = []
            try reader.lines(filter, with: ListedMessages(for: filter)) { line in
                switch line {
                case .exchange(_, let row): exchanges.insert(row.id)
                case .message(_, let row): exchanges.insert(row.exchange)
                case .command(_, let row): speaking.insert(row.connection)
                }
                return true
            }
            guard !speaking.isEmpty else { return }
            try reader.lines(sockets) { line in
                if case .exchange(_, let row) = line, speaking.contains(row.connection) {
                    exchanges.insert(row.id)
                }
                return true
            }
        }
        return exchanges
    }

    func say(_ text: String) { StandardError.write("tapedeck: \(text)\n") }
}

/// The format that a trace is written in.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
    case har, pcapng, curl, text, csv, jsonl, html, tape

    init(_ format: ExportFormat) {
        self =
            switch format {
            case .har: .har
            case .pcapng: .pcapng
            case .curl: .curl
            case .text: .text
            case .csv: .csv
            case .jsonLines: .jsonl
            }
    }
}

/// Which rows are written.
enum ExportedRows: String, CaseIterable, ExpressibleByArgument {
    case lines, exchanges, messages, commands, changes

    var option: RowExport.Rows { RowExport.Rows(rawValue: rawValue) ?? .lines }
}

extension Failure {
    init(_ error: FileError) {
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
