import CSQLite
import Dissection
import Filters
import Foundation
import Storage
import Testing
import Wire

@testable import Trace

@Suite struct TraceWriterTests {
    @Test func `writes what was seen and what it means`() throws {
        let trace = try TemporaryTrace()
        let reported = Shared<[DerivedRow]>([])
        var options = TraceOptions()
        options.onCommit = { rows in reported.change { $0 += rows } }
        let writer = try trace.writer(options)
        var traffic = Traffic()
        #expect(writer.put(traffic.http(exchanges: 3)))
        let opened = traffic.open()
        #expect(writer.put(opened.records + traffic.upgrade(opened)))
        #expect(writer.put([traffic.change(opened, 1), traffic.message(opened, .server, "h:1")]))
        writer.flush()
        #expect(try trace.rows("SELECT count(*) FROM message") == ["2"])
        let totals = writer.finish()
        #expect(totals.connections == 2)
        #expect(totals.exchanges == 4)
        #expect(totals.messages == 2)
        #expect(totals.commands == 2)
        #expect(totals.gaps == 0)
        #expect(totals.chunks == 13)
        // Four exchanges, two messages, two commands.
        #expect(reported.get().count == 8)
        #expect(try trace.integrity == "ok")
        #expect(
            try trace.rows("SELECT url, status, response_body FROM exchange WHERE id = 2")
                == ["http://example.org/item/1?n=1|200|hello world"])
        #expect(
            try trace.rows("SELECT key, o FROM change") == ["key1|M"])
        #expect(try trace.rows("SELECT count(*) FROM chunk") == ["13"])
        #expect(
            try trace.rows("SELECT kind, detail FROM event ORDER BY id DESC LIMIT 1")
                == ["session-ended|finished"])
        #expect(
            try trace.rows("SELECT c.bytes FROM chunk c WHERE c.id = 1").first?
                .contains("localhost:1") == true)
        #expect(try trace.rows("PRAGMA journal_mode") == ["delete"])
        #expect(!FileManager.default.fileExists(atPath: trace.path + ".reserve"))
    }

    @Test func `is readable by its owner alone`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        for name in ["", "-wal", "-shm", ".reserve"] {
            let mode = try FileManager.default.attributesOfItem(atPath: trace.path + name)[
                .posixPermissions]
            #expect(mode as? Int == 0o600, "\(name)")
        }
        writer.finish()
    }

    @Test func `a second session leaves what is there untouched`() throws {
        let trace = try TemporaryTrace()
        var traffic = Traffic()
        let first = try trace.writer()
        _ = first.put(traffic.http(exchanges: 3))
        first.finish()
        let before = try trace.dumps(TemporaryTrace.truth + TemporaryTrace.derived)
        let second = try trace.writer()
        #expect(second.session == SessionID(2))
        #expect(second.nextConnection() == ConnectionID(2))
        #expect(second.nextConnection() == ConnectionID(3))
        #expect(second.nextLeg() == LegID(4))
        traffic = Traffic(first: 2)
        _ = second.put(traffic.http(exchanges: 2))
        second.finish()
        for (table, rows) in before {
            let now = try trace.dump(table)
            #expect(rows.allSatisfy(now.contains), "\(table)")
            #expect(now.count >= rows.count)
        }
        #expect(try trace.rows("SELECT max(id), count(*) FROM http_exchange") == ["5|5"])
        let sessions = try trace.reader().sessions()
        #expect(sessions.map(\.ended) == ["finished", "finished"])
        #expect(try trace.integrity == "ok")
    }

    @Test func `refuses a second writer until the first has ended`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        #expect(throws: TraceError(.busy, "")) { try trace.writer() }
        #expect(throws: TraceError(.busy, "")) { try Rebuild.run(path: trace.path) }
        writer.finish()
        try trace.writer().finish()
    }

    @Test func `refuses a writer of another process`() throws {
        let trace = try TemporaryTrace()
        try trace.writer().finish()
        let descriptor = open(trace.path, O_RDWR)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        #expect(throws: TraceError(.busy, "")) { try trace.writer() }
    }

    @Test func `refuses a later format`() throws {
        let trace = try TemporaryTrace()
        try trace.writer().finish()
        _ = try trace.rows("PRAGMA user_version = 99")
        #expect(throws: TraceError(.newerFormat, "")) { try trace.writer() }
        #expect(throws: TraceError(.newerFormat, "")) { try trace.reader() }
        #expect(try trace.rows("PRAGMA user_version") == ["99"])
    }

    @Test(arguments: ["garbage", "\0\0\0\0", String(repeating: "x", count: 5_000)])
    func `refuses what is no trace and leaves it as it is`(content: String) throws {
        let trace = try TemporaryTrace()
        try Data(content.utf8).write(to: URL(fileURLWithPath: trace.path))
        #expect(throws: TraceError(.notATrace, "")) { try trace.writer() }
        #expect(throws: TraceError(.notATrace, "")) { try trace.reader() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: trace.path)) == Data(content.utf8))
    }

    @Test func `refuses another program's database`() throws {
        let trace = try TemporaryTrace()
        let db = try Connection(
            path: trace.path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        try db.execute("CREATE TABLE theirs(a)")
        db.close()
        #expect(throws: TraceError(.notATrace, "")) { try trace.writer() }
        #expect(throws: TraceError(.notATrace, "")) { try trace.reader() }
        #expect(try trace.rows("SELECT name FROM sqlite_master") == ["theirs"])
    }

    @Test func `takes an empty file for a new trace and refuses to read one`() throws {
        let trace = try TemporaryTrace()
        try Data().write(to: URL(fileURLWithPath: trace.path))
        #expect(throws: TraceError(.notATrace, "")) { try trace.reader() }
        try trace.writer().finish()
        #expect(try trace.reader().sessions().count == 1)
    }

    @Test func `says why it cannot open`() throws {
        let trace = try TemporaryTrace()
        let session = SessionStart(
            provenance: .proxy, version: "", arguments: "", startedUnixNanoseconds: 0)
        #expect(throws: TraceError(.cannotOpen, "")) {
            try TraceWriter(path: trace.directory + "/no/such.tape", session: session)
        }
        #expect(throws: TraceError(.cannotOpen, "")) {
            try TraceWriter(path: trace.directory, session: session)
        }
        #expect(throws: TraceError(.cannotOpen, "")) { try trace.reader() }
    }

    @Test func `holds back and calls when there is room`() throws {
        let trace = try TemporaryTrace()
        var options = TraceOptions()
        options.budget = 100_000
        // The writer waits in its first commit until it is let on.
        let gate = DispatchSemaphore(value: 0)
        let inCommit = DispatchSemaphore(value: 0)
        let isFirst = Shared(true)
        options.onCommit = { _ in
            guard isFirst.get() else { return }
            isFirst.set(false)
            inCommit.signal()
            gate.wait()
        }
        let writer = try trace.writer(options)
        var traffic = Traffic()
        #expect(writer.put(traffic.http(exchanges: 1)))
        inCommit.wait()
        let opened = traffic.open()
        var hasRoom = writer.put(opened.records)
        var refusals = 0
        for number in 0..<200 {
            hasRoom = writer.put(
                traffic.exchange(opened, number: number, body: String(repeating: "b", count: 1_000))
            )
            if !hasRoom { refusals += 1 }
        }
        #expect(!hasRoom)
        #expect(refusals > 100)
        let resumed = DispatchSemaphore(value: 0)
        writer.whenRoom { resumed.signal() }
        #expect(resumed.wait(timeout: .now()) == .timedOut)
        gate.signal()
        resumed.wait()
        writer.flush()
        #expect(writer.put([]))
        let totals = writer.finish()
        // Nothing was dropped for being put too early.
        #expect(totals.exchanges == 201)
        #expect(totals.refused == 0)
    }

    @Test func `counts what comes after the end and lets nobody hang`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        writer.finish("one")
        writer.finish("two")
        var traffic = Traffic()
        #expect(writer.put(traffic.http(exchanges: 1)))
        let called = Shared(false)
        writer.whenRoom { called.set(true) }
        #expect(called.get())
        writer.flush()
        #expect(writer.totals.refused > 0)
        #expect(try trace.rows("SELECT detail FROM event") == ["one"])
    }

    @Test func `what was committed is there for a reader while it is written`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        _ = writer.put(traffic.http(exchanges: 2))
        writer.flush()
        let reader = try trace.reader()
        var lines: [TraceLine] = []
        try reader.lines {
            lines.append($0)
            return true
        }
        #expect(lines.count == 2)
        _ = writer.put(traffic.http(exchanges: 2))
        writer.flush()
        lines = []
        try reader.lines {
            lines.append($0)
            return true
        }
        #expect(lines.count == 4)
        // A copy of the files at this moment is what a crash leaves.
        let copy = trace.directory + "/copy.tape"
        try FileManager.default.copyItem(atPath: trace.path, toPath: copy)
        try FileManager.default.copyItem(atPath: trace.path + "-wal", toPath: copy + "-wal")
        let crashed = try TraceReader(path: copy)
        #expect(try crashed.sessions().first?.endedAt == nil)
        #expect(try crashed.db.text("PRAGMA integrity_check") == "ok")
        #expect(try crashed.db.integer("SELECT count(*) FROM http_exchange") == 4)
        writer.finish()
    }

    @Test func `indexes text behind the commits and says how far`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        _ = writer.put(traffic.http(exchanges: 5, body: "needle in a haystack"))
        let opened = traffic.open()
        _ = writer.put(opened.records + traffic.upgrade(opened) + [traffic.change(opened, 7)])
        let shares = Shared<[Double]>([])
        writer.finish { share in
            shares.change { $0.append(share) }
            return true
        }
        // Idle time may have done it all before.
        #expect(shares.get() == shares.get().sorted())
        #expect(
            try trace.rows("SELECT rowid / 4 FROM search WHERE search MATCH 'needle' ORDER BY 1")
                == ["1", "2", "3", "4", "5"])
        #expect(try trace.rows("SELECT rowid FROM search WHERE search MATCH 'word7'") == ["3"])
        #expect(
            try trace.rows("SELECT name, upto FROM progress ORDER BY name")
                == [
                    "body|" + (try trace.rows("SELECT max(id) FROM body").joined()),
                    "change|" + (try trace.rows("SELECT max(id) FROM any_change").joined()),
                    "message|1",
                ])
        #expect(try trace.rows("SELECT count(*) FROM late") == ["0"])
    }

    @Test func `an index that was not finished is finished by the next session`() throws {
        let trace = try TemporaryTrace()
        var options = TraceOptions()
        options.indexesSearch = false
        let first = try trace.writer(options)
        var traffic = Traffic()
        _ = first.put(traffic.http(exchanges: 5, body: "needle"))
        first.finish()
        let filter = try Filter.parse("needle")
        var found = 0
        try trace.reader().lines(filter) { _ in
            found += 1
            return true
        }
        #expect(found == 5)
        #expect(try trace.rows("SELECT count(*) FROM progress") == ["0"])
        try trace.writer().finish()
        #expect(
            try trace.rows("SELECT count(*) FROM search WHERE search MATCH 'needle'") == ["5"])
    }
}
