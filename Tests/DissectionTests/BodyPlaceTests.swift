import Testing
import Wire

@testable import Dissection

/// Whether a body that stands whole in a chunk is found there, and no other.
struct BodyPlaceTests {
    /// How a response comes, and where its head and its content stand.
    struct Case: CustomTestStringConvertible {
        var detail: String
        /// The response in pieces, one chunk each; chunk 1 is the request.
        var pieces: [String]
        var head: Int?
        var content: Int?

        var testDescription: String { detail }
    }

    static let cases = [
        Case(
            detail: "in one chunk", pieces: ["HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"],
            head: 0, content: 38),
        Case(
            detail: "head and content apart",
            pieces: ["HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", "abc"], head: 0, content: nil),
        Case(
            detail: "content cut", pieces: ["HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na", "bc"],
            head: 0, content: nil),
        Case(
            detail: "head cut", pieces: ["HTTP/1.1 200 OK\r\nConte", "nt-Length: 3\r\n\r\nabc"],
            head: nil, content: nil),
        Case(
            detail: "one transfer chunk",
            pieces: ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"],
            head: 0, content: 50),
        Case(
            detail: "two transfer chunks",
            pieces: [
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n"
            ], head: 0, content: nil),
        Case(
            detail: "behind an interim response",
            pieces: [
                "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"
            ], head: 28, content: 66),
    ]

    @Test(arguments: cases) func `finds what stands whole in a chunk`(_ example: Case) throws {
        var stage = Stage()
        stage.detail(.client, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        for piece in example.pieces { stage.detail(.server, piece) }
        let row = try #require(stage.finish().bodies.first { $0.sender == .server })
        #expect(row.headPlace?.offset == example.head)
        #expect(row.contentPlace?.offset == example.content)
        #expect(row.contentPlace.map { $0.chunk == row.headPlace?.chunk } != false)
        #expect(String(decoding: row.content, as: UTF8.self) == "abc")
    }

    @Test func `does not take decoded content for what stands there`() throws {
        let coded: [UInt8] = [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 0x4B, 0x4C, 0x4A, 6, 0, 0xC2, 0x41, 0x24, 0x35, 3,
            0,
            0, 0,
        ]
        var stage = Stage()
        stage.detail(.client, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let head =
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n"
        stage.detail(.server, Array(head.utf8) + coded)
        let row = try #require(stage.finish().bodies.first { $0.sender == .server })
        #expect(row.headPlace?.offset == 0)
        #expect(row.contentPlace == nil)
        #expect(String(decoding: row.content, as: UTF8.self) == "abc")
    }

    @Test func `does not point into a chunk that was patched`() throws {
        let text = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
        var stage = Stage()
        stage.detail(
            .client, Array(text.utf8),
            patches: [
                Patch(offset: 23, removed: 1, inserted: Array("b.example".utf8), reason: .host)
            ])
        let row = try #require(stage.finish().bodies.first)
        #expect(row.headPlace == nil)
        #expect(row.contentPlace == nil)
        #expect(String(decoding: row.head, as: UTF8.self).contains("Host: b.example\r\n"))
    }
}
