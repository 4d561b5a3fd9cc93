import Dissection
import Filters
import Formats
import Foundation
import Inspection
import Notation
import Platform
import Trace
import Wire

/// What the inspector shows with the words of this program.
struct InspectorTools: InspectionTools {
    /// The recording that it belongs to; nil where there is none.
    var recording: RecordingSetup?

    func text(_ row: RowName, _ reader: TraceReader) throws(TraceError) -> String? {
        try reported { () throws(Failure) in
            let times = PageTimes(
                .relative, try reader.reading { r throws(TraceError) in try r.sessions() })
            return try RowPage(reader: reader, times: times).text(row)
        }
    }

    func detail(_ row: RowName, _ reader: TraceReader) throws(TraceError) -> String? {
        switch row {
        case .connection(let id): return try reader.connection(id).map(JSONDetail.connection)
        case .line(let place):
            switch place.subject {
            case .exchange:
                return try reader.exchange(ExchangeID(place.id)).map(JSONDetail.exchange)
            case .message:
                return try reader.message(MessageID(place.id)).map(JSONDetail.message)
            case .command:
                guard let detail = try reader.command(CommandID(place.id)) else { return nil }
                return try reported { () throws(Failure) in
                    let page = CommandPage(reader: reader, times: PageTimes(.relative, []))
                    return JSONDetail.command(detail, effects: try page.effects(detail))
                }
            }
        }
    }

    func curl(_ exchange: ExchangeID, _ reader: TraceReader) throws(TraceError) -> [UInt8]? {
        guard let detail = try reader.exchange(exchange) else { return nil }
        return (try? CurlCommand(detail).bytes).map { $0 + [0x0A] }
    }

    func versions(
        of key: String, in bucket: String, _ reader: TraceReader
    ) throws(TraceError) -> String {
        try reported { () throws(Failure) in
            try ObjectHistory(reader: reader).json(of: key, in: bucket)
        }
    }

    func run(_ arguments: [String]) async -> ToolOutcome { await ProgramRun.outcome(arguments) }

    func export(_ trace: String, _ name: String, _ options: [String]) async -> ToolOutcome {
        let folder: String
        do throws(FileError) {
            let place = "\(Folder.absolute(NSTemporaryDirectory()))/tapedeck-export"
            folder = try Folder.makeBeside(place)
        } catch {
            return ToolOutcome(status: 74, output: [], errors: error.reason)
        }
        defer { Folder.remove(folder) }
        let file = "\(folder)/\(name)"
        var outcome = await ProgramRun.outcome(["export", trace, file] + options)
        guard outcome.status == 0 else { return outcome }
        outcome.output = FileManager.default.contents(atPath: file).map { Array($0) } ?? []
        return outcome
    }

    func contents(of path: String, upTo most: Int) -> [UInt8]? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        return (try? file.read(upToCount: most)).map { Array($0) } ?? []
    }

    func write(_ bytes: [UInt8], to path: String) -> String? {
        do throws(Failure) {
            try JUnitFile.write(String(decoding: bytes, as: UTF8.self), to: path)
            return nil
        } catch {
            return error.detail
        }
    }

    func replay(_ trace: String) async -> (process: (any ReplayProcess)?, errors: String) {
        await RunningReplay.start(trace)
    }

    func setup() async -> String {
        let guides = TrustGuide.allCases.map { guide in
            var object = JSONObjectText()
            object.add("name", guide.rawValue)
            object.add(
                "text",
                guide.text(.init(pem: "tapedeck-ca.pem", der: "tapedeck-ca.der", port: 8080)))
            return object.text
        }
        var object = JSONObjectText()
        object.add("guides", raw: "[\(guides.joined(separator: ","))]")
        object.add("recording", raw: recording?.json ?? "null")
        return object.text
    }

    func control(
        _ socket: String, _ method: String, _ path: String, _ body: [UInt8]?, _ type: String
    ) async -> (status: Int, body: [UInt8])? {
        await BlockingWork.result("control") {
            let answer = try? ControlClient(socket, token: nil).ask(method, path, body, type)
            return answer.map { ($0.status, $0.body) }
        }
    }

    /// Runs what fails as a command does.
    private func reported<T>(_ body: () throws(Failure) -> T) throws(TraceError) -> T {
        do throws(Failure) {
            return try body()
        } catch {
            throw TraceError(.storage, error.detail)
        }
    }
}
