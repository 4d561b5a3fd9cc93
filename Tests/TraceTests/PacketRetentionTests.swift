import Testing
import Wire

@testable import Trace

@Suite("Packets that were kept, in a bounded trace") struct PacketRetentionTests {
    private static func packet(_ number: Int64, size: Int = 1_400) -> Record {
        .packet(
            PacketRow(
                atUnixNanoseconds: 1_000_000_000_000_000_000 + number, linkType: 1,
                originalSize: Int64(size), bytes: [UInt8](repeating: 7, count: size)))
    }

    @Test func `come back as they were put, in their place`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        _ = writer.put([.secret(SecretRow(keyLog: [0x41]))])
        _ = writer.put(traffic.http(exchanges: 1, body: "x") + [Self.packet(1), Self.packet(2)])
        #expect(writer.finish().packets == 2)
        #expect(
            try trace.rows("SELECT id, at_unix_ns, link_type, original_size FROM packet")
                == ["1|1000000000000000001|1|1400", "2|1000000000000000002|1|1400"])
        // Behind everything that came after the same chunk.
        let behind = """
            SELECT p.step - max(e.step) FROM packet p
            JOIN event e ON e.after_chunk_id = p.after_chunk_id AND e.kind = 'closed'
            GROUP BY p.id
            """
        #expect(try trace.rows(behind) == ["1", "2"])
        #expect(try trace.rows("SELECT id, after_chunk_id, step FROM secret") == ["1|0|1"])
        // The next session goes on behind them.
        let next = try trace.writer()
        _ = next.put([Self.packet(3), .secret(SecretRow(keyLog: []))])
        next.finish()
        #expect(try trace.rows("SELECT max(id) FROM packet") == ["3"])
        #expect(try trace.integrity == "ok")
    }

    @Test func `go with the chunks beside them`() throws {
        let trace = try TemporaryTrace()
        var options = TraceOptions()
        options.maxSize = 4 << 20
        let writer = try trace.writer(options)
        var traffic = Traffic()
        for number in 0..<1_500 {
            _ = writer.put(
                traffic.http(exchanges: 1, body: String(repeating: "words ", count: 200))
                    + [Self.packet(Int64(number))])
            if number % 50 == 0 { writer.flush() }
        }
        writer.finish()
        #expect(writer.failure?.reason == nil)
        #expect(try trace.rows("SELECT count(*) > 0 FROM packet") == ["1"])
        #expect(
            try trace.rows(
                """
                SELECT count(*) FROM packet WHERE after_chunk_id + 1 < (SELECT min(id) FROM chunk)
                """) == ["0"])
        #expect(try trace.rows("SELECT max(id) FROM packet") == ["1500"])
    }

    @Test func `go also where nothing else came`() throws {
        let trace = try TemporaryTrace()
        var options = TraceOptions()
        options.maxSize = 4 << 20
        let first = try trace.writer()
        _ = first.put([.secret(SecretRow(keyLog: [1])), Self.packet(0)])
        first.finish()
        let writer = try trace.writer(options)
        _ = writer.put([.secret(SecretRow(keyLog: [2]))])
        for round in 0..<40 {
            _ = writer.put((0..<200).map { Self.packet(Int64(round * 200 + $0)) })
            writer.flush()
        }
        writer.finish()
        let pages = try trace.rows("PRAGMA page_count").compactMap { Int64($0) }
        #expect((pages.first ?? .max) * TraceFile.pageSize <= 9 << 19)
        #expect(try trace.rows("SELECT max(id) FROM packet") == ["8001"])
        // The secrets of a session go with the last of its packets.
        #expect(try trace.rows("SELECT id FROM secret") == ["2"])
    }

    @Test func `go when they are too old`() throws {
        let trace = try TemporaryTrace()
        var options = TraceOptions()
        options.keepLast = 60_000_000_000
        // Captured an hour before the session began.
        let old = (0..<400).map { Self.packet($0 - 3_600_000_000_000, size: 60) }
        let first = try trace.writer()
        _ = first.put(old + [Self.packet(1)])
        first.finish()
        let writer = try trace.writer(options)
        _ = writer.put([Self.packet(2)])
        writer.flush()
        #expect(try trace.rows("SELECT id FROM packet") == ["401", "402"])
        writer.finish()
    }
}
