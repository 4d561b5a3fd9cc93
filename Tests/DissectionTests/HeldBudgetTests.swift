import Testing
import Wire

@testable import Dissection

/// Many connections that a dissector is shown at once.
private struct Crowd {
    var dissector: Dissector
    var rows: [DerivedRow] = []
    /// Most that was ever held after a record.
    var most = 0
    private var chunks: Int64 = 0

    init(limit: Int) {
        var limits = DissectionLimits()
        limits.heldInAll = limit
        dissector = Dissector(limits: limits)
    }

    private mutating func put(_ record: Record) {
        var chunk: ChunkID?
        if case .chunk = record {
            chunks += 1
            chunk = ChunkID(chunks)
        }
        dissector.consume(record, chunk: chunk, into: &rows)
        most = max(most, dissector.heldBytes)
    }

    mutating func open(_ number: Int64) {
        let connection = ConnectionID(number)
        put(
            .connection(
                ConnectionRow(
                    id: connection, at: .zero, listener: "", client: "", mode: .reverse)))
        for peer in Peer.allCases {
            put(
                .leg(
                    LegRow(
                        id: LegID(2 * number + Int64(peer.rawValue)), connection: connection,
                        peer: peer, at: .zero, host: "o", port: 80)))
        }
    }

    mutating func detail(_ number: Int64, _ sender: Peer, _ bytes: [UInt8]) {
        put(
            .chunk(
                Chunk(
                    connection: ConnectionID(number),
                    leg: LegID(2 * number + Int64(sender.rawValue)), sender: sender,
                    at: Instant(nanoseconds: chunks), bytes: bytes)))
    }

    mutating func detail(_ number: Int64, _ sender: Peer, _ text: String) {
        detail(number, sender, Array(text.utf8))
    }

    mutating func close(_ number: Int64) {
        for peer in Peer.allCases {
            put(
                .event(
                    EventRow(
                        .closed, connection: ConnectionID(number),
                        leg: LegID(2 * number + Int64(peer.rawValue)),
                        at: Instant(nanoseconds: chunks), detail: "closed")))
        }
    }
}

@Suite struct HeldBudgetTests {
    private static let request = "GET /a HTTP/1.1\r\nHost: o\r\n\r\n"

    /// 2,000 bodies under way of 80 KB each, and one connection that behaves as always.
    private static func bodies() -> Crowd {
        var crowd = Crowd(limit: 24 << 20)
        let piece = Array(repeating: UInt8(0x78), count: 20_000)
        let clients = Int64(1)...2_000
        for number in clients {
            crowd.open(number)
            crowd.detail(number, .client, request)
            crowd.detail(number, .server, "HTTP/1.1 200 OK\r\nContent-Length: 80000\r\n\r\n")
        }
        crowd.open(9_000)
        for _ in 0..<4 {
            for number in clients { crowd.detail(number, .server, piece) }
            crowd.detail(9_000, .client, request)
            crowd.detail(9_000, .server, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nsmall")
        }
        return crowd
    }

    @Test func `bodies of thousands of connections hold no more than one budget`() throws {
        let crowd = Self.bodies()
        #expect(crowd.most <= 24 << 20 + 20_000)
        #expect(crowd.dissector.heldBytes <= 24 << 20)
        let exchanges = crowd.rows.exchanges
        #expect(exchanges.count == 2_004)
        #expect(exchanges.allSatisfy { $0.outcome == .complete })
        let bodies = crowd.rows.bodies.filter { $0.sender == .server }
        let large = bodies.filter { $0.size == 80_000 }
        #expect(large.count == 2_000)
        let left = large.filter { $0.content.count < 80_000 }
        #expect(left.count > 500)
        #expect(left.allSatisfy { $0.problem?.contains("in the chunks") == true })
        #expect(left.allSatisfy { $0.content.count == 4096 })
        #expect(crowd.rows.notes.filter { $0.code == "dissection.shed" }.count == left.count)
        // Who holds little is not touched by what others hold.
        #expect(bodies.filter { $0.size == 5 }.map { $0.content.count } == [5, 5, 5, 5])
        // The same records give the same rows.
        #expect(Self.bodies().rows == crowd.rows)
    }

    @Test func `is eased when an eighth of the limit is free`() {
        var budget = HeldBudget(limit: 80_000)
        budget.change(ConnectionID(1), from: 0, to: 50_000)
        budget.change(ConnectionID(2), from: 0, to: 30_000)
        #expect(!budget.isExceeded && !budget.isEased)
        budget.change(ConnectionID(2), from: 30_000, to: 30_001)
        #expect(budget.isExceeded)
        budget.change(ConnectionID(1), from: 50_000, to: 40_000)
        #expect(!budget.isEased)
        budget.change(ConnectionID(1), from: 40_000, to: 39_999)
        #expect(budget.isEased)
    }

    @Test func `unfinished heads of hundreds of connections hold no more than one budget`() {
        var crowd = Crowd(limit: 16 << 20)
        let field = Array("X-Field: \(String(repeating: "x", count: 9_989))\r\n".utf8)
        for number in Int64(1)...800 {
            crowd.open(number)
            crowd.detail(number, .client, "GET /a HTTP/1.1\r\nHost: o\r\n")
        }
        for _ in 0..<25 {
            for number in Int64(1)...800 { crowd.detail(number, .client, field) }
        }
        #expect(crowd.most <= 16 << 20 + 20_000)
        let shed = crowd.rows.notes.filter { $0.code == "dissection.shed" }
        #expect(shed.count > 700)
        #expect(shed.allSatisfy { $0.exchange != nil })
        for number in Int64(1)...800 { crowd.close(number) }
        #expect(crowd.dissector.heldBytes == 0)
        #expect(crowd.dissector.followed == 0)
        let exchanges = crowd.rows.exchanges
        #expect(exchanges.count == 800)
        #expect(exchanges.allSatisfy { $0.path == "/a" && $0.outcome == .requestCut })
        #expect(crowd.rows.bodies.allSatisfy { $0.head.count <= 256 << 10 })
    }

    @Test func `heads that come byte by byte are counted with what points at them`() {
        var crowd = Crowd(limit: 1 << 20)
        crowd.open(1)
        for byte in "GET /a HTTP/1.1\r\nHost: o\r\nX: ".utf8 { crowd.detail(1, .client, [byte]) }
        for _ in 0..<40_000 { crowd.detail(1, .client, [0x78]) }
        #expect(crowd.most <= 1 << 20 + 100)
        #expect(crowd.rows.notes.map(\.code) == ["dissection.shed"])
    }

    @Test func `messages of WebSockets hold no more than one budget`() {
        var crowd = Crowd(limit: 4 << 20)
        let clients = Int64(1)...200
        for number in clients {
            crowd.open(number)
            crowd.detail(
                number, .client,
                "GET /s HTTP/1.1\r\nHost: o\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
            crowd.detail(
                number, .server,
                "HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
            // Text of 100,000 bytes.
            crowd.detail(number, .server, [0x81, 127, 0, 0, 0, 0, 0, 1, 0x86, 0xA0])
        }
        let piece = Array(repeating: UInt8(0x78), count: 25_000)
        for _ in 0..<4 {
            for number in clients { crowd.detail(number, .server, piece) }
        }
        #expect(crowd.most <= 4 << 20 + 25_000)
        let messages = crowd.rows.messages
        #expect(messages.count == 200)
        #expect(messages.allSatisfy { $0.size == 100_000 && $0.isText })
        let left = messages.filter { $0.payload.count < 100_000 }
        #expect(left.count > 100)
        #expect(left.allSatisfy { $0.problem?.contains("in the chunks") == true })
        #expect(crowd.rows.notes.filter { $0.code == "dissection.shed" }.count == left.count)
    }

    @Test func `what waits for a change of protocol counts, too`() {
        var crowd = Crowd(limit: 1 << 20)
        for number in Int64(1)...20 {
            crowd.open(number)
            crowd.detail(number, .client, "CONNECT o:443 HTTP/1.1\r\nHost: o:443\r\n\r\n")
            crowd.detail(number, .client, Array(repeating: 0x16, count: 100_000))
        }
        #expect(crowd.most <= 1 << 20 + 100_000)
        for number in Int64(1)...20 {
            crowd.detail(number, .server, "HTTP/1.1 200 OK\r\n\r\n")
            crowd.detail(number, .client, "GET /x HTTP/1.1\r\n\r\n")
        }
        #expect(crowd.rows.exchanges.allSatisfy { $0.method == "CONNECT" && $0.status == 200 })
        #expect(crowd.rows.notes.contains { $0.code == "dissection.shed" })
    }
}
