import ArgumentParser
import Diagnosis
import Dissection
import Formats
import Sessions
import Trace
import Wire

/// The row that `show` prints.
enum Shown: ExpressibleByArgument {
    case exchange(ExchangeID)
    case message(MessageID)
    case command(CommandID)
    case connection(ConnectionID)
    case finding(FindingNumber)

    /// `12` or `#12` for an exchange, `m12` for a message, `c12` for a command, `k12` for a
    /// connection, `f12` for a finding, `u12` for what could not be decided.
    init?(argument: String) {
        if let number = FindingNumber(argument) {
            self = .finding(number)
            return
        }
        let digits = argument.drop { !$0.isNumber }
        guard let number = Int64(digits), number > 0 else { return nil }
        switch argument.dropLast(digits.count) {
        case "", "#": self = .exchange(ExchangeID(number))
        case "m": self = .message(MessageID(number))
        case "c": self = .command(CommandID(number))
        case "k": self = .connection(ConnectionID(number))
        default: return nil
        }
    }
}

/// `tapedeck show`.
struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one exchange, message, command, connection or finding of a trace.",
        discussion: """
            An exchange is named by its number, a WebSocket message as m12, a Simperium command as \
            c12, a connection as k12, a finding as f12, what could not be decided as u12.

            Examples:
              tapedeck show app.tape 12
              tapedeck show app.tape 12 --curl
            """)

    @Argument(help: "The trace.", completion: .file())
    var trace: String

    @Argument(
        help:
            "12 for an exchange, m12 for a message, c12 for a command, k12 for a connection, f12 for a finding, u12 for what could not be decided.",
        completion: .custom { words, _, prefix in Completion.rows(words, prefix) }
    )
    var id: Shown

    @Flag(help: "Write the bytes as they were sent: the request's, then the response's.")
    var raw = false

    @Option(
        help: ArgumentHelp(
            "With --raw: the bytes of one side only.", valueName: "client|server"))
    var side: Side?

    @Flag(help: "Print the curl command that repeats a request.")
    var curl = false

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var times: TimeOption

    @OptionGroup var paging: PagerOption

    func run() throws {
        guard [raw, curl, json].count(where: { $0 }) <= 1 else {
            throw Failure(.usage, "--raw, --curl and --json exclude each other")
        }
        if case .finding(let number) = id { return try show(number) }
        let reader = try TraceReader.opened(trace)
        let times = PageTimes(
            times.time, try reader.reading { reader throws(TraceError) in try reader.sessions() })
        if !raw, !curl, !json { paging.begin() }
        switch id {
        case .finding: break
        case .exchange(let id):
            guard let detail = try reader.reading({ r throws(TraceError) in try r.exchange(id) })
            else { throw missing("exchange \(id)") }
            if raw { return try RawBytes(reader: reader, side: side?.peer).write(detail) }
            if curl { return StandardOutput.write(bytes: try repeating(detail)) }
            if json { return StandardOutput.write(JSONDetail.exchange(detail) + "\n") }
            StandardOutput.write(try ExchangePage(reader: reader, times: times).text(detail))
        case .message(let id):
            guard let detail = try reader.reading({ r throws(TraceError) in try r.message(id) })
            else { throw missing("message \(id)") }
            if curl { throw Failure(.usage, "--curl repeats an exchange; a message has none") }
            if raw { return StandardOutput.write(bytes: detail.row.payload) }
            if json { return StandardOutput.write(JSONDetail.message(detail) + "\n") }
            StandardOutput.write(MessagePage.text(detail, times))
        case .command(let id):
            guard let detail = try reader.reading({ r throws(TraceError) in try r.command(id) })
            else { throw missing("command \(id)") }
            if curl { throw Failure(.usage, "--curl repeats an exchange; a command has none") }
            if raw { return StandardOutput.write(bytes: detail.text) }
            let page = CommandPage(reader: reader, times: times)
            if json {
                return StandardOutput.write(
                    JSONDetail.command(detail, effects: try page.effects(detail)) + "\n")
            }
            StandardOutput.write(try page.text(detail))
        case .connection(let id):
            guard let detail = try reader.reading({ r throws(TraceError) in try r.connection(id) })
            else { throw missing("connection \(id)") }
            if raw || curl { throw Failure(.usage, "--raw and --curl go with an exchange") }
            if json { return StandardOutput.write(JSONDetail.connection(detail) + "\n") }
            StandardOutput.write(ConnectionPage.text(detail, times))
        }
    }

    /// Prints a finding as `diagnose` does.
    private func show(_ number: FindingNumber) throws {
        if raw || curl { throw Failure(.usage, "--raw and --curl go with an exchange") }
        let diagnosis = try TraceDiagnosis.shown(trace: trace, session: number.session)
        if let duty = diagnosis.undecided(number) {
            return StandardOutput.write(
                json
                    ? FindingJSON.line(duty, session: number.session) + "\n"
                    : FindingText.paragraph(duty))
        }
        guard let finding = diagnosis.finding(number) else {
            throw Failure(
                .data,
                "there is no \(number.words) in \(trace); `tapedeck diagnose \(trace)` lists what is"
            )
        }
        StandardOutput.write(
            json
                ? FindingJSON.line(finding, session: number.session) + "\n"
                : FindingText.paragraph(finding, try findingTimes(number.session)))
    }

    private func findingTimes(_ session: SessionID) throws(Failure) -> FindingTimes {
        var column = TimeColumn(times.time)
        let reader = try TraceReader.opened(trace)
        column.learn(try reader.reading { reader throws(TraceError) in try reader.sessions() })
        return FindingTimes(times.time, column, in: session)
    }

    /// The curl command that repeats an exchange, as a line.
    private func repeating(_ detail: ExchangeDetail) throws(Failure) -> [UInt8] {
        do throws(FileError) {
            return try CurlCommand(detail).bytes + [0x0A]
        } catch {
            throw Failure(error)
        }
    }

    private func missing(_ what: String) -> Failure {
        Failure(.data, "there is no \(what) in \(trace); `tapedeck ls \(trace)` lists what is")
    }
}

/// One side of a conversation, as an option names it.
enum Side: String, ExpressibleByArgument, CaseIterable {
    case client, server

    var peer: Peer { self == .client ? .client : .server }
}
