import Framing
import Testing
import Wire

@testable import Dissection

@Suite("Places of bytes are found, and forgotten when nothing can refer to them")
struct PlaceMapTests {
    private let output = DissectorOutput(numbers: DissectorNumbers())
    private let context = ConversationContext(
        ConnectionRow(
            id: ConnectionID(1), at: .zero, listener: "", client: "", mode: .capture))

    private var http: HTTPConversation {
        HTTPConversation(context: context, limits: DissectionLimits(), output: output)
    }

    private func piece(_ bytes: some Sequence<UInt8>, _ sender: Peer, chunk: Int) -> Piece {
        Piece(
            bytes: Array(bytes)[...], sender: sender, leg: LegID(1),
            at: Instant(nanoseconds: Int64(chunk)), isLocal: false, chunk: ChunkID(Int64(chunk)),
            segments: [])
    }

    @Test func `finds the chunk of every byte that is kept`() {
        var map = PlaceMap()
        #expect(map.locate(0) == nil)
        for chunk in 0..<500 {
            map.append(
                piece(repeatElement(0x61, count: 10), .client, chunk: chunk).dropping(7),
                start: Int64(chunk * 3))
        }
        map.forget(before: 301)
        #expect(map.count == 400)
        for offset in 300..<1500 {
            let found = map.locate(Int64(offset))
            #expect(
                found?.place
                    == Place(chunk: ChunkID(Int64(offset / 3)), offset: 7 + offset % 3))
            #expect(found?.at == Instant(nanoseconds: Int64(offset / 3)))
        }
        // The last is kept, since what comes may refer to the end of it.
        map.forget(before: 9_999)
        #expect(map.count == 1)
        #expect(map.locate(1_500)?.place == Place(chunk: ChunkID(499), offset: 10))
    }

    @Test(arguments: [
        "Content-Length: 60000\r\n\r\n", "\r\n",
        "Transfer-Encoding: chunked\r\n\r\nea60\r\n",
    ])
    func `stays small inside long content`(fields: String) {
        let http = http
        _ = http.consume(piece("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8, .client, chunk: 1))
        _ = http.consume(piece("HTTP/1.1 200 OK\r\n\(fields)".utf8, .server, chunk: 2))
        var most = 0
        for chunk in 3..<3_000 {
            _ = http.consume(piece(repeatElement(0x61, count: 20), .server, chunk: chunk))
            most = max(most, http.responsePlaces.count)
        }
        #expect(most <= 2)
    }

    @Test func `stays small inside a long upload`() {
        let http = http
        let head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 60000\r\n\r\n"
        var most = 0
        for (index, byte) in head.utf8.enumerated() {
            _ = http.consume(piece([byte], .client, chunk: index))
        }
        for chunk in 0..<3_000 {
            _ = http.consume(piece(repeatElement(0x61, count: 20), .client, chunk: 100 + chunk))
            most = max(most, http.requestPlaces.count)
        }
        #expect(most <= 2)
        #expect(http.waiting.first?.row.requestPlace == Place(chunk: ChunkID(0), offset: 0))
        #expect(http.waiting.first?.row.requestEndedAt != nil)
    }

    @Test func `a message begins where its first frame does, however long ago`() {
        let row = ExchangeRow(
            id: ExchangeID(1), connection: ConnectionID(1), api: "http", method: "GET",
            scheme: "http", host: "h", port: 80, path: "/", query: nil, version: "1.1",
            startedAt: .zero, requestPlace: Place(chunk: ChunkID(1), offset: 0))
        let socket = WebSocketConversation(
            exchange: OpenExchange(
                row: row, kind: .other, hasExplicitPort: false),
            deflate: nil, context: context, limits: DissectionLimits(), output: output)
        // A text of 40,000 bytes in two frames of many chunks, with a ping between.
        var most = 0
        var chunk = 5
        func detail(_ bytes: some Sequence<UInt8>) {
            socket.consume(piece(bytes, .server, chunk: chunk))
            chunk += 1
            most = max(most, socket.directions[Peer.server.rawValue].places.count)
        }
        for head in [[0x01, 126, 0x4E, 0x20], [0x89, 1, 0x2E, 0x80, 126, 0x4E, 0x20]] as [[UInt8]] {
            // Each byte of the header is a chunk of its own.
            for byte in head { detail([byte]) }
            for _ in 0..<1_000 { detail(repeatElement(0x61, count: 20)) }
        }
        #expect(most <= 5)
        var rows: [DerivedRow] = []
        output.trade(&rows)
        #expect(rows.messages.map(\.opcode) == [9, 1])
        #expect(rows.messages.map(\.place.chunk.rawValue) == [1_009, 5])
        #expect(rows.messages.map(\.at.nanoseconds) == [1_009, 5])
        #expect(rows.frames.map(\.place.chunk.rawValue) == [5, 1_009, 1_012])
    }
}
