import Testing
import Wire

@testable import Dissection

private func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: o\r\n\r\n" }

private func ok(_ body: String) -> String {
    "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
}

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

@Suite("HTTP goes on behind missing bytes") struct HTTPGapTests {
    @Test func `keeps an exchange together when the hole is inside its body`() throws {
        var stage = Stage(mode: .capture)
        stage.detail(.client, get("/1"))
        stage.detail(.server, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        stage.lost(.server, count: 4, reason: .notCaptured)
        stage.detail(.server, "hij")
        stage.detail(.client, get("/2"))
        stage.detail(.server, ok("two"))
        let rows = stage.finish()
        #expect(rows.exchanges.map(\.path) == ["/1", "/2"])
        #expect(rows.exchanges.map(\.outcome) == [.complete, .complete])
        #expect(rows.exchanges.map(\.responseSize) == [10, 3])
        #expect(
            rows.exchanges.map(\.problem) == ["4 bytes of the response are missing", nil])
        let body = try #require(rows.bodies.first { $0.sender == .server })
        #expect(text(body.content) == "abc")
        #expect(body.size == 10 && body.wireSize == 10)
        #expect(body.problem?.hasPrefix("4 bytes are missing, the first at byte 3") == true)
        #expect(rows.notes.isEmpty)
    }

    @Test func `begins in the middle where the first bytes are missing`() {
        var stage = Stage(mode: .capture)
        stage.lost(.client, reason: .notCaptured)
        stage.detail(.client, "Accept: text/html\r\n\r\n" + get("/1"))
        stage.detail(.server, ok("one"))
        let rows = stage.finish()
        #expect(rows.exchanges.map(\.path) == ["/1"])
        // To which request the server answers is left open.
        #expect(
            rows.notes.map(\.code) == [
                ConversationNote.httpResynchronised.rawValue,
                ConversationNote.responseWithoutRequest.rawValue,
            ])
    }

    @Test func `remembers behind a hole that the client does not wait for answers`() {
        var stage = Stage(mode: .capture)
        stage.detail(.client, get("/1") + get("/2"))
        stage.detail(.server, ok("1"))
        stage.detail(.server, ok("2"))
        stage.lost(.server, reason: .notCaptured)
        stage.detail(.client, get("/3") + get("/4") + get("/5"))
        // One of three is missing: the first may be that of 3 or of 4.
        stage.detail(.server, ok("a"))
        stage.detail(.server, ok("b"))
        let rows = stage.finish()
        #expect(rows.exchanges.map(\.path) == ["/1", "/2", "/3", "/4", "/5"])
        #expect(
            rows.exchanges.map(\.outcome)
                == [.complete, .complete, .noResponse, .noResponse, .complete])
    }

    @Test func `keeps a chunked body together when the hole is inside one chunk`() throws {
        var stage = Stage(mode: .capture)
        stage.detail(.client, get("/1"))
        stage.detail(.server, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nab")
        stage.lost(.server, count: 6, reason: .notCaptured)
        stage.detail(.server, "\r\n2\r\nij\r\n0\r\n\r\n")
        let rows = stage.finish()
        #expect(rows.exchanges.map(\.outcome) == [.complete])
        #expect(rows.exchanges.first?.responseSize == 10)
        #expect(rows.exchanges.first?.problem?.contains("6 bytes") == true)
    }

    @Test func `ends a body whose end is missing and finds the next messages`() {
        var stage = Stage(mode: .capture)
        stage.detail(.client, get("/1"))
        stage.detail(.server, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        // Seven bytes of the body, and the beginning of the next response.
        stage.lost(.server, count: 20, reason: .notCaptured)
        stage.detail(.client, get("/2"))
        stage.detail(.server, "gth: 5\r\n\r\nhello")
        stage.detail(.client, get("/3"))
        stage.detail(.server, ok("three"))
        let rows = stage.finish()
        #expect(rows.exchanges.map(\.path) == ["/1", "/2", "/3"])
        #expect(rows.exchanges.map(\.outcome) == [.complete, .noResponse, .complete])
        #expect(rows.exchanges[1].problem?.contains("missing") == true)
        #expect(rows.exchanges.map { $0.problem == nil } == [false, false, true])
        #expect(rows.notes.map(\.code) == ["http.resynchronised"])
    }

    @Test func `gives no later response to an exchange whose own is missing`() {
        var stage = Stage(mode: .capture)
        stage.detail(.client, get("/1"))
        stage.lost(.server, count: 300, reason: .notCaptured)
        stage.detail(.client, get("/2"))
        stage.detail(.server, ok("two"))
        let rows = stage.finish()
        #expect(rows.exchanges.map(\.outcome) == [.noResponse, .complete])
        #expect(rows.exchanges[0].problem?.contains("300 bytes are missing") == true)
        #expect(rows.bodies.last.map { text($0.content) } == "two")
    }

    @Test func `leaves the response to a missing request alone`() {
        var stage = Stage(mode: .capture)
        stage.detail(.client, get("/1"))
        stage.detail(.server, ok("one"))
        stage.lost(.client, count: 40, reason: .notCaptured)
        stage.detail(.server, ok("lost"))
        stage.detail(.client, get("/3"))
        stage.detail(.server, ok("three"))
        let rows = stage.finish()
        #expect(rows.exchanges.map(\.path) == ["/1", "/3"])
        #expect(rows.exchanges.map(\.outcome) == [.complete, .complete])
        #expect(
            rows.bodies.filter { $0.sender == .server }.map { text($0.content) } == [
                "one", "three",
            ])
        #expect(
            rows.notes.map(\.code) == ["http.response-without-request", "http.resynchronised"])
    }

    @Test func `gives the response to a missing request to none whose own is missing`() {
        var stage = Stage(mode: .capture)
        stage.detail(.client, get("/1"))
        stage.lost(.server, count: 300, reason: .notCaptured)
        stage.lost(.client, count: 40, reason: .notCaptured)
        stage.detail(.server, ok("lost"))
        stage.detail(.client, get("/3"))
        stage.detail(.server, ok("three"))
        let rows = stage.finish()
        #expect(rows.exchanges.map(\.path) == ["/1", "/3"])
        #expect(rows.exchanges.map(\.outcome) == [.noResponse, .complete])
        #expect(
            rows.bodies.filter { $0.sender == .server }.map { text($0.content) } == ["three"])
    }

    @Test func `is not misled by a response without content to a missing HEAD`() {
        var stage = Stage(mode: .capture)
        stage.detail(.client, get("/1"))
        stage.detail(.server, ok("one"))
        stage.lost(.client, count: 40, reason: .notCaptured)
        stage.detail(.server, "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n")
        stage.detail(.client, get("/3"))
        stage.detail(.server, ok("three"))
        let rows = stage.finish()
        #expect(rows.exchanges.map(\.outcome) == [.complete, .complete])
    }

    @Test func `counts the responses of pipelined requests before it pairs again`() {
        var stage = Stage(mode: .capture)
        stage.detail(.client, get("/1") + get("/2") + get("/3"))
        stage.lost(.server, count: 30, reason: .notCaptured)
        stage.detail(.server, "lost" + ok("two") + ok("three"))
        stage.detail(.client, get("/4"))
        stage.detail(.server, ok("four"))
        let rows = stage.finish()
        // The second response could be to the second or, were the second lost too, the third.
        #expect(rows.exchanges.map(\.outcome) == [.noResponse, .noResponse, .complete, .complete])
        #expect(rows.exchanges.prefix(2).allSatisfy { $0.problem?.contains("missing") == true })
        #expect(
            rows.bodies.filter { $0.sender == .server }.map { text($0.content) } == [
                "three", "four",
            ])
    }

    @Test func `shifts no pair where pipelined requests are missing`() {
        var stage = Stage(mode: .capture)
        stage.detail(.client, get("/1"))
        stage.lost(.client, count: 30, reason: .notCaptured)
        stage.detail(.client, get("/3"))
        stage.detail(.server, ok("one") + ok("two") + ok("three"))
        stage.detail(.client, get("/4"))
        stage.detail(.server, ok("four"))
        let rows = stage.finish()
        #expect(rows.exchanges.map(\.path) == ["/1", "/3", "/4"])
        #expect(rows.exchanges.map(\.outcome) == [.complete, .noResponse, .complete])
        #expect(
            rows.bodies.filter { $0.sender == .server }.map { text($0.content) } == ["one", "four"])
    }

    @Test func `finds a request behind a body that does not end in a line break`() {
        var stage = Stage(mode: .capture)
        stage.detail(.client, "POST /1 HTTP/1.1\r\nHo")
        stage.lost(.client, count: 30, reason: .notCaptured)
        stage.detail(.client, #"a":1"#)
        stage.detail(.server, ok("lost"))
        // What came last may be the rest of a body.
        stage.detail(.client, "}" + get("/2"))
        stage.detail(.server, ok("two"))
        let rows = stage.finish()
        #expect(rows.exchanges.map(\.path) == ["/2"])
        #expect(rows.exchanges.map(\.outcome) == [.complete])
    }

    @Test func `decodes a compressed body up to the hole`() throws {
        // "hello hello hello hello" with zlib's gzip, stored block for its first five bytes.
        var stage = Stage(mode: .capture)
        stage.detail(.client, get("/1"))
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 60\r\n\r\n"
        let gzip: [UInt8] =
            [31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 0, 5, 0, 250, 255] + Array("hello".utf8)
        stage.detail(.server, Array(head.utf8) + gzip)
        stage.lost(.server, count: 30, reason: .notCaptured)
        stage.detail(.server, [UInt8](repeating: 7, count: 10))
        let rows = stage.finish()
        let body = try #require(rows.bodies.first { $0.sender == .server })
        #expect(text(body.content) == "hello")
        #expect(body.size == 5 && body.wireSize == 60)
        #expect(body.problem?.contains("30 bytes are missing") == true)
        #expect(rows.exchanges.map(\.outcome) == [.complete])
    }

    @Test func `holds gaps behind a request to change the protocol in their place`() {
        var stage = Stage(mode: .capture)
        stage.detail(
            .client, "GET /1 HTTP/1.1\r\nHost: o\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
        stage.detail(.client, "POST /2 HTTP/1.1\r\nHost: o\r\nContent-Length: 6\r\n\r\nab")
        stage.lost(.client, count: 3, reason: .notCaptured)
        stage.detail(.client, "f" + get("/3"))
        stage.detail(.server, ok("no"))
        stage.detail(.server, ok("two") + ok("three"))
        let rows = stage.finish()
        #expect(rows.exchanges.map(\.path) == ["/1", "/2", "/3"])
        #expect(rows.exchanges.map(\.requestSize) == [0, 6, 0])
        #expect(rows.exchanges.map(\.outcome) == [.complete, .complete, .complete])
    }

    @Test(arguments: [Int64.max, Int64.max / 2, 0, -5])
    func `believes no count that cannot be`(count: Int64) {
        var stage = Stage(mode: .capture)
        stage.detail(.client, get("/1"))
        stage.detail(
            .server, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\na")
        for _ in 0..<5 { stage.lost(.server, count: count, reason: .notCaptured) }
        stage.detail(.client, get("/2"))
        stage.detail(.server, ok("two"))
        #expect(stage.finish().exchanges.map(\.outcome) == [.responseCut, .complete])
    }
}
