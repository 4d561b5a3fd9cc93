import Filters
import Foundation
import Testing
import Wire

@testable import Trace

@Suite struct RetentionTests {
    /// Most bytes of a file that is kept within 4 MiB: search may take an eighth more when it
    /// merges what it has.
    private static let most: Int64 = 9 << 19

    @Test func `a trace of short connections stays within its size`() throws {
        let trace = try TemporaryTrace()
        var options = TraceOptions()
        options.maxSize = 4 << 20
        let writer = try trace.writer(options)
        var traffic = Traffic()
        var largest: Int64 = 0
        var sent: Int64 = 0
        for _ in 0..<60 {
            for _ in 0..<10 {
                let records = traffic.http(
                    exchanges: 3, body: String(repeating: "some words ", count: 400))
                for case .chunk(let chunk) in records { sent += Int64(chunk.bytes.count) }
                _ = writer.put(records)
            }
            writer.flush()
            largest = max(largest, try size(trace.path))
        }
        let totals = writer.finish()
        #expect(writer.failure?.reason == nil)
        #expect(largest <= Self.most)
        #expect(totals.evictedBytes > 0)
        let there = try trace.rows("SELECT sum(length(bytes)) FROM chunk").compactMap { Int64($0) }
        #expect((there.first ?? 0) + totals.evictedBytes == sent)
        // One row for each direction, however much went.
        let gaps = try trace.reader().gaps()
        #expect(gaps.count == 2)
        #expect(gaps.reduce(0) { $0 + $1.count } == totals.evictedBytes)
        #expect(gaps.reduce(0) { $0 + $1.chunks } == totals.evictedChunks)
        #expect(gaps.allSatisfy { $0.reason == .evicted && $0.connection == nil })
        // What stays is the newest, whole, under its old numbers.
        let numbers = try trace.rows("SELECT min(id), max(id), count(*) FROM http_exchange")
        let parts = (numbers.first ?? "").split(separator: "|").compactMap { Int($0) }
        #expect(parts.count == 3 && parts[1] == 1_800 && parts[2] == parts[1] - parts[0] + 1)
        for orphans in [
            "body WHERE exchange_id NOT IN (SELECT id FROM http_exchange)",
            "chunk WHERE connection_id NOT IN (SELECT id FROM connection)",
            "leg WHERE connection_id NOT IN (SELECT id FROM connection)",
            "event WHERE connection_id NOT IN (SELECT id FROM connection)",
            "patch WHERE chunk_id NOT IN (SELECT id FROM chunk)",
        ] {
            #expect(try trace.rows("SELECT count(*) FROM \(orphans)") == ["0"], "\(orphans)")
        }
        #expect(try search(trace, "words") == Int(parts.last ?? 0))
        #expect(try trace.integrity == "ok")
    }

    @Test func `a socket that lives keeps its handshake and its newest messages`() throws {
        let trace = try TemporaryTrace()
        var options = TraceOptions()
        options.maxSize = 4 << 20
        let writer = try trace.writer(options)
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records + traffic.upgrade(opened))
        for round in 0..<60 {
            for number in 0..<200 {
                _ = writer.put([traffic.change(opened, round * 200 + number, padding: 500)])
            }
            writer.flush()
        }
        let totals = writer.finish()
        #expect(writer.failure?.reason == nil)
        #expect(totals.evictedChunks > 0)
        let last = try size(trace.path)
        #expect(last <= Self.most)
        #expect(try trace.rows("SELECT id, status FROM http_exchange") == ["1|101"])
        #expect(
            try trace.rows("SELECT id FROM chunk ORDER BY id LIMIT 2") == ["1", "2"])
        let kept = try trace.rows("SELECT min(id), max(id), count(*) FROM message")
        let parts = (kept.first ?? "").split(separator: "|").compactMap { Int($0) }
        #expect(
            parts.count == 3 && parts[1] == 12_000 && parts[2] == parts[1] - parts[0] + 1, "\(kept)"
        )
        for table in ["simperium_command", "change", "frame"] {
            #expect(
                try trace.rows("SELECT count(*) FROM \(table)") == ["\(parts.last ?? 0)"],
                "\(table)")
        }
        let gaps = try trace.reader().gaps()
        #expect(gaps.count == 1)
        #expect(gaps.first?.connection == opened.connection)
        #expect(gaps.first?.count == totals.evictedBytes)
        #expect(try trace.integrity == "ok")
        // Rows of a connection that was cut stay as they are when the rest is made again.
        let before = try trace.dumps(TemporaryTrace.derived)
        #expect(try Rebuild.run(path: trace.path).kept == 1)
        #expect(try trace.dumps(TemporaryTrace.derived) == before)
    }

    @Test func `an HTTP connection that lives keeps its newest exchanges`() throws {
        let trace = try TemporaryTrace()
        var options = TraceOptions()
        options.maxSize = 4 << 20
        let writer = try trace.writer(options)
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records)
        for number in 0..<2_000 {
            _ = writer.put(
                traffic.exchange(opened, number: number, body: String(repeating: "y", count: 4_000))
            )
            if number % 50 == 0 { writer.flush() }
        }
        let totals = writer.finish()
        #expect(writer.failure?.reason == nil)
        #expect(totals.evictedChunks > 0)
        let last = try size(trace.path)
        #expect(last <= Self.most)
        let kept = try trace.rows("SELECT min(id), max(id), count(*) FROM http_exchange")
        let parts = (kept.first ?? "").split(separator: "|").compactMap { Int($0) }
        #expect(parts.count == 3 && parts[1] == 2_000 && parts[2] == parts[1] - parts[0] + 1)
        // The chunks of what stays are all there.
        let reader = try trace.reader()
        var bytes: [UInt8] = []
        try reader.bytes(of: ExchangeID(Int64(parts.first ?? 0)), sender: .server) { _, piece in
            bytes += piece
            return true
        }
        #expect(bytes.count > 4_000)
        #expect(try trace.integrity == "ok")
    }

    @Test func `keeps what is younger than asked`() throws {
        let trace = try TemporaryTrace()
        var options = TraceOptions()
        let now = Shared<Int64>(0)
        options.clock = { now.get() }
        options.keepLast = 1_000_000
        let writer = try trace.writer(options)
        var traffic = Traffic()
        _ = writer.put(traffic.http(exchanges: 300))
        writer.flush()
        // The traffic's clock runs in microseconds, one for each record.
        now.set(2_000_000)
        writer.finish()
        // Eviction happens once a second; a new session does it with its first commit.
        let second = try trace.writer(options)
        _ = second.put([.mark(MarkRow(at: .zero, name: "here"))])
        second.flush()
        second.finish()
        #expect(second.failure?.reason == nil)
        #expect(try trace.rows("SELECT count(*) FROM chunk").first.flatMap { Int($0) } ?? -1 >= 0)
        #expect(try trace.integrity == "ok")
    }

    @Test func `numbers are not given out again after everything went`() throws {
        let trace = try TemporaryTrace()
        let first = try trace.writer()
        var traffic = Traffic()
        _ = first.put(traffic.http(exchanges: 300))
        first.finish()
        var options = TraceOptions()
        options.keepLast = 1
        options.clock = { 10_000_000_000 }
        let second = try TraceWriter(
            path: trace.path,
            session: SessionStart(
                provenance: .proxy, version: "1", arguments: "",
                startedUnixNanoseconds: 2_000_000_000_000_000_000), options: options)
        #expect(second.nextConnection() == ConnectionID(2))
        var more = Traffic(first: 2)
        let opened = more.open()
        _ = second.put(opened.records + more.exchange(opened, number: 0, body: "new"))
        // Only so much goes at a time, and the rest when more is written.
        repeat {
            second.flush()
        } while try trace.rows("SELECT count(*) FROM connection WHERE id = 1") != ["0"]
        second.finish()
        #expect(second.failure?.reason == nil)
        #expect(try trace.rows("SELECT max(id) FROM http_exchange") == ["301"])
        #expect(try trace.rows("SELECT count(*) FROM connection WHERE id = 1") == ["0"])
        #expect(try trace.rows("SELECT max(id) FROM chunk") == ["903"])
        // Where rows went, the file says which numbers they had; otherwise they follow from what is
        // there.
        #expect(try trace.rows("SELECT name FROM counter WHERE name = 'chunk'") == ["chunk"])
        for table in ["chunk", "patch", "any_exchange", "http_body", "connection", "leg", "event"] {
            _ = try trace.rows("DELETE FROM \(table)")
        }
        let third = try trace.writer()
        #expect(third.nextConnection().rawValue > 1)
        _ = third.put(more.http(exchanges: 1))
        third.finish()
        #expect(third.failure?.reason == nil)
        #expect(try trace.rows("SELECT min(id) >= 301 FROM http_exchange") == ["1"])
        #expect(try trace.rows("SELECT min(id) >= 901 FROM chunk") == ["1"])
        let other = try TemporaryTrace()
        let writer = try other.writer()
        _ = writer.put(more.http(exchanges: 3))
        writer.finish()
        #expect(try other.rows("SELECT name FROM counter") == [])
        try other.writer().finish()
        #expect(try other.rows("SELECT max(id) FROM session") == ["2"])
    }

    @Test func `case blocks go with their exchange`() throws {
        let trace = try TemporaryTrace()
        let first = try trace.writer()
        var traffic = Traffic()
        let phone = traffic.open()
        _ = first.put(phone.records + traffic.form(phone, cases: ["c1"]) + traffic.close(phone))
        first.finish()
        #expect(try trace.rows("SELECT case_id FROM case_block") == ["c1"])
        var options = TraceOptions()
        options.keepLast = 1
        options.clock = { 10_000_000_000 }
        let second = try TraceWriter(
            path: trace.path,
            session: SessionStart(
                provenance: .proxy, version: "1", arguments: "",
                startedUnixNanoseconds: 2_000_000_000_000_000_000), options: options)
        let other = traffic.open()
        _ = second.put(other.records + traffic.form(other, cases: ["c2"]))
        second.flush()
        second.finish()
        #expect(try trace.rows("SELECT exchange_id, case_id FROM case_block") == ["2|c2"])
    }

    /// How many lines full-text search finds.
    private func search(_ trace: TemporaryTrace, _ words: String) throws -> Int {
        var found = 0
        try trace.reader().lines(try Filter.parse(words)) { _ in
            found += 1
            return true
        }
        return found
    }

    private func size(_ path: String) throws -> Int64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }
}
