import Testing
import Wire

@testable import Trace

@Suite struct ReplayReaderTests {
    /// Head and content of both sides of an exchange, as the view `body` says.
    private func shown(_ trace: TemporaryTrace, _ id: Int64) throws -> [String] {
        try trace.rows(
            """
            SELECT CAST(head AS TEXT) || '|' || CAST(content AS TEXT) || '|' || size FROM body
            WHERE exchange_id = \(id) ORDER BY id
            """)
    }

    private func read(_ reader: ReplayReader, _ id: Int64) throws -> [String] {
        try Peer.allCases.map { peer in
            let side = try #require(try reader.side(ExchangeID(id), peer))
            let head = String(decoding: side.head, as: UTF8.self)
            return "\(head)|\(String(decoding: side.content, as: UTF8.self))|\(side.size)"
        }
    }

    @Test func `reads what the view of bodies says, before and after the file is mapped`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        let opened = traffic.open()
        var records = opened.records
        for number in 0..<20 {
            let body = String(repeating: "body \(number) ", count: 300 * (number % 3))
            records += traffic.exchange(opened, number: number, body: body)
        }
        _ = writer.put(records)
        writer.finish()
        let reader = try ReplayReader(path: trace.path)
        let expected = try (1...20).map { try shown(trace, $0) }
        #expect(expected.joined().count == 40)
        #expect(try (1...20).map { try read(reader, $0) } == expected)
        try reader.holdSnapshot()
        // Often enough for the file to be mapped anew.
        for _ in 0..<60 { #expect(try (1...20).map { try read(reader, $0) } == expected) }
        #expect(try reader.side(ExchangeID(21), .client) == nil)
        try expectRuns(reader)
    }

    @Test func `gives the messages of WebSockets without Simperium`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        let simperium = traffic.open()
        let other = traffic.open()
        var records = simperium.records + other.records
        records += traffic.upgrade(simperium)
        records += traffic.upgrade(other, path: "/chat")
        records.append(traffic.message(simperium, .client, "0:cv:1"))
        records.append(traffic.message(other, .server, "hello"))
        records.append(traffic.message(other, .client, "{}"))
        _ = writer.put(records)
        writer.finish()
        let reader = try ReplayReader(path: trace.path)
        var found: [ReplayMessageRow] = []
        try reader.messages { found.append($0) }
        #expect(found.map(\.sender) == [.server, .client])
        #expect(found.allSatisfy { $0.isText && $0.exchange == ExchangeID(2) })
        var texts: [String] = []
        for row in found {
            guard let payload = try reader.payload(of: row.id), payload.isWhole else { continue }
            texts.append(String(decoding: payload.bytes, as: UTF8.self))
        }
        #expect(texts == ["hello", "{}"])
        let missing = try reader.payload(of: MessageID(99))
        #expect(missing == nil)
        let sockets = try reader.sockets(lastMessages: [:])
        #expect(sockets.map(\.isSimperium) == [true, false])
        #expect(sockets[1].openedAt <= found[0].at)
    }

    /// Expects the sides of exchanges that follow each other to be those of each.
    private func expectRuns(_ reader: ReplayReader) throws {
        for (first, count, most) in [(1, 20, 40), (7, 3, 6), (15, 30, 40), (1, 20, 5), (21, 4, 9)] {
            var found: [ReplaySide] = []
            var expected: [ReplaySide] = []
            try reader.sides(from: ExchangeID(Int64(first)), count: count) { id, peer, side in
                found.append(side)
                expected += (try? reader.side(id, peer)).flatMap { $0 }.map { [$0] } ?? []
                return found.count < most
            }
            #expect(found == expected)
            #expect(found.count == min(most, 2 * max(0, min(count, 21 - first))))
        }
    }
}
