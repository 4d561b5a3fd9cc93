internal import Dissection
internal import Filters
internal import Notation
internal import Serving
internal import Trace
internal import Wire

/// What there is about one row.
extension InspectionService {
    func row(_ question: Question) async throws(ServedProblem) -> ServedAnswer {
        let name = try rowName(question)
        let trace = try trace(question)
        let tools = tools
        let text = try await trace.desk.read { reader throws(TraceError) -> String? in
            guard let text = try tools.text(name, reader),
                let detail = try tools.detail(name, reader)
            else { return nil }
            var object = JSONObjectText()
            object.add("row", raw: try Self.object(name, trace, reader) ?? "null")
            object.add("text", text)
            object.add("detail", raw: detail)
            return object.text
        }
        guard let text else { throw Self.missing(question) }
        return Self.json(text)
    }

    /// The object that a listing has of a row; nil for a connection, and where there is no such row.
    private static func object(
        _ name: RowName, _ trace: InspectedTrace, _ reader: TraceReader
    ) throws(TraceError) -> String? {
        guard case .line(let place) = name, let line = try reader.lines(at: [place]).first else {
            return nil
        }
        return try trace.objects(reader).object(line, text: text(of: line, reader)).text
    }

    func text(_ question: Question) async throws(ServedProblem) -> ServedAnswer {
        let name = try rowName(question)
        let tools = tools
        let text = try await trace(question).desk.read { reader throws(TraceError) in
            try tools.text(name, reader)
        }
        guard let text else { throw Self.missing(question) }
        return Self.plain(Array(text.utf8))
    }

    func curl(_ question: Question) async throws(ServedProblem) -> ServedAnswer {
        guard case .line(let place) = try rowName(question), place.subject == .exchange else {
            throw ServedProblem(
                400, "no-exchange", "curl repeats an exchange, and this is none",
                hint: "give the number of an exchange")
        }
        let tools = tools
        let text = try await trace(question).desk.read { reader throws(TraceError) in
            try tools.curl(ExchangeID(place.id), reader)
        }
        guard let text else { throw Self.missing(question) }
        return Self.plain(text)
    }

    static func plain(_ bytes: [UInt8]) -> ServedAnswer {
        ServedAnswer(
            200,
            fields: [
                .init("Cache-Control", "no-store"), .init("X-Content-Type-Options", "nosniff"),
                .init("Content-Type", "text/plain; charset=utf-8"),
            ], body: bytes)
    }

    static func download(_ bytes: [UInt8], _ name: String, _ type: String) -> ServedAnswer {
        ServedAnswer(
            200,
            fields: [
                .init("Cache-Control", "no-store"), .init("X-Content-Type-Options", "nosniff"),
                .init("Content-Type", type),
                .init("Content-Disposition", "attachment; filename=\"\(name)\""),
            ], body: bytes)
    }

    /// The content of a body, of a part of it, or of a message: a slice, a picture, or a download.
    func content(_ question: Question) async throws(ServedProblem) -> ServedAnswer {
        let name = try rowName(question)
        let first = Int(try question.number("from", 0...Int64(Int32.max), or: 0))
        let count = Int(try question.number("count", 1...Int64(16 << 20), or: 65_536))
        let part = try question.number("part", 0...Int64(Int32.max), or: -1)
        let isRequest = question.parameter("side") == "client"
        let content = try await trace(question).desk.read { reader throws(TraceError) in
            try Self.content(name, isRequest: isRequest, part: part, reader)
        }
        guard let content else { throw Self.missing(question) }
        let slice = Array(content.dropFirst(first).prefix(count))
        var answer: ServedAnswer
        switch question.parameter("as") ?? "raw" {
        case "download":
            answer = Self.download(
                content, "\(question.names.row).bin", "application/octet-stream")
        case "view":
            answer = Self.plain(slice)
            // What is shown as a picture is one by its bytes, whatever its type says.
            if let type = PictureType(content) {
                answer = ServedAnswer(
                    200,
                    fields: [
                        .init("Cache-Control", "no-store"),
                        .init("X-Content-Type-Options", "nosniff"),
                        .init("Content-Type", type.rawValue),
                    ], body: content)
            }
        default: answer = Self.plain(slice)
        }
        answer.fields.append(.init("X-Content-Size", "\(content.count)"))
        return answer
    }

    private static func content(
        _ name: RowName, isRequest: Bool, part: Int64, _ reader: TraceReader
    ) throws(TraceError) -> [UInt8]? {
        guard case .line(let place) = name else { return nil }
        switch place.subject {
        case .command: return try reader.text(of: CommandID(place.id))
        case .message: return try reader.message(MessageID(place.id))?.row.payload
        case .exchange:
            guard let detail = try reader.exchange(ExchangeID(place.id)),
                let body = isRequest ? detail.request : detail.response
            else { return nil }
            guard part >= 0 else { return body.content }
            let sender: Peer = isRequest ? .client : .server
            let row = detail.parts.first { $0.sender == sender && Int64($0.position) == part }
            guard let row else { return nil }
            let start = min(body.content.count, Int(clamping: row.offset))
            let end = min(body.content.count, Int(clamping: row.offset &+ row.size))
            return start <= end ? Array(body.content[start..<end]) : []
        }
    }

    /// The bytes of an exchange as they were sent.
    func raw(_ question: Question) async throws(ServedProblem) -> ServedAnswer {
        guard case .line(let place) = try rowName(question) else { throw Self.missing(question) }
        let isRequest = question.parameter("side") == "client"
        let bytes = try await trace(question).desk.read { reader throws(TraceError) -> [UInt8]? in
            guard place.subject == .exchange else {
                return try Self.content(.line(place), isRequest: false, part: -1, reader)
            }
            guard try reader.exchange(ExchangeID(place.id)) != nil else { return nil }
            var bytes: [UInt8] = []
            try reader.bytes(
                of: ExchangeID(place.id), sender: isRequest ? .client : .server, .sent
            ) { _, more in
                bytes += more
                return bytes.count < Self.mostRaw
            }
            return bytes
        }
        guard let bytes else { throw Self.missing(question) }
        let side = isRequest ? "request" : "response"
        return Self.download(bytes, "\(question.names.row)-\(side).raw", "application/octet-stream")
    }

    /// The most bytes of a download; `show --raw` has no bound.
    private static let mostRaw = 64 << 20

    func stored(_ question: Question) async throws(ServedProblem) -> ServedAnswer {
        guard case .line(let place) = try rowName(question) else { throw Self.missing(question) }
        let found = try await trace(question).desk.read { reader throws(TraceError) in
            try reader.storedRows(of: place)
        }
        let items = found.map { rows in
            var object = JSONObjectText()
            object.add("title", rows.title)
            object.add("sql", rows.sql)
            object.add("columns", texts: rows.columns)
            let lines = rows.rows.map { "[\($0.map(Self.json).joined(separator: ","))]" }
            object.add("rows", raw: "[\(lines.joined(separator: ","))]")
            return object.text
        }
        var object = JSONObjectText()
        object.add("queries", raw: "[\(items.joined(separator: ","))]")
        return Self.json(object.text)
    }

    private static func json(_ value: StoredRows.Value) -> String {
        switch value {
        case .null: "null"
        case .integer(let number): "\(number)"
        case .text(let text): JSONString.quoted(text)
        case .bytes(let count): JSONString.quoted("\(count) bytes")
        }
    }
}

/// The pictures that pages show, recognised by their first bytes.
enum PictureType: String {
    case png = "image/png"
    case jpeg = "image/jpeg"
    case gif = "image/gif"
    case webp = "image/webp"

    /// The type of these bytes; nil for what is no such picture.
    init?(_ bytes: [UInt8]) {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) {
            self = .gif
        } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
            self = .webp
        } else {
            return nil
        }
    }
}
