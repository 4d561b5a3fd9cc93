import CSQLite
import Dispatch
import Foundation
import Storage
import Synchronization
import Testing
import Wire

@testable import Trace

/// Other programs hold locks of a trace that is being written.
@Suite struct LockTests {
    private static let body = String(repeating: "x", count: 20_000)

    private func bytes(_ records: [Record]) -> Int {
        records.reduce(0) { sum, record in
            if case .chunk(let chunk) = record { sum + chunk.bytes.count } else { sum }
        }
    }

    /// Gives a writer as much as it has room for, and then more.
    private func put(_ records: [Record], _ writer: TraceWriter) throws {
        guard !writer.put(records) else { return }
        let room = DispatchSemaphore(value: 0)
        writer.whenRoom { room.signal() }
        try #require(room.wait(timeout: .now() + 30) == .success, "there is no room")
    }

    @Test func `what comes while another program writes is held and written afterwards`() throws {
        let trace = try TemporaryTrace()
        let warnings = Reports<String>()
        var options = TraceOptions()
        options.onWarning = { warnings.add($0) }
        let writer = try trace.writer(options)
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records)
        writer.flush()
        let other = try Connection(path: trace.path, flags: SQLITE_OPEN_READWRITE)
        try other.execute("BEGIN IMMEDIATE")
        var sent = 0
        for number in 0..<200 {
            let records = traffic.exchange(opened, number: number, body: Self.body)
            sent += bytes(records)
            // Far more than is usually let wait; who is asked to stop goes on while it is locked.
            try put(records, writer)
        }
        #expect(try other.integer("SELECT count(*) FROM chunk") == 0)
        try other.execute("ROLLBACK")
        writer.flush()
        #expect(try Int(other.integer("SELECT sum(length(bytes)) FROM chunk")) == sent)
        other.close()
        let totals = writer.finish()
        #expect(totals.gaps == 0)
        #expect(writer.failure == nil)
        #expect(!warnings.all.contains { $0.contains("missing from the trace") })
        #expect(try trace.rows("SELECT count(*) FROM http_exchange") == ["200"])
        #expect(try trace.integrity == "ok")
    }

    @Test func `beyond the budget it is a gap that ends with the lock`() throws {
        let trace = try TemporaryTrace()
        let warnings = Reports<String>()
        var options = TraceOptions()
        options.budget = 1 << 20
        options.onWarning = { warnings.add($0) }
        let writer = try trace.writer(options)
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records)
        writer.flush()
        let other = try Connection(path: trace.path, flags: SQLITE_OPEN_READWRITE)
        try other.execute("BEGIN IMMEDIATE")
        var sent = 0
        // Twice the budget.
        for number in 0..<100 {
            let records = traffic.exchange(opened, number: number, body: Self.body)
            sent += bytes(records)
            _ = writer.put(records)
        }
        try warnings.wait { $0.contains { $0.contains("missing from the trace from now on") } }
        #expect(warnings.all.last?.contains("is locked by another program") == true)
        try other.execute("ROLLBACK")
        other.close()
        writer.flush()
        let last = traffic.exchange(opened, number: 9_999, body: "last")
        sent += bytes(last)
        _ = writer.put(last)
        let totals = writer.finish()
        #expect(warnings.all.last == "writing again; \(totals.missingBytes) bytes are missing")
        let gaps = try trace.reader().gaps()
        #expect(!gaps.isEmpty)
        #expect(gaps.allSatisfy { $0.reason == .locked && $0.connection == opened.connection })
        let there = try trace.rows("SELECT sum(length(bytes)) FROM chunk").compactMap { Int($0) }
        #expect((there.first ?? 0) + Int(totals.missingBytes) == sent)
        // What was held came through in order, before the gap.
        #expect((there.first ?? 0) > 500_000)
        #expect(
            try trace.rows("SELECT count(*) FROM http_exchange WHERE path = '/item/9999'") == ["1"])
        #expect(try trace.integrity == "ok")
    }

    @Test func `asked to stop, it stops when the budget is used up`() throws {
        let trace = try TemporaryTrace()
        let stopped = Reports<TraceError>()
        var options = TraceOptions()
        options.budget = 1 << 18
        options.onDiskFull = .stop
        options.onStop = { stopped.add($0) }
        let writer = try trace.writer(options)
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records)
        writer.flush()
        let other = try Connection(path: trace.path, flags: SQLITE_OPEN_READWRITE)
        try other.execute("BEGIN IMMEDIATE")
        // Twice the budget.
        for number in 0..<26 {
            _ = writer.put(traffic.exchange(opened, number: number, body: Self.body))
        }
        try stopped.wait { !$0.isEmpty }
        try other.execute("ROLLBACK")
        other.close()
        writer.finish()
        #expect(writer.failure == TraceError(.busy, ""))
    }

    @Test func `a reader cannot make a bounded trace grow without bound`() throws {
        let trace = try TemporaryTrace()
        let warnings = Reports<String>()
        var options = TraceOptions()
        options.budget = 1 << 20
        options.maxSize = 8 << 20
        options.indexesSearch = false
        options.onWarning = { warnings.add($0) }
        let writer = try trace.writer(options)
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records + traffic.exchange(opened, number: 0, body: "first"))
        writer.flush()
        let reader = try Connection(path: trace.path, flags: SQLITE_OPEN_READONLY)
        try reader.execute("BEGIN; SELECT count(*) FROM chunk")
        var number = 1
        func size() -> Int64 {
            ["", "-wal"].reduce(0) { sum, suffix in
                let attributes = try? FileManager.default.attributesOfItem(
                    atPath: trace.path + suffix)
                return sum + ((attributes?[.size] as? NSNumber)?.int64Value ?? 0)
            }
        }
        // Half as much again as file and budget hold; what finds no room is missing.
        while number < 700 {
            _ = writer.put(traffic.exchange(opened, number: number, body: Self.body))
            number += 1
            #expect(size() < 13 << 20)
        }
        try warnings.wait { $0.contains { $0.contains("beyond --max-size") } }
        #expect(size() < 13 << 20)
        #expect(warnings.all.last?.contains("missing from the trace from now on") == true)
        reader.close()
        writer.flush()
        _ = writer.put(traffic.exchange(opened, number: 9_999, body: "last"))
        let totals = writer.finish()
        #expect(totals.missingBytes > 0)
        #expect(try trace.reader().gaps().contains { $0.reason == .diskFull })
        #expect(
            try trace.rows("SELECT count(*) FROM http_exchange WHERE path = '/item/9999'") == ["1"])
        #expect(try trace.integrity == "ok")
    }

    @Test func `a reader that makes the log grow is reported once`() throws {
        let trace = try TemporaryTrace()
        let warnings = Reports<String>()
        var options = TraceOptions()
        options.largeLog = 6 << 20
        options.reportsOwnReader = true
        options.indexesSearch = false
        options.onWarning = { warnings.add($0) }
        let writer = try trace.writer(options)
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records)
        writer.flush()
        let reader = try Connection(path: trace.path, flags: SQLITE_OPEN_READONLY)
        try reader.execute("BEGIN; SELECT count(*) FROM session")
        for number in 1...600 {
            _ = writer.put(traffic.exchange(opened, number: number, body: Self.body))
            writer.flush()
        }
        reader.close()
        let totals = writer.finish()
        #expect(warnings.all.count == 1)
        #expect(warnings.all.first?.contains("-wal has ") == true)
        #expect(totals.gaps == 0)
    }

    @Test func `names who holds a lock`() {
        let table = """
            1: POSIX  ADVISORY  READ  41 fe:00:77 1073741826 1073742335
            2: POSIX  ADVISORY  WRITE 42 fe:00:77 120 120
            2: -> POSIX  ADVISORY  WRITE 43 fe:00:77 120 120
            3: POSIX  ADVISORY  READ  44 fe:00:77 124 124
            4: POSIX  ADVISORY  WRITE 45 fe:00:78 120 120
            5: FLOCK  ADVISORY  WRITE 46 fe:00:77 0 EOF
            6: POSIX  ADVISORY  READ  47 fe:00:77 0 EOF
            7: POSIX  ADVISORY  READ  -1 fe:00:77 124 124
            """
        #expect(LockHolders.processes(in: table, inode: 77, .write) == [42, 47])
        #expect(LockHolders.processes(in: table, inode: 77, .read) == [44, 47])
        #expect(LockHolders.processes(in: "", inode: 77, .read) == [])
    }
}

/// What a writer says, which can be waited for.
private final class Reports<Value: Sendable>: Sendable {
    private let said = Mutex<[Value]>([])
    private let news = DispatchSemaphore(value: 0)

    var all: [Value] { said.withLock { $0 } }

    func add(_ value: Value) {
        said.withLock { $0.append(value) }
        news.signal()
    }

    /// Waits until `probe` holds for all reports.
    func wait(until probe: ([Value]) -> Bool) throws {
        while !probe(all) {
            try #require(news.wait(timeout: .now() + 30) == .success, "waited in vain")
        }
    }
}
