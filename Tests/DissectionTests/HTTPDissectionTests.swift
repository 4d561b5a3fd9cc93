import Testing
import Wire

@testable import Dissection

private let request = "GET /a?b=c HTTP/1.1\r\nHost: origin.example:81\r\n\r\n"
private let answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"

@Suite struct HTTPDissectionTests {
    @Test func `makes an exchange of a request and its response`() throws {
        var stage = Stage()
        stage.detail(.client, request)
        stage.detail(.server, answer)
        let rows = stage.finish()
        let row = try #require(rows.exchanges.first)
        #expect(rows.exchanges.count == 1)
        #expect(row.method == "GET")
        #expect(row.host == "origin.example")
        #expect(row.port == 81)
        #expect(row.path == "/a")
        #expect(row.query == "b=c")
        #expect(row.status == 200)
        #expect(row.outcome == .complete)
        #expect(row.startedAt.nanoseconds == 1000)
        #expect(row.endedAt?.nanoseconds == 2000)
        #expect(row.responseSize == 2)
        #expect(rows.bodies.map { String(decoding: $0.content, as: UTF8.self) } == ["", "ok"])
    }

    @Test(
        arguments: [
            (#"{"error":"a.b","default_response":"No"}"#, "/a/demo/receiver/", "a.b", nil),
            ("<html/>", "/a/demo/receiver/", nil, "is not a JSON object of texts, from byte 0 on"),
            ("", "/a/demo/receiver/", nil, "is not a JSON object of texts, from byte 0 on"),
            (#"{"error":"a.b"}"#, "/a/demo/phone/restore/", nil, "has no \"default_response\""),
            (#"{"error":1,"default_response":"No"}"#, "/formList", nil, "from byte 9 on"),
            // What other servers say with a 406 is their matter.
            ("no such type", "/plain", nil, nil),
        ] as [(String, String, String?, String?)])
    func `a 406 has a row, and a note where it is not what clients show`(
        body: String, path: String, key: String?, problem: String?
    ) {
        var stage = Stage()
        let method = path == "/a/demo/receiver/" ? "POST" : "GET"
        stage.detail(
            .client,
            "\(method) \(path) HTTP/1.1\r\nHost: o\r\nX-OpenRosa-Version: 1.0\r\nContent-Length: 0\r\n\r\n"
        )
        stage.detail(
            .server,
            "HTTP/1.1 406 Not Acceptable\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        let rows = stage.finish()
        let documents = rows.documents.filter { $0.sender == .server && $0.kind == "actionable" }
        #expect(documents.count == (key == nil && problem == nil ? 0 : 1))
        #expect(documents.first?.key == key)
        let notes = rows.notes.filter { $0.code == "openrosa.406-malformed" }
        #expect(notes.count == (problem == nil ? 0 : 1))
        if let problem {
            #expect(documents.first?.problem?.contains(problem) == true)
            #expect(notes.first?.detail == documents.first?.problem)
        }
    }

    @Test func `matches pipelined requests with their answers in order`() {
        var stage = Stage()
        stage.detail(
            .client, "HEAD /1 HTTP/1.1\r\nHost: o\r\n\r\nGET /2 HTTP/1.1\r\nHost: o\r\n\r\n")
        stage.detail(
            .server,
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
        )
        let rows = stage.finish()
        #expect(rows.exchanges.map(\.path) == ["/1", "/2"])
        #expect(rows.exchanges.map(\.status) == [200, 404])
    }

    @Test func `shows what the receiver got where bytes were rewritten`() throws {
        var stage = Stage()
        let bytes = Array("GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n".utf8)
        stage.detail(
            .client, bytes,
            patches: [
                Patch(offset: 22, removed: 14, inserted: Array("o.example".utf8), reason: .host)
            ])
        stage.detail(.server, answer)
        let row = try #require(stage.finish().exchanges.first)
        #expect(row.host == "o.example")
    }

    @Test func `ends a response with its connection where it has no length`() throws {
        var stage = Stage()
        stage.detail(.client, request)
        stage.detail(.server, "HTTP/1.1 200 OK\r\n\r\nall of it")
        stage.event(.closed, Stage.server, detail: "closed")
        let rows = stage.finish()
        #expect(rows.exchanges.first?.outcome == .complete)
        #expect(rows.exchanges.first?.responseSize == 9)
    }

    @Test func `says that a response was cut`() throws {
        var stage = Stage()
        stage.detail(.client, request)
        stage.detail(.server, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart")
        stage.event(.closed, Stage.server, detail: "reset")
        let row = try #require(stage.finish().exchanges.first)
        #expect(row.outcome == .responseCut)
        #expect(row.problem?.contains("reset") == true)
    }

    @Test func `says that no response came`() throws {
        var stage = Stage()
        stage.detail(.client, request)
        stage.event(.closed, Stage.server, detail: "reset")
        let row = try #require(stage.finish().exchanges.first)
        #expect(row.outcome == .noResponse)
        #expect(row.status == nil)
    }

    @Test func `takes the answer that says that a server is not there for the response`() throws {
        var stage = Stage()
        stage.detail(.client, request)
        stage.event(.refused, Stage.server, detail: "no such name")
        stage.detail(
            .server, Array("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n".utf8),
            origin: .tapedeck)
        let row = try #require(stage.finish().exchanges.first)
        #expect(row.status == 502)
        #expect(row.isLocal)
    }

    @Test func `takes the scheme of the server behind a reverse proxy`() throws {
        var stage = Stage(serverTLS: true)
        stage.detail(.client, "GET / HTTP/1.1\r\nHost: o.example\r\n\r\n")
        stage.detail(.server, answer)
        let row = try #require(stage.finish().exchanges.first)
        #expect(row.scheme == "https")
        #expect(row.port == 443)
    }

    @Test func `sees the requests inside a tunnel`() throws {
        var stage = Stage(mode: .forward)
        stage.detail(.client, "CONNECT o.example:443 HTTP/1.1\r\nHost: o.example:443\r\n\r\n")
        stage.detail(
            .server, Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8), origin: .tapedeck)
        stage.event(.tls, Stage.client)
        stage.event(.tls, Stage.server)
        stage.detail(.client, "GET /x HTTP/1.1\r\nHost: o.example\r\n\r\n")
        stage.detail(.server, answer)
        let rows = stage.finish().exchanges
        #expect(rows.map(\.api) == ["connect", "http"])
        #expect(rows.last?.scheme == "https")
        #expect(rows.first?.isLocal == true)
        #expect(rows.last?.isLocal == false)
    }

    @Test(arguments: ["302 Found", "407 Proxy Authentication Required"])
    func `goes on with HTTP where a tunnel is not opened`(status: String) {
        var stage = Stage(mode: .forward)
        stage.detail(.client, "CONNECT o:443 HTTP/1.1\r\nHost: o:443\r\n\r\n")
        stage.detail(.server, "HTTP/1.1 \(status)\r\nContent-Length: 2\r\n\r\nno")
        stage.detail(.client, "GET http://o/1 HTTP/1.1\r\nHost: o\r\n\r\n")
        stage.detail(.server, "HTTP/1.1 204 No Content\r\n\r\n")
        let rows = stage.finish()
        #expect(rows.exchanges.map(\.outcome) == [.complete, .complete])
        #expect(rows.exchanges.map(\.responseSize) == [2, 0])
    }

    @Test func `shows an exchange that goes on as it is when that is asked`() {
        var stage = Stage()
        stage.detail(.client, "POST / HTTP/1.1\r\nHost: o\r\nContent-Length: 2\r\n\r\na")
        stage.detail(.client, "b")
        stage.flush()
        #expect(stage.rows.exchanges.map(\.outcome) == [.open])
        #expect(stage.rows.exchanges.map(\.requestSize) == [2])
        #expect(stage.rows.exchanges.first?.requestEndedAt != nil)
    }

    @Test(arguments: [(3, "ab"), (4, "ab"), (5, "ab\u{20AC}")])
    func `keeps no half of a character`(most: Int, kept: String) {
        var limits = DissectionLimits()
        limits.storedContent = most
        var stage = Stage(limits: limits)
        stage.detail(.client, "GET / HTTP/1.1\r\nHost: o\r\n\r\n")
        stage.detail(.server, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nab\u{20AC}c")
        let body = stage.finish().bodies.last
        #expect(body.map { String(decoding: $0.content, as: UTF8.self) } == kept)
        #expect(body?.isText == true)
    }

    @Test func `has the part in which a submission was cut`() {
        var stage = Stage()
        let head = "Content-Disposition: form-data; name="
        stage.detail(
            .client,
            "POST / HTTP/1.1\r\nHost: o\r\nContent-Length: 900\r\n"
                + "Content-Type: multipart/form-data; boundary=b\r\n\r\n"
                + "--b\r\n\(head)\"one\"\r\n\r\n1\r\n--b\r\n\(head)\"two\"\r\n\r\n22")
        #expect(stage.finish().parts.map(\.name) == ["one", "two"])
    }

    @Test func `notes informational responses and waits for the final one`() throws {
        var stage = Stage()
        stage.detail(
            .client,
            "POST / HTTP/1.1\r\nHost: o\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        stage.detail(.server, "HTTP/1.1 100 Continue\r\n\r\n")
        stage.detail(.client, "hi")
        stage.detail(.server, answer)
        let rows = stage.finish()
        #expect(rows.exchanges.first?.status == 200)
        #expect(rows.exchanges.first?.requestSize == 2)
        #expect(rows.notes.map(\.code) == ["http.informational"])
    }

    @Test func `marks requests that two parsers could read differently`() throws {
        var stage = Stage()
        stage.detail(
            .client,
            "POST / HTTP/1.1\r\nHost: o\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        )
        stage.detail(.server, answer)
        let rows = stage.finish()
        #expect(rows.notes.map(\.code).contains("http.two-lengths"))
        #expect(rows.notes.first?.exchange == rows.exchanges.first?.id)
    }

    @Test func `finds the parts and the form of a submission`() throws {
        var stage = Stage()
        let body = """
            --b\r
            Content-Disposition: form-data; name="xml_submission_file"; filename="f.xml"\r
            Content-Type: text/xml\r
            \r
            <data xmlns="http://example.org/form"><meta><instanceID>i1</instanceID></meta></data>\r
            --b\r
            Content-Disposition: form-data; name="p.jpg"; filename="p.jpg"\r
            Content-Type: image/jpeg\r
            \r
            jpeg\r
            --b--\r

            """
        stage.detail(
            .client,
            "POST /a/demo/receiver/ HTTP/1.1\r\nHost: o\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        stage.detail(
            .server,
            "HTTP/1.1 201 Created\r\nContent-Type: text/xml\r\nTransfer-Encoding: chunked\r\n\r\n5f\r\n<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\"><message nature=\"submit_success\">ok<\r\n1c\r\n/message></OpenRosaResponse>\r\n0\r\n\r\n"
        )
        let rows = stage.finish()
        #expect(rows.parts.map(\.name) == ["xml_submission_file", "p.jpg"])
        #expect(rows.parts.map(\.size) == [85, 4])
        #expect(rows.documents.map(\.kind) == ["form", "response"])
        #expect(rows.documents.first?.instanceID == "i1")
        #expect(rows.documents.last?.nature == "submit_success")
        #expect(rows.exchanges.first?.api == "commcare.submit")
    }

    @Test func `keeps the first bytes of a large body and counts all`() throws {
        var limits = DissectionLimits()
        limits.storedContent = 10
        var dissector = Dissector(limits: limits)
        var rows: [DerivedRow] = []
        for record in Sample.exchange(body: "ääääääää") {
            let chunk: ChunkID? = if case .chunk = record { ChunkID(1) } else { nil }
            dissector.consume(record, chunk: chunk, into: &rows)
        }
        let body = try #require(rows.bodies.last)
        #expect(body.size == 16)
        #expect(body.isText)
        #expect(String(decoding: body.content, as: UTF8.self) == "äääää")
    }

    @Test func `goes on with the next request after bytes were lost`() {
        var stage = Stage()
        stage.detail(.client, request)
        stage.lost(nil)
        stage.detail(.server, "rest of a body")
        stage.detail(.client, request)
        stage.detail(.server, answer)
        let rows = stage.finish().exchanges
        #expect(rows.map(\.outcome) == [.noResponse, .complete])
        #expect(rows.first?.problem?.contains("missing") == true)
    }

    @Test func `gives up on garbage and says where`() throws {
        var stage = Stage()
        stage.detail(.client, [0xFF, 0x00, 0x01])
        let rows = stage.finish()
        #expect(rows.notes.map(\.code) == ["stream.unknown"])
        #expect(rows.exchanges.isEmpty)
    }
}

/// Records to show a dissector.
enum Sample {
    /// One exchange with `body` as the response's content.
    static func exchange(body: String, path: String = "/") -> [Record] {
        let connection = ConnectionID(1)
        func chunk(_ sender: Peer, _ text: String) -> Record {
            .chunk(
                Chunk(
                    connection: connection, leg: LegID(sender == .client ? 1 : 2), sender: sender,
                    at: .zero, bytes: Array(text.utf8)))
        }
        return [
            .connection(
                ConnectionRow(id: connection, at: .zero, listener: "", client: "", mode: .reverse)),
            chunk(.client, "GET \(path) HTTP/1.1\r\nHost: o\r\n\r\n"),
            chunk(.server, "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"),
        ]
    }
}
