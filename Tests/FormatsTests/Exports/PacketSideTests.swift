import Foundation
import Testing
import Trace
import TraceWorld
import Wire

@testable import Formats

@Suite("Packets of a connection whose sides differ") struct PacketSideTests {
    private static let client = 0x7F00_0001 << 16 | 5_000
    private static let server = 0xC000_0201 << 16 | 80
    private static let started: Int64 = 1_700_000_000_000_000_000

    private func export(_ world: TraceWorld, _ records: [Record]) throws -> CapturedFile {
        let writer = try world.writer()
        _ = writer.put(records)
        writer.finish()
        try PacketExport().run(from: world.path("a.tape"), to: world.path("a.pcapng"))
        return try CapturedFile(
            [UInt8](Data(contentsOf: URL(fileURLWithPath: world.path("a.pcapng")))))
    }

    private func delivered(_ record: Record, _ deliveries: [Delivery]) -> Record {
        guard case .chunk(var chunk) = record else { return record }
        chunk.deliveries = deliveries
        return .chunk(chunk)
    }

    @Test func `each leg has what was there`() throws {
        let world = try TraceWorld()
        var talk = Conversation(1)
        let first = Array("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        let lost = Array("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
        let made = Array("HTTP/1.1 503 Sorry\r\nContent-Length: 0\r\n\r\n".utf8)
        var records = talk.opening()
        records.append(
            talk.chunk(
                .client, first + lost,
                [Patch(offset: 5, removed: 1, inserted: Array("one".utf8), reason: .fault)],
                [Delivery(offset: first.count, count: lost.count, at: nil)]))
        records.append(
            talk.chunk(
                .server, answer,
                [Patch(offset: 9, removed: 3, inserted: Array("500".utf8), reason: .fault)]))
        guard case .chunk(var local) = talk.chunk(.server, made, origin: .tapedeck) else { return }
        local.leg = talk.client
        records += [.chunk(local)] + talk.closing()
        let file = try export(world, records)
        let streams = file.streams()
        #expect(streams.count == 4)
        #expect(streams[[Self.client, Self.server]]?.bytes == first + lost)
        let got = String(decoding: answer, as: UTF8.self).replacing("200", with: "500")
        #expect(streams[[Self.server, Self.client]]?.bytes == Array(got.utf8) + made)
        let other = try #require(
            streams.keys.first { $0[1] == Self.server && $0[0] != Self.client })
        #expect(other[0] >> 40 == 10)
        let asked = String(decoding: first, as: UTF8.self).replacing("GET /1", with: "GET /one")
        #expect(streams[other]?.bytes == Array(asked.utf8))
        #expect(streams[[Self.server, other[0]]]?.bytes == answer)
        #expect(file.packets.count { $0.flags & 1 != 0 } == 4)
        let comments = file.packets.compactMap(\.comment)
        #expect(comments.count == 2)
        #expect(comments[1].hasPrefix("connection 1: what the server had, recorded to example.org"))
    }

    @Test func `what was late has its own time and comes in its turn`() throws {
        let world = try TraceWorld()
        var talk = Conversation(1)
        var records = talk.opening()
        let texts = ["GET /1 HTTP/1.1\r\n", "Host: a\r\n", "\r\n", "HTTP/1.1 204 No\r\n\r\n"]
        var chunks = texts[..<3].map { talk.chunk(.client, Array($0.utf8)) }
        chunks[0] = delivered(
            chunks[0],
            [
                Delivery(offset: 5, count: 4, at: Instant(nanoseconds: 6_500)),
                Delivery(offset: 9, count: 8, at: Instant(nanoseconds: 1 << 40)),
            ])
        records += chunks + [talk.chunk(.server, Array(texts[3].utf8))]
        let file = try export(world, records)
        let sent = file.packets.filter { $0.destination == Self.server && !$0.payload.isEmpty }
        let early = sent.filter { $0.source == Self.client }
        #expect(early.map { String(decoding: $0.payload, as: UTF8.self) } == Array(texts[..<3]))
        let late = sent.filter { $0.source != Self.client }
        #expect(
            late.map { String(decoding: $0.payload, as: UTF8.self) }
                == ["GET /", "Host: a\r\n", "1 HT", "\r\n", "TP/1.1\r\n"])
        #expect(
            late.map { $0.atUnixNanoseconds - Self.started }
                == [5_000, 6_000, 6_500, 7_000, 1 << 40])
    }

    @Test func `a tunnel that Tapedeck opened makes no difference`() throws {
        let world = try TraceWorld()
        var talk = Conversation(1)
        var records = talk.opening()
        let request = "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n"
        records += [
            talk.chunk(.client, Array(request.utf8)),
            talk.chunk(.server, Array("HTTP/1.1 200 OK\r\n\r\n".utf8), origin: .tapedeck),
            talk.chunk(.client, Array("GET /a HTTP/1.1\r\nHost: example.org\r\n\r\n".utf8)),
            talk.chunk(.server, Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)),
        ]
        let file = try export(world, records + talk.closing())
        #expect(file.streams().count == 4)
    }
}
