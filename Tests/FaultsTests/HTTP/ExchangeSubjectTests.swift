import Dissection
import Filters
import Testing
import Wire

@testable import Faults

struct ExchangeSubjectTests {
    static let form =
        "<data xmlns=\"http://example.org/form\"><meta><instanceID>uuid:9</instanceID></meta></data>"
    static let answer =
        "<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\">"
        + "<message nature=\"submit_success\">ok</message></OpenRosaResponse>"
    static let multipart =
        "--X\r\nContent-Disposition: form-data; name=\"xml_submission_file\"; filename=\"f.xml\"\r\n"
        + "Content-Type: text/xml\r\n\r\n\(form)\r\n--X--\r\n"

    static let talks: [(request: String, response: [UInt8])] = [
        (
            Talk.post("/a/demo/receiver/", form, "X-OpenRosa-DeviceID: phone-1\r\n"),
            Array("HTTP/1.1 201 Created\r\nContent-Type: text/xml\r\n\r\n\(answer)".utf8)
        ),
        (
            "POST /a/demo/receiver/?deviceID=d HTTP/1.1\r\nHost: HQ.example:8080\r\n"
                + "Content-Type: multipart/form-data; boundary=X\r\n"
                + "Content-Length: \(multipart.utf8.count)\r\n\r\n\(multipart)",
            Array("HTTP/1.1 503 Busy\r\nRetry-After: 9\r\n\r\n".utf8)
        ),
        (
            Talk.get(Talk.restorePath),
            Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".utf8) + GzipSample.bytes
        ),
        (
            "GET http://other.example/x?y HTTP/1.1\r\nHost: hq.example\r\nHost: twice\r\n\r\n",
            Array("HTTP/1.1 103 Early\r\n\r\nHTTP/1.0 200\r\n\r\nbody \u{FF}".utf8) + [0xFF]
        ),
        (
            Talk.get(Talk.restorePath),
            Array("HTTP/1.1 406 No\r\n\r\n{\"error\":\"a.b\",\"default_response\":\"c\"}".utf8)
        ),
    ]

    @Test(arguments: talks.indices)
    func `its values are those that a trace has`(index: Int) throws {
        let (request, response) = Self.talks[index]
        let play = try HTTPPlay.run(
            ["response.body:never-in-there => close"], [.client(request), .server(response)],
            .bytes)
        let exchange = try #require(play.gate.waiting.first)
        var row = exchange.row(play.gate.context)
        (row.endedAt, row.outcome) = (play.now, .complete)
        let live = ExchangeSubject(
            session: SessionID(3), row: row, contents: exchange.contents)
        let stored = try Self.stored(Array(request.utf8), response, at: play.now)

        for field in Field.allCases where field != .problem {
            guard field.details.subjects.contains(.exchange) else { continue }
            for name in ["content-type", "host", "retry-after"] {
                #expect(
                    live.value(of: field, name: name) == stored.value(of: field, name: name),
                    "\(field.rawValue)")
            }
        }
    }

    /// The exchange as a dissector reads it.
    static func stored(
        _ request: [UInt8], _ response: [UInt8], at: Instant
    ) throws -> ExchangeSubject {
        let connection = ConnectionID(7)
        let legs: [(LegID, Peer)] = [(LegID(1), .client), (LegID(2), .server)]
        var dissector = Dissector()
        var rows: [DerivedRow] = []
        dissector.consume(
            .connection(
                ConnectionRow(
                    id: connection, at: at, listener: "127.0.0.1:1", client: "10.0.0.5:2",
                    mode: .forward)), chunk: nil, into: &rows)
        for (id, peer) in legs {
            dissector.consume(
                .leg(
                    LegRow(
                        id: id, connection: connection, peer: peer, at: at, host: "127.0.0.1",
                        port: 80)), chunk: nil, into: &rows)
        }
        for (number, bytes) in [request, response].enumerated() {
            dissector.consume(
                .chunk(
                    Chunk(
                        connection: connection, leg: legs[number].0, sender: legs[number].1,
                        origin: .peer, at: at, bytes: bytes, patches: [])),
                chunk: ChunkID(Int64(number + 1)), into: &rows)
        }
        dissector.finish(at: at, into: &rows)
        var found: ExchangeRow?
        var bodies: [BodyRow] = []
        var documents: [OpenRosaRow] = []
        var notes: [NoteRow] = []
        for item in rows {
            switch item {
            case .exchange(let row): found = row
            case .body(let row): bodies.append(row)
            case .openRosa(let row): documents.append(row)
            case .note(let row) where row.exchange != nil: notes.append(row)
            default: continue
            }
        }
        return ExchangeSubject(
            session: SessionID(3), row: try #require(found), bodies: bodies,
            documents: documents, notes: notes)
    }
}
