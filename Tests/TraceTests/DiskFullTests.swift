import Dissection
import Foundation
import Storage
import Testing
import Wire

@testable import Trace

@Suite struct DiskFullTests {
    /// Options under which the file may have as many pages as `pages` says.
    private func options(
        _ pages: Shared<Int64>, _ onDiskFull: TraceOptions.OnDiskFull = .pass
    ) -> TraceOptions {
        var options = TraceOptions()
        options.onDiskFull = onDiskFull
        options.pageLimit = { pages.get() }
        options.retryInterval = 0
        options.indexesSearch = false
        return options
    }

    private static let all: Int64 = 1_000_000

    @Test func `counts what cannot be written and says so when it can write again`() throws {
        let trace = try TemporaryTrace()
        let pages = Shared(Self.all)
        let writer = try trace.writer(options(pages))
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records + traffic.exchange(opened, number: 0, body: "first"))
        writer.flush()
        let reader = try trace.reader()
        let before = try trace.dump("chunk")
        // No page more than now.
        pages.set(1)
        let big = String(repeating: "x", count: 100_000)
        // This one was decoded when the disk turned out to be full, and waits.
        _ = writer.put(traffic.exchange(opened, number: 1, body: big))
        writer.flush()
        for number in 2..<10 {
            _ = writer.put(traffic.exchange(opened, number: number, body: big))
        }
        writer.flush()
        #expect(try trace.dump("chunk") == before)
        let lines = try reader.db.integer("SELECT count(*) FROM http_exchange")
        #expect(lines == 1)
        pages.set(Self.all)
        let other = traffic.open()
        _ = writer.put(other.records + traffic.exchange(other, number: 10, body: "last"))
        writer.flush()
        _ = writer.put(traffic.exchange(other, number: 11, body: "very last"))
        let totals = writer.finish()
        #expect(writer.failure == nil)
        #expect(totals.gaps == 2)
        let gaps = try trace.reader().gaps().filter { $0.reason == .diskFull }
        #expect(gaps.map(\.sender) == [.client, .server])
        #expect(gaps.map(\.leg) == [opened.client, opened.server])
        #expect(gaps.map(\.chunks) == [8, 16])
        #expect(gaps.last?.count ?? 0 > 800_000)
        #expect(gaps.allSatisfy { $0.at < $0.until })
        // What waited came through, and what came after as well.
        #expect(try trace.rows("SELECT path FROM http_exchange WHERE path LIKE '%/1'").count == 1)
        #expect(try trace.rows("SELECT path FROM http_exchange WHERE path LIKE '%/11'").count == 1)
        #expect(try trace.dump("chunk").prefix(before.count) == before[...])
        #expect(try trace.integrity == "ok")
    }

    @Test func `warns once when the disk fills up and once when it has room again`() throws {
        let trace = try TemporaryTrace()
        let pages = Shared(Self.all)
        let warnings = Shared<[String]>([])
        var options = options(pages)
        options.onWarning = { text in warnings.change { $0.append(text) } }
        let writer = try trace.writer(options)
        var traffic = Traffic()
        let opened = traffic.open()
        let big = String(repeating: "x", count: 100_000)
        _ = writer.put(opened.records + traffic.exchange(opened, number: 0, body: "first"))
        writer.flush()
        #expect(warnings.get().isEmpty)
        for round in 1...2 {
            pages.set(1)
            for number in 0..<4 {
                _ = writer.put(
                    traffic.exchange(opened, number: 10 * round + number, body: big))
                writer.flush()
            }
            #expect(warnings.get().count == 2 * round - 1)
            #expect(
                warnings.get().last
                    == "the disk of \(trace.path) is full: traffic goes on, bytes are missing from "
                    + "the trace from now on; free some space")
            pages.set(Self.all)
            _ = writer.put([.mark(MarkRow(at: traffic.tick(), name: "room"))])
            writer.flush()
            #expect(warnings.get().count == 2 * round)
            let missing = try trace.rows(
                "SELECT sum(bytes) FROM gap WHERE after_chunk_id = (SELECT max(id) FROM chunk)"
            ).compactMap { Int($0) }.first
            #expect(missing ?? 0 > 300_000)
            #expect(
                warnings.get().last == "writing again; \(missing ?? 0) bytes are missing")
        }
        writer.finish()
        #expect(warnings.get().count == 4)
    }

    @Test func `rebuilding gives the same rows after bytes went missing`() throws {
        let trace = try TemporaryTrace()
        let pages = Shared(Self.all)
        let writer = try trace.writer(options(pages))
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records + traffic.exchange(opened, number: 0, body: "first"))
        writer.flush()
        pages.set(1)
        let big = String(repeating: "x", count: 100_000)
        for number in 1..<6 {
            _ = writer.put(traffic.exchange(opened, number: number, body: big))
            writer.flush()
        }
        pages.set(Self.all)
        _ = writer.put(traffic.http(exchanges: 3))
        writer.flush()
        _ = writer.put(traffic.close(opened))
        writer.finish()
        let live = try trace.dumps(TemporaryTrace.derived)
        try Rebuild.run(path: trace.path)
        let rebuilt = try trace.dumps(TemporaryTrace.derived)
        for table in TemporaryTrace.derived { #expect(live[table] == rebuilt[table], "\(table)") }
    }

    @Test func `stops when asked to and keeps what is there`() throws {
        let trace = try TemporaryTrace()
        let pages = Shared(Self.all)
        let stopped = Shared<[TraceError]>([])
        var options = options(pages, .stop)
        options.onWarning = { _ in Issue.record("onStop says it") }
        options.onStop = { error in stopped.change { $0.append(error) } }
        let writer = try trace.writer(options)
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records + traffic.exchange(opened, number: 0, body: "first"))
        writer.flush()
        let before = try trace.dump("chunk")
        pages.set(1)
        for number in 1..<4 {
            _ = writer.put(
                traffic.exchange(
                    opened, number: number, body: String(repeating: "x", count: 100_000)))
            writer.flush()
        }
        #expect(stopped.get() == [TraceError(.diskFull, "")])
        writer.finish("the disk is full")
        #expect(writer.failure == TraceError(.diskFull, ""))
        #expect(try trace.dump("chunk") == before)
        #expect(try trace.integrity == "ok")
    }

    @Test func `last words fit when the disk stays full`() throws {
        let trace = try TemporaryTrace()
        let pages = Shared(Self.all)
        let writer = try trace.writer(options(pages))
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records + traffic.exchange(opened, number: 0, body: "first"))
        writer.flush()
        let count = try trace.rows("PRAGMA page_count").compactMap { Int64($0) }.first ?? 0
        // Room for a few small rows and not for a body.
        pages.set(count + 2)
        for number in 1..<4 {
            _ = writer.put(
                traffic.exchange(
                    opened, number: number, body: String(repeating: "x", count: 200_000)))
            writer.flush()
        }
        writer.finish()
        let gaps = try trace.reader().gaps()
        #expect(gaps.reduce(0) { $0 + $1.chunks } == 9)
        #expect(
            try trace.rows("SELECT count(*) FROM event WHERE kind = 'session-ended'") == ["1"])
        #expect(try trace.integrity == "ok")
    }

    @Test func `a gap of unknown size stands in the trace while the disk is full`() throws {
        let trace = try TemporaryTrace()
        let pages = Shared(Self.all)
        let writer = try trace.writer(options(pages))
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records + traffic.exchange(opened, number: 0, body: "first"))
        writer.flush()
        let count = try trace.rows("PRAGMA page_count").compactMap { Int64($0) }.first ?? 0
        pages.set(count + 2)
        let big = String(repeating: "x", count: 100_000)
        for number in 1..<4 {
            _ = writer.put(traffic.exchange(opened, number: number, body: big))
            writer.flush()
        }
        // What a kill would leave.
        let standing = try trace.reader().gaps()
        #expect(standing.map(\.reason) == [.diskFull])
        #expect(standing.map(\.count) == [0])
        #expect(standing.map(\.connection) == [nil])
        pages.set(Self.all)
        _ = writer.put([.mark(MarkRow(at: traffic.tick(), name: "room"))])
        writer.flush()
        #expect(try trace.reader().gaps().allSatisfy { $0.count > 0 })
        let totals = writer.finish()
        #expect(totals.gaps == 2)
    }

    @Test func `the gap of unknown size goes with what says how much is missing, or stays`() throws
    {
        let trace = try TemporaryTrace()
        let file = try TraceFile(path: trace.path)
        defer { file.close() }
        let writer = try SessionWriter(beginningIn: file.connection)
        let unknown = writer.position.counters.gap
        try writer.commit(Batch(records: [.gap(.unknown(.diskFull, at: .zero))]))
        let known = GapRow(
            connection: nil, leg: nil, sender: nil, at: .zero, until: .zero, count: 7, chunks: 1,
            reason: .diskFull)
        let big = MarkRow(at: .zero, name: String(repeating: "x", count: 100_000))
        let batch = Batch(records: [.gap(known), .mark(big)])
        try file.connection.execute("PRAGMA max_page_count = 1")
        #expect(throws: StorageFault.self) {
            try writer.commit(batch, forgetting: unknown)
        }
        #expect(try trace.reader().gaps().map(\.count) == [0])
        try file.connection.execute("PRAGMA max_page_count = \(Self.all)")
        try writer.commit(batch, forgetting: unknown)
        #expect(try trace.reader().gaps().map(\.count) == [7])
    }

    @Test func `the next session says what a killed one had no room to say`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        _ = writer.put(traffic.http(exchanges: 1))
        writer.finish()
        _ = try trace.rows("DELETE FROM event WHERE kind = 'session-ended'")
        let left = Reserve(for: trace.path)
        left.take()
        left.write(
            Reserve.Mark(reason: .locked, sinceUnix: 1_000_000_000_000_000_000 + 7_000_000_000))
        try trace.writer().finish()
        let gaps = try trace.rows(
            "SELECT session_id, connection_id, at_ns, until_ns, bytes, reason FROM gap")
        #expect(gaps == ["1|null|7000000000|7000000000|0|locked"])
        // Once.
        try trace.writer().finish()
        #expect(try trace.rows("SELECT count(*) FROM gap") == ["1"])
        #expect(!FileManager.default.fileExists(atPath: trace.path + ".reserve"))
    }

    /// Whether this process has the right to mount a file system.
    static let canMount: Bool = {
        let place = FileManager.default.temporaryDirectory
            .appendingPathComponent("mount-\(UUID().uuidString)").path
        try? FileManager.default.createDirectory(
            atPath: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: place) }
        guard mount("tmpfs", place, "tmpfs", 0, "size=64k") == 0 else { return false }
        return umount(place) == 0
    }()

    @Test(.enabled(if: canMount, "mounting a small disk is not permitted here"))
    func `every byte is in the trace or in a gap when a small disk fills up`() throws {
        let trace = try TemporaryTrace()
        let mounted = trace.directory + "/small"
        try FileManager.default.createDirectory(
            atPath: mounted, withIntermediateDirectories: true)
        #expect(mount("tmpfs", mounted, "tmpfs", 0, "size=4m") == 0)
        defer { umount(mounted) }
        var options = TraceOptions()
        options.retryInterval = 0
        let session = SessionStart(
            provenance: .proxy, version: "", arguments: "", startedUnixNanoseconds: 0)
        let writer = try TraceWriter(path: mounted + "/a.tape", session: session, options: options)
        var traffic = Traffic()
        var sent = 0
        for _ in 0..<40 {
            let records = traffic.http(exchanges: 4, body: String(repeating: "x", count: 50_000))
            for case .chunk(let chunk) in records { sent += chunk.bytes.count }
            _ = writer.put(records)
            writer.flush()
        }
        let totals = writer.finish()
        #expect(writer.failure?.reason == nil)
        let reader = try TraceReader(path: mounted + "/a.tape")
        #expect(try reader.db.text("PRAGMA integrity_check") == "ok")
        let there = try reader.db.integer("SELECT sum(length(bytes)) FROM chunk")
        let missing = try reader.db.integer(
            "SELECT sum(bytes) FROM gap WHERE reason = 'disk-full'")
        #expect(missing > 0)
        #expect(there + missing == Int64(sent))
        #expect(totals.missingBytes == missing)
    }
}
