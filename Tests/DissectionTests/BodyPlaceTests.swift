import Testing
import Wire

@testable import Dissection

/// Whether a body that stands in chunks is found there, and no other.
struct BodyPlaceTests {
    /// How a response comes, and where its head and its content stand.
    struct Case: CustomTestStringConvertible {
        var detail: String
        /// The response in pieces, one chunk each; chunk 1 is the request.
        var pieces: [String]
        var head: Int?
        var content: Int?
        /// Chunks and offsets of the content, and how much of it is there.
        var parts: [[Int]] = []

        var testDescription: String { detail }
    }

    static let cases = [
        Case(
            detail: "in one chunk", pieces: ["HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"],
            head: 0, content: 38, parts: [[2, 38, 3]]),
        Case(
            detail: "head and content apart",
            pieces: ["HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", "abc"], head: 0, content: nil,
            parts: [[3, 0, 3]]),
        Case(
            detail: "content cut", pieces: ["HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na", "bc"],
            head: 0, content: nil, parts: [[2, 38, 1], [3, 0, 2]]),
        Case(
            detail: "head cut", pieces: ["HTTP/1.1 200 OK\r\nConte", "nt-Length: 3\r\n\r\nabc"],
            head: nil, content: 16, parts: [[3, 16, 3]]),
        Case(
            detail: "one transfer chunk",
            pieces: ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"],
            head: 0, content: 50, parts: [[2, 50, 3]]),
        Case(
            detail: "two transfer chunks",
            pieces: [
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n"
            ], head: 0, content: nil, parts: [[2, 50, 1], [2, 56, 2]]),
        Case(
            detail: "behind an interim response",
            pieces: [
                "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"
            ], head: 28, content: 66, parts: [[2, 66, 3]]),
    ]

    @Test(arguments: cases) func `finds what stands whole in a chunk`(_ example: Case) throws {
        var stage = Stage()
        stage.detail(.client, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        for piece in example.pieces { stage.detail(.server, piece) }
        let row = try #require(stage.finish().bodies.first { $0.sender == .server })
        #expect(row.headPlace?.offset == example.head)
        #expect(row.contentPlace?.offset == example.content)
        if let place = row.contentPlace, let head = row.headPlace {
            #expect(place.chunk == head.chunk)
        }
        #expect(
            row.contentParts.map { [Int($0.place.chunk.rawValue), $0.place.offset, $0.count] }
                == example.parts)
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
        #expect(row.contentParts == [])
        #expect(String(decoding: row.content, as: UTF8.self) == "abc")
    }

    @Test func `the kept part of a large body is found too`() throws {
        var limits = DissectionLimits()
        limits.storedContent = 5
        var stage = Stage(limits: limits)
        stage.detail(.client, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        for piece in ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "def", "ghi"] {
            stage.detail(.server, piece)
        }
        let row = try #require(stage.finish().bodies.first { $0.sender == .server })
        #expect(row.contentPlace == nil)
        #expect(
            row.contentParts == [
                ContentPart(place: Place(chunk: ChunkID(2), offset: 38), count: 3),
                ContentPart(place: Place(chunk: ChunkID(3), offset: 0), count: 2),
            ])
        #expect(String(decoding: row.content, as: UTF8.self) == "abcde")
    }

    @Test func `writes down no places that are longer than what stands there`() throws {
        var stage = Stage()
        stage.detail(.client, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        stage.detail(.server, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
        for _ in 0..<100 { stage.detail(.server, "a") }
        let row = try #require(stage.finish().bodies.first { $0.sender == .server })
        #expect(row.contentParts == [])
        #expect(row.content.count == 100)
    }

    @Test func `points into a patched chunk only for what stands there`() throws {
        let text = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
        var stage = Stage()
        stage.detail(
            .client, Array(text.utf8),
            patches: [
                Patch(offset: 23, removed: 1, inserted: Array("b.example".utf8), reason: .host)
            ])
        let row = try #require(stage.finish().bodies.first)
        #expect(row.headPlace == nil)
        #expect(
            row.contentParts == [
                ContentPart(place: Place(chunk: ChunkID(1), offset: 47), count: 3)
            ])
        #expect(String(decoding: row.head, as: UTF8.self).contains("Host: b.example\r\n"))
    }
}
