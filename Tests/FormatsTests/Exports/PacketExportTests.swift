import Filters
import Foundation
import Testing
import Trace
import TraceWorld
import Wire

@testable import Formats

@Suite("A trace as packets") struct PacketExportTests {
    private func file(_ world: TraceWorld, _ name: String = "a.pcapng") throws -> CapturedFile {
        try CapturedFile([UInt8](Data(contentsOf: URL(fileURLWithPath: world.path(name)))))
    }

    /// What both sides of a connection got, by the rows of the trace.
    private func received(_ records: [Record], _ sender: Peer) -> [UInt8] {
        records.flatMap { record -> [UInt8] in
            guard case .chunk(let chunk) = record, chunk.sender == sender else { return [] }
            return chunk.received
        }
    }

    private func written(_ world: TraceWorld, _ records: [Record]) throws {
        let writer = try world.writer()
        _ = writer.put(records)
        writer.finish()
    }

    @Test func `holds what each receiver got, at its time and place`() throws {
        let world = try TraceWorld()
        var talk = Conversation(1)
        let records = talk.opening() + talk.submission(1) + talk.submission(2) + talk.closing()
        try written(world, records)
        let outcome = try PacketExport().run(from: world.path("a.tape"), to: world.path("a.pcapng"))
        let file = try file(world)
        let client = 0x7F00_0001 << 16 | 5_000
        let server = 0xC000_0201 << 16 | 80
        let streams = file.streams()
        #expect(streams.count == 2)
        #expect(streams[[client, server]]?.bytes == received(records, .client))
        #expect(streams[[server, client]]?.bytes == received(records, .server))
        #expect(outcome.connections == 1)
        #expect(outcome.missing == 0)
        #expect(outcome.packets == Int64(file.packets.count))
        #expect(file.names == ["192.0.2.1 example.org"])
        #expect(file.packets[0].comment?.hasPrefix("connection 1: recorded to example.org") == true)
        let times = records.compactMap { record -> Int64? in
            guard case .chunk(let chunk) = record else { return nil }
            return 1_700_000_000_000_000_000 + chunk.at.nanoseconds
        }
        #expect(file.packets.filter { !$0.payload.isEmpty }.map(\.atUnixNanoseconds) == times)
        // Both sides say that they end.
        #expect(file.packets.count { $0.flags & 1 != 0 } == 2)
        #expect(try world.mode("a.pcapng") == 0o600)
    }

    @Test func `what was said to the proxy about a tunnel is a connection of its own`() throws {
        let world = try TraceWorld()
        var talk = Conversation(1)
        let request = Array(
            "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n".utf8)
        let answer = Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)
        let inner = Array("GET /a HTTP/1.1\r\nHost: example.org\r\n\r\n".utf8)
        let reply = Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)
        var records = talk.opening()
        if case .connection(var row) = records[0] {
            row.mode = .forward
            records[0] = .connection(row)
        }
        records += [
            // In two pieces, as a slow client might send it.
            talk.chunk(.client, Array(request.prefix(10))),
            talk.chunk(.client, Array(request.dropFirst(10))),
            talk.chunk(.server, answer, origin: .tapedeck), talk.chunk(.client, inner),
            talk.chunk(.server, reply),
        ]
        records += talk.closing()
        try written(world, records)
        try PacketExport().run(from: world.path("a.tape"), to: world.path("a.pcapng"))
        let streams = try file(world).streams()
        let client = 0x7F00_0001 << 16 | 5_000
        let proxy = 0x7F00_0001 << 16 | 8_080
        let server = 0xC000_0201 << 16 | 80
        #expect(streams[[client, proxy]]?.bytes == request)
        #expect(streams[[proxy, client]]?.bytes == answer)
        #expect(streams[[client, server]]?.bytes == inner)
        #expect(streams[[server, client]]?.bytes == reply)
    }

    @Test func `a tunnel that was captured before the proxy is one connection`() throws {
        let world = try TraceWorld()
        var talk = Conversation(1)
        var records = talk.opening(host: "127.0.0.1")
        for (index, record) in records.enumerated() {
            switch record {
            case .connection(var row):
                row.mode = .capture
                records[index] = .connection(row)
            case .leg(var row) where row.peer == .server:
                row.port = 8_080
                records[index] = .leg(row)
            case .event(var row):
                row.detail = "127.0.0.1:8080"
                records[index] = .event(row)
            default: break
            }
        }
        records += [
            talk.chunk(
                .client,
                Array("CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n".utf8)),
            talk.chunk(.server, Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)),
            talk.chunk(.client, Array("GET /a HTTP/1.1\r\nHost: example.org\r\n\r\n".utf8)),
            talk.chunk(.server, Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)),
        ]
        records += talk.closing()
        try written(world, records)
        try PacketExport().run(from: world.path("a.tape"), to: world.path("a.pcapng"))
        let file = try file(world)
        let client = 0x7F00_0001 << 16 | 5_000
        let proxy = 0x7F00_0001 << 16 | 8_080
        #expect(file.packets.count { $0.flags & 2 != 0 } == 2)
        #expect(file.streams().count == 2)
        #expect(file.streams()[[client, proxy]]?.bytes == received(records, .client))
        #expect(file.streams()[[proxy, client]]?.bytes == received(records, .server))
    }

    @Test func `missing bytes are missing in the numbers, to the byte`() throws {
        let world = try TraceWorld()
        var talk = Conversation(1)
        var records = talk.opening() + talk.submission(1)
        records.append(
            .gap(
                GapRow(
                    connection: talk.connection, leg: talk.client, sender: .client,
                    at: talk.tick(), until: talk.tick(), count: 3_000_000_001, chunks: 0,
                    reason: .notCaptured)))
        records += talk.submission(2) + talk.closing()
        try written(world, records)
        let outcome = try PacketExport().run(from: world.path("a.tape"), to: world.path("a.pcapng"))
        #expect(outcome.missing == 3_000_000_001)
        let missing = try file(world).streams().values.map(\.missing)
        #expect(missing.sorted() == [0, 3_000_000_001])
    }

    @Test func `only what is asked for, and never over another file`() throws {
        let world = try TraceWorld()
        var first = Conversation(1)
        var second = Conversation(2)
        try written(
            world,
            first.opening() + second.opening() + first.submission(1) + second.simperium(changes: 3))
        let fitting = try PacketExport.connections(
            fitting: Filter.parse("bucket:note"), in: world.path("a.tape"))
        #expect(fitting == [second.connection])
        let export = PacketExport(connections: fitting)
        let outcome = try export.run(from: world.path("a.tape"), to: world.path("a.pcapng"))
        #expect(outcome.connections == 1)
        #expect(throws: FileError(.cannotOpen, "")) {
            try export.run(from: world.path("a.tape"), to: world.path("a.pcapng"))
        }
        #expect(throws: FileError(.stopped, "")) {
            try export.run(from: world.path("a.tape"), to: world.path("b.pcapng")) { _ in false }
        }
        #expect(try world.names == ["a.pcapng", "a.tape"])
    }

    @Test func `packets that were kept come out as they were, behind their secrets`() throws {
        let world = try TraceWorld()
        var talk = Conversation(1)
        let log = Array("CLIENT_RANDOM 00 11\n".utf8)
        let packets = (0..<5).map { number in
            PacketRow(
                atUnixNanoseconds: 1_700_000_000_000_000_000 + Int64(number),
                linkType: 1 + number % 2,
                originalSize: 100, bytes: [UInt8](repeating: UInt8(number), count: 60 + number))
        }
        try written(
            world,
            [.secret(SecretRow(keyLog: log))] + packets.map { .packet($0) } + talk.opening()
                + talk.submission(1))
        let outcome = try PacketExport().run(from: world.path("a.tape"), to: world.path("a.pcapng"))
        #expect(outcome.captured == 5)
        #expect(outcome.packets == 0)
        let kept = try file(world)
        #expect(kept.secrets == [log])
        #expect(kept.packets.map(\.bytes) == packets.map(\.bytes))
        #expect(kept.packets.map(\.link) == packets.map(\.linkType))
        #expect(kept.packets.map(\.atUnixNanoseconds) == packets.map(\.atUnixNanoseconds))
        let secrets = try #require(kept.blocks.firstIndex(of: 10))
        #expect(secrets < (kept.blocks.firstIndex(of: 6) ?? 0))
        let made = try PacketExport(makesAllUp: true).run(
            from: world.path("a.tape"), to: world.path("b.pcapng"))
        #expect(made.captured == 0)
        #expect(made.packets > 0)
    }
}
