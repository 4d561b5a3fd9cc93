import CSQLite
import Dispatch
import Foundation
import Storage
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

    /// Waits until `probe` holds, which the writer's thread brings about.
    private func eventually(_ probe: () throws -> Bool) throws {
        let deadline = Date().addingTimeInterval(30)
        while try !probe() {
            try #require(Date() < deadline, "waited in vain")
            usleep(1_000)
        }
    }

    @Test func `what comes while another program writes is held and written afterwards`() throws {
        let trace = try TemporaryTrace()
        let warnings = Shared<[String]>([])
        var options = TraceOptions()
        options.onWarning = { text in warnings.change { $0.append(text) } }
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
            guard !writer.put(records) else { continue }
            let room = DispatchSemaphore(value: 0)
            writer.whenRoom { room.signal() }
            try #require(room.wait(timeout: .now() + 30) == .success, "\(number)")
        }
        #expect(try other.integer("SELECT count(*) FROM chunk") == 0)
        try other.execute("ROLLBACK")
        writer.flush()
        #expect(try Int(other.integer("SELECT sum(length(bytes)) FROM chunk")) == sent)
        other.close()
        let totals = writer.finish()
        #expect(totals.gaps == 0)
        #expect(writer.failure == nil)
        #expect(!warnings.get().contains { $0.contains("missing from the trace") })
        #expect(try trace.rows("SELECT count(*) FROM http_exchange") == ["200"])
        #expect(try trace.integrity == "ok")
    }

    @Test func `beyond the budget it is a gap that ends with the lock`() throws {
        let trace = try TemporaryTrace()
        let warnings = Shared<[String]>([])
        var options = TraceOptions()
        options.budget = 1 << 20
        options.onWarning = { text in warnings.change { $0.append(text) } }
        let writer = try trace.writer(options)
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records)
        writer.flush()
        let other = try Connection(path: trace.path, flags: SQLITE_OPEN_READWRITE)
        try other.execute("BEGIN IMMEDIATE")
        var sent = 0
        for number in 0..<20 {
            let records = traffic.exchange(opened, number: number, body: Self.body)
            sent += bytes(records)
            _ = writer.put(records)
        }
        var number = 20
        try eventually {
            let records = traffic.exchange(opened, number: number, body: Self.body)
            sent += bytes(records)
            _ = writer.put(records)
            number += 1
            return warnings.get().contains { $0.contains("missing from the trace from now on") }
        }
        #expect(warnings.get().last?.contains("is locked by another program") == true)
        try other.execute("ROLLBACK")
        other.close()
        writer.flush()
        let last = traffic.exchange(opened, number: 9_999, body: "last")
        sent += bytes(last)
        _ = writer.put(last)
        let totals = writer.finish()
        #expect(warnings.get().last == "writing again; \(totals.missingBytes) bytes are missing")
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
        let stopped = Shared<[TraceError]>([])
        var options = TraceOptions()
        options.budget = 1 << 18
        options.onDiskFull = .stop
        options.onStop = { error in stopped.change { $0.append(error) } }
        let writer = try trace.writer(options)
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records)
        writer.flush()
        let other = try Connection(path: trace.path, flags: SQLITE_OPEN_READWRITE)
        try other.execute("BEGIN IMMEDIATE")
        var number = 0
        try eventually {
            _ = writer.put(traffic.exchange(opened, number: number, body: Self.body))
            number += 1
            return !stopped.get().isEmpty
        }
        try other.execute("ROLLBACK")
        other.close()
        writer.finish()
        #expect(writer.failure == TraceError(.busy, ""))
    }

    @Test func `a reader cannot make a bounded trace grow without bound`() throws {
        let trace = try TemporaryTrace()
        let warnings = Shared<[String]>([])
        var options = TraceOptions()
        options.budget = 1 << 20
        options.maxSize = 8 << 20
        options.indexesSearch = false
        options.onWarning = { text in warnings.change { $0.append(text) } }
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
        try eventually {
            _ = writer.put(traffic.exchange(opened, number: number, body: Self.body))
            number += 1
            #expect(size() < 13 << 20)
            return warnings.get().contains { $0.contains("beyond --max-size") }
        }
        #expect(warnings.get().last?.contains("missing from the trace from now on") == true)
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

    @Test func `a reader that makes the log grow is told of once`() throws {
        let trace = try TemporaryTrace()
        let warnings = Shared<[String]>([])
        var options = TraceOptions()
        options.largeLog = 6 << 20
        options.indexesSearch = false
        options.onWarning = { text in warnings.change { $0.append(text) } }
        let writer = try trace.writer(options)
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records)
        writer.flush()
        let reader = try Connection(path: trace.path, flags: SQLITE_OPEN_READONLY)
        try reader.execute("BEGIN; SELECT count(*) FROM session")
        var number = 1
        try eventually {
            _ = writer.put(traffic.exchange(opened, number: number, body: Self.body))
            writer.flush()
            number += 1
            return !warnings.get().isEmpty
        }
        for _ in 0..<300 {
            _ = writer.put(traffic.exchange(opened, number: number, body: Self.body))
            writer.flush()
            number += 1
        }
        reader.close()
        let totals = writer.finish()
        #expect(warnings.get().count == 1)
        #expect(warnings.get().first?.contains("-wal has ") == true)
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
