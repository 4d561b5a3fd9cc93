import Framing
import Testing
import Wire

@testable import Dissection

private let request = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
private let answer = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"

/// What differs between the sides of a connection, and for how long.
@Suite struct SidesTests {
    /// A field is put into the head of an answer.
    private static let field = Patch(
        offset: 36, removed: 0, inserted: Array("X-A: b\r\n".utf8), reason: .fault)

    @Test func `has a body once that is the same behind a changed head`() throws {
        var stage = Stage()
        stage.detail(.client, request)
        stage.detail(.server, Array(answer.utf8), patches: [Self.field])
        let rows = stage.finish()
        #expect(rows.exchanges.map(\.side) == [.client, .server])
        #expect(rows.exchanges.map(\.fate) == [.altered, .altered])
        let bodies = rows.bodies.filter { $0.sender == .server }
        #expect(bodies.map { String(decoding: $0.content, as: UTF8.self) } == ["abc", "abc"])
        let place = ContentPart(place: Place(chunk: ChunkID(2), offset: 38), count: 3)
        #expect(bodies.map(\.contentParts) == [[place], [place]])
        #expect(bodies.map { $0.headPlace?.offset } == [nil, 0])
        let client = try #require(bodies.first)
        #expect(String(decoding: client.head, as: UTF8.self).contains("X-A: b\r\n\r\n"))
    }

    @Test func `has no place for a body that is cut by a patch`() {
        let cut = Patch(offset: 39, removed: 1, inserted: [0x42], reason: .fault)
        var stage = Stage()
        stage.detail(.client, request)
        stage.detail(.server, Array(answer.utf8), patches: [cut])
        let bodies = stage.finish().bodies.filter { $0.sender == .server }
        #expect(bodies.map { String(decoding: $0.content, as: UTF8.self) } == ["aBc", "abc"])
        #expect(bodies.map(\.contentParts.count) == [0, 1])
    }

    @Test func `is late, not altered, where a document was sent and the answer is cut up`() {
        let form = "<a xmlns='b'/>"
        let sent =
            "POST /a HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\n"
            + "Content-Length: \(form.utf8.count)\r\n\r\n" + form
        for first in [10, 38, 40] {
            var stage = Stage()
            stage.detail(.client, sent)
            stage.detail(.server, Array(answer.utf8.prefix(first)))
            let rest = Array(answer.utf8.dropFirst(first))
            stage.detail(.server, rest, deliveries: Self.late(rest, 9_000))
            let rows = stage.finish()
            #expect(rows.exchanges.map(\.fate) == [.late, .late])
            #expect(rows.documents.count == 2)
        }
    }

    @Test func `forgets what differed once it is over`() {
        var stage = Stage()
        for _ in 0..<40 {
            stage.detail(.client, request)
            stage.detail(.server, Array(answer.utf8), patches: [Self.field])
        }
        #expect(stage.dissector.marked == 0)
        #expect(stage.finish().exchanges.count == 80)
    }

    @Test
    func `does not keep what is finished, also where rows of open exchanges are not asked for`() {
        var stage = Stage()
        for _ in 0..<2_000 {
            stage.detail(.client, request)
            stage.detail(.server, answer)
        }
        #expect(stage.dissector.changed <= 256)
        #expect(stage.finish().exchanges.count == 2_000)
    }

    // MARK: WebSockets

    private static let upgrade =
        "GET /s HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    private static let switched =
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"

    private func socket() -> Stage {
        var stage = Stage()
        stage.detail(.client, Self.upgrade)
        stage.detail(.server, Self.switched)
        return stage
    }

    private static func frame(_ text: String, fin: Bool = true) -> [UInt8] {
        WebSocketFrameEncoder.encode(opcode: .text, payload: Array(text.utf8), fin: fin, mask: 7)
    }

    private static func late(_ bytes: [UInt8], _ at: Int64) -> [Delivery] {
        [Delivery(offset: 0, count: bytes.count, at: Instant(nanoseconds: at))]
    }

    @Test(arguments: [1, 3, 7]) func `is not late for what waited for the rest of its frame`(
        count: Int
    ) {
        let bytes = Self.frame("0:h:1")
        let start = Array(bytes[..<count])
        var stage = socket()
        stage.detail(.client, start, deliveries: Self.late(start, 4000))
        stage.detail(.client, Array(bytes[count...]))
        let rows = stage.finish()
        #expect(rows.messages.map(\.side) == [.both])
        #expect(rows.messages.map(\.at.nanoseconds) == [3000])
        #expect(rows.messages.map(\.endedAt.nanoseconds) == [4000])
        #expect(rows.commands.map(\.side) == [.both])
        #expect(rows.frames.count == 1)
    }

    @Test func `knows when the server had the start of a message that ended late`() {
        let bytes = Self.frame("0:h:1")
        let (start, end) = (Array(bytes[..<5]), Array(bytes[5...]))
        var stage = socket()
        stage.detail(.client, start, deliveries: Self.late(start, 9000))
        stage.detail(.client, end, deliveries: Self.late(end, 9500))
        let messages = stage.finish().messages
        #expect(messages.map(\.side) == [.client, .server])
        #expect(messages.map(\.fate) == [.late, .late])
        #expect(messages.map(\.at.nanoseconds) == [3000, 9000])
        #expect(messages.map(\.endedAt.nanoseconds) == [4000, 9500])
    }

    @Test func `is late for a whole message, and for the rest of one that never came`() {
        let bytes = Self.frame("0:h:1")
        var stage = socket()
        stage.detail(.client, bytes, deliveries: Self.late(bytes, 9000))
        let start = Array(bytes[..<5])
        stage.detail(.client, start, deliveries: [Delivery(offset: 0, count: 5, at: nil)])
        let rows = stage.finish()
        #expect(rows.messages.first?.fate == .late)
        #expect(rows.messages.filter { $0.side == .both } == [])
    }
}
