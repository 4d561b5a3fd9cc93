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

    @Test func `reads what the view of bodies says, before and in a snapshot`() throws {
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
        #expect(try (1...20).map { try read(reader, $0) } == expected)
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
        records.append(traffic.chunk(other, .client, [0x82, 0x81, 0, 0, 0, 0, 7]))
        records.append(traffic.chunk(other, .client, [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE9]))
        records.append(traffic.chunk(other, .server, [0x88, 0x00]))
        _ = writer.put(records)
        writer.finish()
        let reader = try ReplayReader(path: trace.path)
        var found: [ReplayMessageRow] = []
        try reader.messages { found.append($0) }
        #expect(found.map(\.sender) == [.server, .client, .client, .client, .server])
        #expect(
            found.map(\.kind) == [.text, .text, .binary, .close(code: 1001), .close(code: nil)])
        #expect(found.allSatisfy { $0.exchange == ExchangeID(2) })
        var texts: [String] = []
        for row in found where row.kind == .text {
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

    @Test(arguments: [#"0:c:[{"id":"#, "0:auth:ann"])
    func `knows what a cut connection left of a command`(left: String) throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        let opened = traffic.open()
        var records = opened.records + traffic.upgrade(opened)
        records.append(traffic.message(opened, .client, "0:cv:1"))
        // That it cannot be understood is no reason.
        records.append(traffic.message(opened, .server, "0:c:[{"))
        records.append(traffic.chunk(opened, .server, [0x81, 100] + Array(left.utf8)))
        _ = writer.put(records + traffic.close(opened))
        writer.finish()
        #expect(try trace.rows("SELECT name FROM simperium_command").count == 3)
        let reader = try ReplayReader(path: trace.path)
        var found: [CommandID] = []
        try reader.commands { found.append($0.id) }
        #expect(try reader.torn(found) == found.suffix(1))
    }

    /// Expects the sides of exchanges that follow each other to be those of each.
    private func expectRuns(_ reader: ReplayReader) throws {
        for (first, count, most) in [(1, 20, 40), (7, 3, 6), (15, 30, 40), (1, 20, 5), (21, 4, 9)] {
            var found: [ReplaySide] = []
            var expected: [ReplaySide] = []
            var spares = [[], [UInt8](repeating: 7, count: 9), [UInt8](repeating: 7, count: 9_000)]
            try reader.sides(from: ExchangeID(Int64(first)), count: count, using: &spares) {
                id, peer, side in
                found.append(side)
                expected += (try? reader.side(id, peer)).flatMap { $0 }.map { [$0] } ?? []
                return found.count < most
            }
            #expect(found == expected)
            #expect(found.count == min(most, 2 * max(0, min(count, 21 - first))))
        }
    }
}
