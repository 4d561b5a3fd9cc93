import Dissection
import Testing
import Wire

@testable import Trace

@Suite struct EvidenceReaderTests {
    /// What a reader gives, a line for each entry.
    private func lines(
        _ path: String, session: Int64 = 1, most: Int = 65_536
    ) throws -> [String] {
        let bounds = try EvidenceBounds(TraceReader(path: path))
        let reader = try EvidenceReader(path: path, session: SessionID(session), bounds: bounds)
        var lines: [String] = []
        while try !reader.read(isOver: true, most: most, { lines.append($0.line) }) {}
        return lines
    }

    private func write(_ trace: TemporaryTrace, _ records: [Record]) throws {
        let writer = try trace.writer()
        _ = writer.put(records)
        writer.finish()
    }

    /// An exchange, and a socket with a message that is no command and commands in one SockJS frame.
    private func conversation(_ first: Int64 = 1) -> [Record] {
        var traffic = Traffic(first: first)
        let http = traffic.open()
        var records = http.records + traffic.exchange(http, number: 1, body: "one")
        let socket = traffic.open()
        records += socket.records + upgrade(&traffic, socket)
        records += [
            traffic.message(socket, .client, #"["0:cv:1"]"#),
            traffic.chunk(socket, .server, [0x89, 2, 0x68, 0x69]),
            traffic.message(socket, .server, #"a["h:1","h:2","h:3"]"#),
        ]
        records += [
            .gap(
                GapRow(
                    connection: socket.connection, leg: nil, sender: nil, at: traffic.tick(),
                    until: traffic.tick(), count: 3, chunks: 1, reason: .notCaptured))
        ]
        return records + traffic.close(socket) + traffic.exchange(http, number: 2, body: "two")
            + traffic.close(http)
    }

    /// The handshake of a socket whose messages are frames of SockJS.
    private func upgrade(_ traffic: inout Traffic, _ opened: Traffic.Opened) -> [Record] {
        traffic.upgrade(opened).map { record in
            guard case .chunk(var chunk) = record, chunk.sender == .client else { return record }
            let text = String(decoding: chunk.bytes, as: UTF8.self)
            chunk.bytes = Array(
                text.replacing("/app/websocket", with: "/app/123/abcdefgh/websocket").utf8)
            return .chunk(chunk)
        }
    }

    private static let expected = [
        "connection 1", "event opened", "asked 1 GET /item/1", "answered 1 200 one",
        "connection 2", "event opened", "asked 2 GET /sock/1/app/123/abcdefgh/websocket",
        "answered 2 101 ", "command 1 client 0:cv:1", "message 2 hi", "command 2 server h:1",
        "command 3 server h:2", "command 4 server h:3", "gap 3", "event ended", "event closed",
        "event closed", "asked 3 GET /item/2", "answered 3 200 two", "event ended",
        "event closed", "event closed", "event session-ended",
    ]

    @Test func `gives everything of a session in order of time`() throws {
        let trace = try TemporaryTrace()
        try write(trace, conversation())
        #expect(try lines(trace.path) == Self.expected)
    }

    @Test(arguments: [1, 2, 3, 7]) func `gives the same in small pieces`(most: Int) throws {
        let trace = try TemporaryTrace()
        try write(trace, conversation())
        #expect(try lines(trace.path, most: most) == Self.expected)
    }

    @Test func `gives nothing twice and skips nothing while it is written`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        let reader = try EvidenceReader(path: trace.path, session: writer.session, bounds: nil)
        var found: [String] = []
        for record in conversation() {
            _ = writer.put([record])
            writer.flush()
            try reader.read(isOver: false) { found.append($0.line) }
        }
        writer.finish()
        try reader.read(isOver: true) { found.append($0.line) }
        #expect(found == Self.expected)
    }

    @Test func `gives what is later than a moment when that has come`() throws {
        let trace = try TemporaryTrace()
        try write(trace, conversation())
        let reader = try EvidenceReader(
            path: trace.path, session: SessionID(1),
            bounds: try EvidenceBounds(TraceReader(path: trace.path)))
        var found: [String] = []
        for nanoseconds in stride(from: Int64(0), to: 60_000, by: 500) {
            let moment = Instant(nanoseconds: nanoseconds)
            try reader.read(upto: moment, isOver: false) {
                #expect($0.at <= moment)
                found.append($0.line)
            }
        }
        #expect(found == Self.expected.dropLast())
        try reader.read(isOver: true) { found.append($0.line) }
        #expect(found == Self.expected)
    }

    @Test func `keeps sessions apart`() throws {
        let trace = try TemporaryTrace()
        try write(trace, conversation())
        var traffic = Traffic(first: 10)
        try write(trace, traffic.http(exchanges: 1))
        try write(trace, [])
        #expect(try lines(trace.path) == Self.expected)
        #expect(
            try lines(trace.path, session: 2) == [
                "connection 10", "event opened", "asked 4 GET /item/0",
                "answered 4 200 hello world", "event ended", "event closed", "event closed",
                "event session-ended",
            ])
        #expect(try lines(trace.path, session: 3) == ["event session-ended"])
    }

    @Test func `gives requests that are under way when nothing will come any more`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        let reader = try EvidenceReader(path: trace.path, session: writer.session, bounds: nil)
        var traffic = Traffic()
        let one = traffic.open()
        let two = traffic.open()
        let head = "POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf"
        _ = writer.put(
            one.records + two.records + [
                traffic.chunk(one, .client, Array(head.utf8)),
                traffic.chunk(two, .client, Array("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n".utf8)),
            ])
        writer.flush()
        var found: [String] = []
        try reader.read(isOver: false) { found.append($0.line) }
        #expect(found.suffix(1) == ["asked 2 GET /wait"])
        found = []
        try reader.read(isOver: false) { found.append($0.line) }
        #expect(found == [])
        try reader.read(isOver: true) { found.append($0.line) }
        #expect(found == ["asked 1 POST /slow"])
        writer.finish()
    }

    @Test func `says what Tapedeck made and what faults were done to`() throws {
        let trace = try TemporaryTrace()
        var traffic = Traffic()
        let http = traffic.open()
        var records = http.records
        records.append(fault(http, .client, at: traffic.tick()))
        records += traffic.exchange(http, number: 1, body: "one")
        let socket = traffic.open()
        records += socket.records + traffic.upgrade(socket)
        records.append(fault(socket, .client, at: traffic.tick()))
        guard case .chunk(var made) = traffic.message(socket, .server, "0:index") else { return }
        made.origin = .tapedeck
        records += [.chunk(made), traffic.change(socket, 2)]
        try write(trace, records)
        var faults: [EvidenceFaultRow] = []
        var answered: [Int] = []
        var fates: [Fate] = []
        let reader = try EvidenceReader(
            path: trace.path, session: SessionID(1),
            bounds: try EvidenceBounds(TraceReader(path: trace.path)))
        try reader.read(isOver: true) { entry in
            switch entry {
            case .fault(let row): faults.append(row)
            case .answered(let row): answered.append(row.faults.count)
            case .command(let row): fates.append(row.row.fate)
            default: break
            }
        }
        #expect(faults.map(\.exchange) == [ExchangeID(1), nil])
        #expect(answered == [1, 0])
        #expect(fates == [.synthesized, .same])
    }

    private func fault(
        _ opened: Traffic.Opened, _ sender: Peer, at: Instant
    ) -> Record {
        .fault(
            FaultRow(
                at: at, rule: "r", action: "drop", connection: opened.connection, sender: sender))
    }

    @Test func `gives parts and documents of a form`() throws {
        let trace = try TemporaryTrace()
        var traffic = Traffic()
        let http = traffic.open()
        let form =
            "<data xmlns=\"http://example.org/form\"><meta><instanceID>uuid:1</instanceID></meta></data>"
        let body = """
            --x\r
            Content-Disposition: form-data; name="xml_submission_file"; filename="f.xml"\r
            Content-Type: text/xml\r
            \r
            \(form)\r
            --x--\r

            """
        let head = """
            POST /a/demo/receiver/ HTTP/1.1\r
            Host: x\r
            Content-Type: multipart/form-data; boundary=x\r
            Content-Length: \(body.utf8.count)\r
            \r

            """
        let answer = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"
        try write(
            trace,
            http.records + [
                traffic.chunk(http, .client, Array((head + body).utf8)),
                traffic.chunk(http, .server, Array(answer.utf8)),
            ])
        let reader = try EvidenceReader(
            path: trace.path, session: SessionID(1),
            bounds: try EvidenceBounds(TraceReader(path: trace.path)))
        var exchanges: [EvidenceExchangeRow] = []
        try reader.read(isOver: true) { entry in
            if case .asked(let row) = entry { exchanges.append(row) }
            if case .answered(let row) = entry { exchanges.append(row) }
        }
        #expect(exchanges.count == 2)
        for exchange in exchanges {
            let request = try #require(exchange.request)
            #expect(request.parts.map(\.name) == ["xml_submission_file"])
            #expect(request.documents.map(\.instanceID) == ["uuid:1"])
        }
        #expect(exchanges.map { $0.response == nil } == [true, false])
    }
}

extension EvidenceEntry {
    fileprivate var at: Instant {
        switch self {
        case .connection(let row): row.at
        case .event(let row): row.at
        case .gap(let row): row.at
        case .fault(let row): row.row.at
        case .asked(let row): row.row.requestEndedAt ?? row.row.startedAt
        case .answered(let row): row.row.endedAt ?? row.row.startedAt
        case .command(let row): row.row.at
        case .message(let row): row.endedAt
        case .note(let row): row.at
        }
    }

    fileprivate var line: String {
        func text(_ side: EvidenceSideRow?) -> String {
            String(decoding: side?.body.content ?? [], as: UTF8.self)
        }
        switch self {
        case .connection(let row): return "connection \(row.id)"
        case .event(let row): return "event \(row.kind.rawValue)"
        case .gap(let row): return "gap \(row.count)"
        case .fault(let row): return "fault \(row.row.rule)"
        case .asked(let entry): return "asked \(entry.row.id) \(entry.row.method) \(entry.row.path)"
        case .answered(let entry):
            return "answered \(entry.row.id) \(entry.row.status ?? 0) \(text(entry.response))"
        case .command(let entry):
            let start = String(decoding: entry.text.prefix { $0 != 0x22 }, as: UTF8.self)
            return "command \(entry.row.id) \(entry.row.sender) \(start)"
        case .message(let row):
            return "message \(row.id) \(String(decoding: row.payload, as: UTF8.self))"
        case .note(let row): return "note \(row.code)"
        }
    }
}
