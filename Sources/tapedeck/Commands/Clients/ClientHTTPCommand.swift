import ArgumentParser
import Foundation
import HTTPLayer
import Notation
import SyncClients

/// `tapedeck client http`: the HTTP layer for mobile applications.
struct ClientHTTPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "http",
        abstract: "Send requests through the HTTP layer, with its queue, retries and background.",
        subcommands: [ClientHTTPRun.self])
}

/// `tapedeck client http run`.
struct ClientHTTPRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Send the requests of a list, and print what came.",
        discussion: """
            The list has a JSON object a line: a request with url, requestType, payload, \
            requestBody, requestBodyFile, headers, compression, retryCount, priority and \
            requestTag; {"lifecycle": "background"} or "foreground"; {"backgroundTasks": true}. \
            With "at": "2s" it is done then. SIGUSR1 puts the program in the background, SIGUSR2 \
            in the foreground. Exits with status 1 where a request had no success.

            Example: tapedeck client http run requests.jsonl
            """)

    @Argument(help: "The file with the list, or - for standard input.", completion: .file())
    var list: String

    @Option(
        help: ArgumentHelp(
            "Requests in progress at once, 1 to 100; the others wait in their order.",
            valueName: "n"))
    var width = 1

    @OptionGroup var way: ClientHTTPOptions

    @Flag(help: "Print a JSON object per line, with the bodies of answers.")
    var json = false

    func validate() throws {
        guard 1...100 ~= width else { throw ValidationError("--width is 1 to 100") }
    }

    func run() async throws {
        let data =
            list == "-"
            ? FileHandle.standardInput.readDataToEndOfFile()
            : FileManager.default.contents(atPath: list)
        guard let data else { throw Failure(.noInput, "\(list) cannot be read; check the name") }
        let requests: RequestList
        do throws(RequestList.Problem) {
            requests = try RequestList(parsing: String(decoding: data, as: UTF8.self))
        } catch {
            throw Failure(.data, "\(list), line \(error.line): \(error.reason)")
        }
        var settings = HTTPSettings()
        settings.width = width
        way.apply(to: &settings)
        let manager = HTTPManager(settings)
        let lifecycle = ClientLifecycle(of: manager)
        let failed = await RequestListRun(requests, manager: manager).run { report in
            let line = json ? RequestReport.json(report) : RequestReport.text(report)
            if let line { StandardOutput.write(line + "\n") }
            guard case .waiting(let open) = report.event, open > 0,
                manager.lifecycle == .background, !manager.isBackgroundTaskEnabled
            else { return }
            StandardError.warn(
                "\(Summary.count(Int64(open), "request")) open in the background; SIGUSR2 brings the program to the front"
            )
        }
        withExtendedLifetime(lifecycle) {}
        guard failed == 0 else {
            throw Failure(
                .failed,
                "\(failed) of \(Summary.count(Int64(requests.count), "request")) had no success")
        }
    }
}

/// What happened to a list of requests, as lines.
enum RequestReport {
    /// The line of text; nil for what needs none.
    static func text(_ report: RequestListRun.Report) -> String? {
        let time = "\(TimeSpan.clock(report.atNanoseconds))  "
        switch report.event {
        case .answered(let number, _, let response):
            let tag = response.requestTag.map { " \(ListLine.clean($0))" } ?? ""
            var words = ["#\(number)\(tag)"]
            words.append(response.metadata.map { "\($0.status)" } ?? "no answer")
            words.append(Summary.count(Int64(response.attempts), "attempt"))
            if let error = response.error {
                words.append(ListLine.clean("\(error)"))
            } else {
                words.append(ByteCount.text(Int64(response.data.count)))
            }
            return time + words.joined(separator: "  ")
        case .lifecycle(let lifecycle):
            return time + (lifecycle == .background ? "in the background" : "in the foreground")
        case .backgroundTasks(let isOn):
            return time + (isOn ? "background tasks enabled" : "background tasks disabled")
        case .waiting: return nil
        }
    }

    /// The JSON object; nil for what needs none.
    static func json(_ report: RequestListRun.Report) -> String? {
        var members = [JSONObject.Member("at_ns", .number("\(report.atNanoseconds)"))]
        switch report.event {
        case .answered(let number, let line, let response):
            members += [
                .init("number", .number("\(number)")), .init("line", .number("\(line)")),
                .init("requestTag", response.requestTag.map { .string($0) } ?? .null),
                .init("status", response.metadata.map { .number("\($0.status)") } ?? .null),
                .init("attempts", .number("\(response.attempts)")),
                .init("error", response.error.map { .string("\($0)") } ?? .null),
                .init("url", response.metadata.map { .string($0.finalURL) } ?? .null),
                .init("headers", response.metadata.map { fields($0.headers) } ?? .null),
                .init("data", content(response.data)),
            ]
        case .lifecycle(let lifecycle):
            let name = lifecycle == .background ? "background" : "foreground"
            members.append(.init("lifecycle", .string(name)))
        case .backgroundTasks(let isOn): members.append(.init("backgroundTasks", .bool(isOn)))
        case .waiting: return nil
        }
        return JSONValue.object(JSONObject(members)).text()
    }

    /// Fields in their order, duplicates included, as a list of pairs.
    private static func fields(_ fields: [(name: String, value: String)]) -> JSONValue {
        .array(fields.map { .array([.string($0.name), .string($0.value)]) })
    }

    /// Text as it is, other bytes as an object with their Base64.
    private static func content(_ bytes: [UInt8]) -> JSONValue {
        if let text = String(validating: bytes, as: UTF8.self) { return .string(text) }
        return .object(JSONObject([.init("base64", .string(Base64.encode(bytes)))]))
    }
}
