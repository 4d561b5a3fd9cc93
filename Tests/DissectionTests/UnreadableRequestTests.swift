import Testing
import Wire

@testable import Dissection

private let refusal = "HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nno"
private let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

@Suite struct UnreadableRequestTests {
    /// Everything as one chunk, or byte by byte.
    private static func play(
        _ sayings: [(Peer, String)], mode: ConnectionRow.Mode = .reverse, bytewise: Bool,
        closes: Bool = true
    ) -> [DerivedRow] {
        var stage = Stage(mode: mode)
        for (sender, text) in sayings {
            if bytewise {
                for byte in text.utf8 { stage.detail(sender, [byte]) }
            } else {
                stage.detail(sender, text)
            }
        }
        if closes {
            stage.event(.closed, Stage.server, detail: "closed")
            stage.event(.closed, Stage.client, detail: "closed")
        }
        return stage.finish()
    }

    @Test(arguments: [
        "Content-Length: -5\r\n\r\n", "Content-Length: abc\r\n\r\nhello",
        "Content-Length: 99999999999999999999\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n", "Transfer-Encoding: chunked\r\n\r\nzz",
    ])
    func `keep the answer where the content cannot be framed`(rest: String) throws {
        for bytewise in [false, true] {
            let rows = Self.play(
                [(.client, "POST /a HTTP/1.1\r\nHost: o\r\n\(rest)"), (.server, refusal)],
                bytewise: bytewise)
            let row = try #require(rows.exchanges.first)
            #expect(rows.exchanges.count == 1)
            #expect(row.path == "/a")
            #expect(row.status == 400)
            #expect(row.outcome == .requestCut)
            #expect(row.problem?.isEmpty == false)
            #expect(rows.notes.contains { $0.code == "http.failed" && $0.exchange == row.id })
            #expect(!rows.notes.contains { $0.code == "http.response-without-request" })
            #expect(rows.bodies.map(\.sender) == [.client, .server])
        }
    }

    @Test(arguments: [
        "PI\u{1}NG\r\n\r\n", "\u{1}\r\n", "NG\r\n", "GET\r\n", "Hello, who is there?\r\n\r\n",
        "\r*\r\n",
    ])
    func `are exchanges where the request line cannot be read`(line: String) throws {
        for (mode, bytewise) in [
            (ConnectionRow.Mode.reverse, false), (.reverse, true), (.forward, false),
            (.forward, true),
        ] {
            // Behind a reverse proxy, what begins like no HTTP is passed on unread.
            if mode == .reverse, line.hasPrefix("\u{1}") { continue }
            let rows = Self.play(
                [(.client, line), (.server, refusal)], mode: mode, bytewise: bytewise)
            let row = try #require(rows.exchanges.first, "\(mode) \(bytewise)")
            #expect(rows.exchanges.count == 1)
            #expect(row.method == "?")
            #expect(row.status == 400)
            #expect(row.outcome == .requestCut)
            #expect(row.host == (mode == .reverse ? "127.0.0.1" : ""))
            #expect(rows.notes.map(\.code) == ["http.failed"])
            #expect(rows.notes.first?.exchange == row.id)
            let end = line.utf8.firstIndex(of: 0x0A).map { line.utf8.index(after: $0) }
            let first = Array(line.utf8[..<(end ?? line.utf8.endIndex)])
            #expect(rows.bodies.first?.head == first)
        }
    }

    @Test func `do not hide the answer to the request before them`() {
        for bytewise in [false, true] {
            let rows = Self.play(
                [
                    (
                        .client,
                        "POST /a HTTP/1.1\r\nHost: o\r\nContent-Length: 3\r\n\r\nabc\u{1}f\r\n"
                    ),
                    (.server, answer),
                ], bytewise: bytewise)
            #expect(rows.exchanges.map(\.status) == [200, nil])
            #expect(rows.exchanges.map(\.outcome) == [.complete, .requestCut])
            #expect(rows.exchanges.map(\.method) == ["POST", "?"])
        }
    }

    @Test func `take the answer after that of the request before them`() {
        for bytewise in [false, true] {
            let rows = Self.play(
                [
                    (.client, "POST /a HTTP/1.1\r\nHost: o\r\nContent-Length: 3\r\n\r\nabcdef\r\n"),
                    (.server, answer + refusal),
                ], bytewise: bytewise)
            #expect(rows.exchanges.map(\.status) == [200, 400])
            #expect(!rows.notes.contains { $0.code == "http.response-without-request" })
        }
    }

    @Test func `may have held more requests than are known`() {
        for bytewise in [false, true] {
            let rows = Self.play(
                [
                    (.client, "POST /a HTTP/1.1\r\nHost: o\r\nContent-Length: -1\r\n\r\n"),
                    (.server, refusal + answer),
                ], bytewise: bytewise)
            #expect(rows.exchanges.map(\.status) == [400])
            #expect(rows.notes.map(\.code).contains("http.response-to-unreadable"))
            #expect(!rows.notes.contains { $0.code == "http.response-without-request" })
        }
    }

    @Test(arguments: [Stage.client, Stage.server])
    func `are exchanges where the head never ends`(closedFirst: LegID) throws {
        for hasEnded in [false, true] {
            var stage = Stage()
            stage.detail(.client, "GET /a?b HTTP/1.1\r\nHost: o.example\r\nX-")
            stage.detail(.client, "Half")
            if hasEnded { stage.event(.ended, Stage.client) }
            stage.event(.closed, closedFirst, detail: "closed")
            stage.event(
                .closed, closedFirst == Stage.client ? Stage.server : Stage.client, detail: "closed"
            )
            let rows = stage.finish()
            let row = try #require(rows.exchanges.first)
            #expect(rows.exchanges.count == 1)
            #expect(row.method == "GET")
            #expect(row.host == "o.example")
            #expect(row.path == "/a")
            #expect(row.outcome == .requestCut)
            #expect(row.problem?.contains("not complete") == true)
            #expect(rows.notes.map(\.code) == ["http.head-cut"])
            #expect(rows.bodies.first.map { $0.head.count } == 42)
        }
    }

    @Test func `are exchanges where the session ends in the head`() {
        var stage = Stage()
        stage.detail(.client, "GE")
        let rows = stage.finish()
        #expect(rows.exchanges.map(\.method) == ["?"])
        #expect(rows.notes.map(\.code) == ["http.head-cut"])
    }

    @Test func `take the answer that comes before the direction ends`() {
        var stage = Stage()
        stage.detail(.client, "GET /a HTTP/1.1\r\nHost: o\r\n")
        stage.event(.ended, Stage.client)
        stage.detail(.server, refusal)
        let rows = stage.finish()
        #expect(rows.exchanges.map(\.status) == [400])
        #expect(rows.notes.map(\.code) == ["http.head-cut"])
    }

    @Test func `take an answer that comes before their heads are complete`() throws {
        var stage = Stage()
        stage.detail(.client, "GET /a HTTP/1.1\r\nHost: o\r\n")
        stage.detail(.server, "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n")
        stage.event(.closed, Stage.server, detail: "closed")
        let rows = stage.finish()
        let row = try #require(rows.exchanges.first)
        #expect(rows.exchanges.count == 1)
        #expect(row.status == 408)
        #expect(row.path == "/a")
        #expect(!rows.notes.contains { $0.code == "http.response-without-request" })
    }

    @Test func `go on behind an answer that came too early`() {
        var stage = Stage()
        stage.detail(.client, "POST /a HTTP/1.1\r\nHos")
        stage.detail(.server, answer)
        stage.detail(.client, "t: late.example\r\nContent-Length: 1\r\n\r\nx")
        stage.detail(.client, "GET /b HTTP/1.1\r\nHost: o\r\n\r\n")
        stage.detail(.server, answer)
        let rows = stage.finish()
        #expect(rows.exchanges.map(\.path) == ["/a", "/b"])
        #expect(rows.exchanges.map(\.host) == ["late.example", "o"])
        #expect(rows.exchanges.map(\.status) == [200, 200])
        #expect(rows.exchanges.map(\.outcome) == [.requestCut, .complete])
    }

    @Test func `are exchanges where the head is too long`() throws {
        var stage = Stage()
        stage.detail(.client, "GET /a HTTP/1.1\r\nHost: o\r\n")
        let field = "X-Field: " + String(repeating: "x", count: 1000) + "\r\n"
        for _ in 0..<300 { stage.detail(.client, field) }
        stage.detail(.server, "HTTP/1.1 431 Too Large\r\nContent-Length: 0\r\n\r\n")
        let rows = stage.finish()
        let row = try #require(rows.exchanges.first)
        #expect(rows.exchanges.count == 1)
        #expect(row.path == "/a")
        #expect(row.host == "o")
        #expect(row.status == 431)
        #expect(row.problem?.contains("262144 bytes") == true)
    }

    @Test func `are exchanges where there are too many fields`() throws {
        var stage = Stage()
        stage.detail(.client, "GET /a HTTP/1.1\r\nHost: o\r\n")
        stage.detail(.client, String(repeating: "A: b\r\n", count: 5000) + "\r\n")
        stage.detail(.server, "HTTP/1.1 431 Too Large\r\nContent-Length: 0\r\n\r\n")
        let row = try #require(stage.finish().exchanges.first)
        #expect(row.path == "/a")
        #expect(row.status == 431)
    }

    @Test func `are exchanges in captures, too`() {
        for mode in [ConnectionRow.Mode.capture, .reverse] {
            let rows = Self.play(
                [
                    (.client, "POST /a HTTP/1.1\r\nHost: o\r\nContent-Length: 3\r\n\r\nabcDEF\r\n"),
                    (.server, answer + refusal),
                ], mode: mode, bytewise: false)
            #expect(rows.exchanges.map(\.status) == [200, 400], "\(mode)")
        }
    }

    @Test
    func `that are sent in chunks which break after an early answer make no further exchange`() {
        var stage = Stage()
        stage.detail(
            .client, "POST /a HTTP/1.1\r\nHost: o\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab")
        stage.detail(.server, refusal)
        stage.detail(.client, "c\r\nzzz")
        let rows = stage.finish()
        #expect(rows.exchanges.map(\.status) == [400])
    }
}
