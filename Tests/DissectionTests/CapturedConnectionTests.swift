import Testing
import Wire

@testable import Dissection

private let request = "GET /a HTTP/1.1\r\nHost: o.example\r\n\r\n"
private let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

@Suite("A captured connection may begin anywhere") struct CapturedConnectionTests {
    @Test func `begins with the first request of a capture that is late`() {
        var stage = Stage(mode: .capture)
        stage.detail(.server, "the rest of a body")
        stage.detail(.client, request)
        stage.detail(.server, answer)
        let rows = stage.finish()
        #expect(rows.exchanges.map(\.outcome) == [.complete])
        #expect(
            rows.notes.map(\.code) == [
                "stream.unknown", "http.resynchronised", "http.resynchronised",
            ])
    }

    @Test func `begins behind the rest of a request`() {
        var stage = Stage(mode: .capture)
        stage.detail(.client, "rest of a form" + request)
        stage.detail(.server, answer)
        stage.detail(.client, request)
        stage.detail(.server, answer)
        let rows = stage.finish()
        #expect(rows.exchanges.last?.outcome == .complete)
        #expect(rows.exchanges.allSatisfy { $0.method == "GET" })
    }

    @Test func `leaves a proxied stream that is no HTTP undecoded`() {
        var stage = Stage(mode: .reverse)
        stage.detail(.server, "220 hello\r\n")
        stage.detail(.client, request)
        #expect(stage.finish().exchanges.isEmpty)
    }

    @Test func `takes scheme, host and port from the connection where the request has none`() throws
    {
        var stage = Stage(mode: .capture)
        stage.event(.tls, Stage.client)
        stage.detail(.client, "GET /a HTTP/1.0\r\n\r\n")
        stage.detail(.server, answer)
        let row = try #require(stage.finish().exchanges.first)
        #expect(row.scheme == "https")
        #expect(row.host == "127.0.0.1")
        #expect(row.port == 80)
    }

    @Test(arguments: [[0x16, 0x03, 0x01], [0x16], [0x17, 0x03, 0x03, 0x00]] as [[UInt8]])
    func `says that TLS needs keys`(bytes: [UInt8]) {
        var stage = Stage(mode: .capture)
        stage.detail(.client, bytes)
        stage.detail(.client, "more")
        let rows = stage.finish()
        #expect(rows.notes.map(\.code) == ["tls.encrypted"])
        #expect(rows.notes.first?.detail.contains("--keylog") == true)
    }

    @Test(arguments: [1, 3, 100]) func `says that HTTP/2 is not decoded`(size: Int) {
        var stage = Stage(mode: .capture)
        let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
        for start in stride(from: 0, to: preface.count, by: size) {
            stage.detail(.client, Array(preface[start..<min(preface.count, start + size)]))
        }
        stage.detail(.server, [0, 0, 0, 4, 0, 0, 0, 0, 0])
        let rows = stage.finish()
        #expect(rows.notes.map(\.code) == ["http2.not-decoded"])
        #expect(rows.exchanges.isEmpty)
    }
}
