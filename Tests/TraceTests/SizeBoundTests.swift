import Foundation
import Storage
import Testing
import Wire

@testable import Trace

/// A trace of bounded size keeps as much as fits, and the newest exchange first of all.
@Suite struct SizeBoundTests {
    private static let limit: Int64 = 8 << 20
    /// What file and log may have beyond the limit: twice what one commit of these tests adds.
    private static let margin: Int64 = 4 << 20
    private static let read = 64 << 10

    private func options() -> TraceOptions {
        var options = TraceOptions()
        options.maxSize = Self.limit
        options.indexesSearch = false
        return options
    }

    /// An exchange whose contents come in reads of 64 KiB and are no text.
    private func transfer(
        _ traffic: inout Traffic, _ opened: Traffic.Opened, path: String, request: Int,
        response: Int
    ) -> [Record] {
        let asks = "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: \(request)\r\n\r\n"
        let answers =
            "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
            + "Content-Length: \(response)\r\n\r\n"
        return content(&traffic, opened, .client, head: asks, request)
            + content(&traffic, opened, .server, head: answers, response)
    }

    private func content(
        _ traffic: inout Traffic, _ opened: Traffic.Opened, _ sender: Peer, head: String,
        _ count: Int
    ) -> [Record] {
        var records = [traffic.chunk(opened, sender, Array(head.utf8))]
        for start in stride(from: 0, to: count, by: Self.read) {
            let bytes = [UInt8](repeating: 0xFF, count: min(Self.read, count - start))
            records.append(traffic.chunk(opened, sender, bytes))
        }
        return records
    }

    /// Puts records as they come from sockets, a read at a time, and waits for each.
    private func put(_ records: [Record], _ writer: TraceWriter) {
        for record in records {
            _ = writer.put([record])
            writer.flush()
        }
    }

    /// Bytes in use, and bytes of file and log.
    private func size(_ trace: TemporaryTrace) throws -> (used: Int64, onDisk: Int64) {
        let db = try trace.reader().db
        let pages = try db.integer("PRAGMA page_count") - db.integer("PRAGMA freelist_count")
        let onDisk = ["", "-wal"].reduce(Int64(0)) { sum, suffix in
            let attributes = try? FileManager.default.attributesOfItem(atPath: trace.path + suffix)
            return sum + ((attributes?[.size] as? NSNumber)?.int64Value ?? 0)
        }
        return (pages * (try db.integer("PRAGMA page_size")), onDisk)
    }

    private func paths(_ trace: TemporaryTrace) throws -> [String] {
        try trace.rows("SELECT path FROM http_exchange ORDER BY id")
    }

    /// Whether the connection of an exchange still has as many bytes.
    private func isWhole(_ trace: TemporaryTrace, path: String, bytes: Int) throws -> Bool {
        let there = try trace.rows(
            """
            SELECT sum(length(bytes)) FROM chunk WHERE connection_id =
              (SELECT connection_id FROM http_exchange WHERE path = '\(path)')
            """)
        return (there.first.flatMap { Int($0) } ?? 0) >= bytes
    }

    @Test(arguments: [1, 5, 1_000])
    func `keeps most of the size, whether connections are short or long`(
        perConnection: Int
    ) throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer(options())
        var traffic = Traffic()
        var opened = traffic.open()
        _ = writer.put(opened.records)
        let half = 512 << 10
        var sent = 0
        for number in 0..<40 {
            if number > 0, number.isMultiple(of: perConnection) {
                _ = writer.put(traffic.close(opened))
                opened = traffic.open()
                _ = writer.put(opened.records)
            }
            let records = transfer(
                &traffic, opened, path: "/\(number)", request: half, response: half)
            for case .chunk(let chunk) in records { sent += chunk.bytes.count }
            put(records, writer)
            let size = try size(trace)
            #expect(size.onDisk <= Self.limit + Self.margin, "\(number)")
            guard number > 4 else { continue }
            #expect(size.used <= Self.limit * 7 / 8, "\(number)")
            // Two MiB an exchange, bytes and decoded content: one too much may have gone.
            #expect(size.used >= Self.limit * 6 / 10, "\(number)")
            #expect(try paths(trace).last == "/\(number)")
            #expect(try isWhole(trace, path: "/\(number)", bytes: 2 * half), "\(number)")
        }
        let totals = writer.finish()
        #expect(writer.failure?.reason == nil)
        let there = try trace.rows("SELECT sum(length(bytes)) FROM chunk").compactMap { Int($0) }
        #expect(Int64(there.first ?? 0) + totals.evictedBytes == Int64(sent))
        #expect(try paths(trace).count >= 2)
        #expect(try trace.integrity == "ok")
    }

    @Test func `a long connection that ended goes piece by piece`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer(options())
        var traffic = Traffic()
        let long = traffic.open()
        _ = writer.put(long.records)
        for number in 0..<60 {
            put(
                transfer(&traffic, long, path: "/long/\(number)", request: 0, response: 100_000),
                writer)
        }
        _ = writer.put(traffic.close(long))
        let other = traffic.open()
        _ = writer.put(other.records)
        put(transfer(&traffic, other, path: "/other", request: 0, response: 1 << 20), writer)
        writer.finish()
        let kept = try paths(trace)
        #expect(kept.last == "/other")
        #expect(kept.count > 25 && kept.count < 61, "\(kept.count)")
        #expect(kept.dropLast().last == "/long/59")
        #expect(try trace.integrity == "ok")
    }

    @Test(arguments: Peer.allCases)
    func `a body whose first bytes are evicted before its last is kept as it was`(
        _ sender: Peer
    ) throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer(options())
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records)
        let counts = sender == .client ? (8 << 20, 0) : (0, 8 << 20)
        put(
            transfer(&traffic, opened, path: "/long", request: counts.0, response: counts.1), writer
        )
        writer.finish()
        let kept = try trace.rows(
            """
            SELECT length(content), length(replace(hex(content), 'FF', '')),
              instr(CAST(head AS TEXT), 'Content-Length: \(8 << 20)') > 0 FROM body
            WHERE size = \(8 << 20)
            """)
        #expect(kept == ["\(1 << 20)|0|1"])
        #expect(
            try trace.rows("SELECT count(*) FROM chunk") != ["\((8 << 20) / Self.read + 2)"])
    }

    @Test func `the newest complete exchange stays while others come after it`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer(options())
        var traffic = Traffic()
        // The last of these stays while the large one comes, so it has to leave room for it.
        for (number, count) in [1 << 20, 1 << 20, 10].enumerated() {
            let opened = traffic.open()
            _ = writer.put(opened.records)
            put(transfer(&traffic, opened, path: "/\(number)", request: 0, response: count), writer)
            _ = writer.put(traffic.close(opened))
        }
        let large = traffic.open()
        let count = 5 << 20
        _ = writer.put(large.records)
        put(transfer(&traffic, large, path: "/large", request: 0, response: count), writer)
        _ = writer.put(traffic.close(large))
        // Messages and a response that does not end come later and go first.
        let socket = traffic.open()
        put(socket.records + traffic.upgrade(socket), writer)
        for number in 0..<1_000 {
            _ = writer.put([traffic.change(socket, number, padding: 500)])
            if number.isMultiple(of: 50) { writer.flush() }
        }
        let open = traffic.open()
        _ = writer.put(open.records)
        put(
            transfer(&traffic, open, path: "/open", request: 0, response: 8 << 20).dropLast(),
            writer)
        #expect(try size(trace).used <= Self.limit)
        #expect(try paths(trace).contains("/large"))
        #expect(try isWhole(trace, path: "/large", bytes: count))
        // A newer one takes its place.
        let next = traffic.open()
        _ = writer.put(next.records)
        put(transfer(&traffic, next, path: "/next", request: 0, response: 512 << 10), writer)
        writer.finish()
        #expect(writer.failure?.reason == nil)
        #expect(try !paths(trace).contains("/large"))
        #expect(try isWhole(trace, path: "/next", bytes: 512 << 10))
        #expect(try trace.integrity == "ok")
    }

    @Test func `the newest exchange stays on a connection that goes on without end`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer(options())
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records)
        put(transfer(&traffic, opened, path: "/first", request: 0, response: 1 << 20), writer)
        let endless = transfer(&traffic, opened, path: "/endless", request: 0, response: 20 << 20)
        for record in endless.dropLast() {
            put([record], writer)
            #expect(try size(trace).onDisk <= Self.limit + Self.margin)
        }
        #expect(try paths(trace) == ["/first", "/endless"])
        #expect(
            try trace.rows(
                """
                SELECT count(*) FROM chunk WHERE length(bytes) = \(Self.read) AND id <
                  (SELECT request_chunk_id FROM http_exchange WHERE path = '/endless')
                """) == ["16"])
        #expect(try size(trace).used >= Self.limit * 6 / 10)
        writer.finish()
        #expect(writer.failure?.reason == nil)
        #expect(try trace.integrity == "ok")
    }

    @Test func `connections that stay open hold nothing back`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer(options())
        var traffic = Traffic()
        for number in 0..<30 {
            let opened = traffic.open()
            _ = writer.put(opened.records)
            put(
                transfer(&traffic, opened, path: "/\(number)", request: 0, response: 1 << 20),
                writer)
        }
        let size = try size(trace)
        #expect(size.used <= Self.limit * 7 / 8)
        #expect(size.used >= Self.limit * 6 / 10)
        writer.finish()
        #expect(writer.failure?.reason == nil)
        #expect(try paths(trace).last == "/29")
        #expect(try trace.integrity == "ok")
    }

    @Test func `an exchange that alone exceeds the size is evicted`() throws {
        let trace = try TemporaryTrace()
        let first = try trace.writer()
        var traffic = Traffic()
        let opened = traffic.open()
        _ = first.put(opened.records)
        put(transfer(&traffic, opened, path: "/huge", request: 0, response: 12 << 20), first)
        _ = first.put(traffic.close(opened))
        first.finish()
        let second = try trace.writer(options())
        _ = second.put([.mark(MarkRow(at: .zero, name: "here"))])
        second.flush()
        let totals = second.finish()
        #expect(second.failure?.reason == nil)
        #expect(totals.evictedBytes > 12 << 20)
        #expect(try paths(trace).isEmpty)
        #expect(try trace.integrity == "ok")
    }
}
