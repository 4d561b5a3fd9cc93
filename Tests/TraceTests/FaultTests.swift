import Dissection
import Filters
import Foundation
import Testing
import Wire

@testable import Trace

@Suite struct FaultTests {
    private func fault(
        _ rule: String, _ opened: Traffic.Opened, _ sender: Peer? = nil, at: Instant = .zero
    ) -> Record {
        .fault(
            FaultRow(
                at: at, rule: rule, action: "drop", connection: opened.connection, sender: sender,
                scope: "a1", occurrence: 3, draw: .max))
    }

    /// Two exchanges, of which the second is answered by a fault, and a socket with a change that
    /// is refused and one that nobody gets.
    private func record(_ trace: TemporaryTrace) throws {
        let writer = try trace.writer()
        var traffic = Traffic()
        let http = traffic.open()
        let first = traffic.exchange(http, number: 0, body: "a")
        let second = traffic.exchange(http, number: 1, body: "b")
        let socket = traffic.open()
        var records = http.records + first
        // Bytes of others may come between a fault and its own.
        records += [fault("overload", http, .client)] + socket.records + second
        records += [.mark(MarkRow(at: .zero, name: "here"))]
        records += traffic.upgrade(socket) + [traffic.change(socket, 1)]
        records += [fault("refuse", socket, .client), traffic.change(socket, 2)]
        records += [fault("cut", socket)] + traffic.close(socket)
        records += [fault("late", http, .server)] + traffic.close(http)
        _ = writer.put(records)
        writer.finish()
        #expect(writer.totals.faults == 4)
    }

    @Test func `anchors a fault to the bytes that follow it, or to the last ones`() throws {
        let trace = try TemporaryTrace()
        try record(trace)
        #expect(
            try trace.rows(
                """
                SELECT rule, chunk_id - (SELECT max(request_chunk_id) FROM http_exchange x
                    WHERE x.connection_id = f.connection_id)
                FROM fault_statement f ORDER BY id
                """) == ["overload|0", "refuse|3", "cut|3", "late|2"])
    }

    @Test func `a fault stays with its bytes, however much stands between`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        let http = traffic.open()
        let between = (0..<8_000).map { Record.mark(MarkRow(at: .zero, name: "\($0)")) }
        let exchange = traffic.exchange(http, number: 0, body: "a")
        _ = writer.put(http.records + [fault("far", http, .client)] + between + exchange)
        writer.finish()
        #expect(
            try trace.rows("SELECT chunk_id FROM fault_statement")
                == (try trace.rows("SELECT min(id) FROM chunk")))
    }

    @Test func `keeps what a fault did, and why another did nothing`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        let http = traffic.open()
        let effects: [(String, FaultEffect?, String?)] = [
            ("done", [.lost, .ended], nil), ("failed", [], "no body"), ("unknown", nil, nil),
        ]
        var records = http.records
        for (rule, effect, problem) in effects {
            records.append(
                .fault(
                    FaultRow(
                        at: .zero, rule: rule, action: "drop", effect: effect, problem: problem,
                        connection: http.connection, sender: .client)))
        }
        records += traffic.exchange(http, number: 0, body: "a")
        _ = writer.put(records)
        writer.finish()
        #expect(
            try trace.rows("SELECT rule, effect, problem FROM fault ORDER BY id") == [
                "done|lost ended|null", "failed|none|no body", "unknown|null|null",
            ])
        let reader = try TraceReader(path: trace.path)
        let read = try reader.faults()
        #expect(read.map(\.row.effect) == effects.map(\.1))
        #expect(read.map(\.row.problem) == effects.map(\.2))
        // What did nothing is no fault of the exchange.
        var rows = FaultedRows()
        try reader.extend(&rows)
        #expect(rows.rules(of: ExchangeID(1)) == ["done", "unknown"])
        #expect(try matching("fault:failed", trace) == [])
        #expect(try matching("fault:done", trace) == [1])
    }

    @Test func `an exchange has the first fault that was done`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        let http = traffic.open()
        let failed = FaultRow(
            at: .zero, rule: "failed", action: "drop", effect: [], problem: "no body",
            connection: http.connection, sender: .client)
        let done = [fault("done", http, .client)]
        let exchange = traffic.exchange(http, number: 0, body: "a")
        _ = writer.put(http.records + [.fault(failed)] + done + exchange)
        writer.finish()
        #expect(try trace.rows("SELECT fault_id FROM exchange") == ["2"])
    }

    private func matching(_ filter: String, _ trace: TemporaryTrace) throws -> [Int64] {
        var found: [Int64] = []
        try TraceReader(path: trace.path).lines(try Filter.parse(filter)) { line in
            if case .exchange(_, let row) = line { found.append(row.id.rawValue) }
            return true
        }
        return found
    }

    @Test func `finds what a fault was done to without reading all rows`() throws {
        let trace = try TemporaryTrace()
        try record(trace)
        let plan = try trace.rows(
            "EXPLAIN QUERY PLAN SELECT exchange_id, message_id, command_id FROM fault")
        // A session with many faults would take as long as their square.
        #expect(plan.count { $0.contains("SCAN") && !$0.contains("SCAN f") } == 0)
    }

    @Test func `finds the last bytes in what was written before`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        let http = traffic.open()
        _ = writer.put(http.records + traffic.exchange(http, number: 0, body: "a"))
        writer.flush()
        let other = traffic.open()
        _ = writer.put([fault("late", http), fault("early", other)])
        writer.finish()
        #expect(
            try trace.rows("SELECT rule, chunk_id FROM fault_statement ORDER BY id")
                == ["late|3", "early|null"])
    }

    @Test func `follows bytes that went on as others`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        let http = traffic.open()
        let first = traffic.exchange(http, number: 0, body: "a")
        var second = traffic.exchange(http, number: 1, body: "b")
        let third = traffic.exchange(http, number: 2, body: "c")
        guard case .chunk(var request) = second[0] else { return }
        let whole = Delivery(offset: 0, count: request.bytes.count, at: nil)
        // What the relay does with a request that is altered.
        request.patches = [Patch(offset: 5, removed: 1, inserted: [0x62], reason: .fault)]
        second[0] = .chunk(request)
        var records = http.records + first + [fault("altered", http, .client)] + second
        // And with one that nobody gets.
        (request.patches, request.deliveries) = ([], [whole])
        let refusal = Array("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n".utf8)
        guard case .chunk(var answer) = traffic.chunk(http, .server, refusal) else { return }
        answer.origin = .tapedeck
        records += [fault("dropped", http, .client), .chunk(request), .chunk(answer)] + third
        _ = writer.put(records + traffic.close(http))
        writer.finish()
        #expect(
            try trace.rows(
                "SELECT f.rule, s.chunk_id, f.exchange_id FROM fault f "
                    + "JOIN fault_statement s ON s.id = f.id ORDER BY f.id")
                == ["altered|4|2", "dropped|7|4"])
        #expect(
            try trace.rows("SELECT id, fate, fault_id FROM exchange ORDER BY id")
                == ["1|same|null", "2|altered|1", "4|lost|2", "5|same|null"])
        #expect(
            try trace.rows("SELECT id, fate, fault_id FROM server_exchange ORDER BY id")
                == ["1|same|null", "3|altered|1", "5|same|null"])
    }

    @Test func `says what a fault was done to`() throws {
        let trace = try TemporaryTrace()
        try record(trace)
        #expect(
            try trace.rows(
                """
                SELECT rule, exchange_id, message_id, command_id, sender, scope, occurrence, draw
                FROM fault ORDER BY id
                """) == [
                    "overload|2|null|null|0|a1|3|18446744073709551615",
                    "refuse|null|2|2|0|a1|3|18446744073709551615",
                    "cut|null|2|2|null|a1|3|18446744073709551615",
                    "late|2|null|null|1|a1|3|18446744073709551615",
                ])
        #expect(
            try trace.rows("SELECT id, fault_id FROM exchange ORDER BY id")
                == ["1|null", "2|1", "3|null"])
        let reader = try trace.reader()
        #expect(try reader.exchange(ExchangeID(2))?.faults.map(\.row.rule) == ["overload", "late"])
        #expect(try reader.exchange(ExchangeID(1))?.faults == [])
        #expect(try reader.exchange(ExchangeID(3))?.faults == [])
        #expect(try reader.command(CommandID(2))?.faults.map(\.row.rule) == ["refuse", "cut"])
        #expect(
            try reader.message(MessageID(2))?.faults.map(\.sent)
                == reader.message(MessageID(2))?.faults.map(\.came))
        #expect(try reader.connection(ConnectionID(2))?.faults.map(\.row.draw) == [.max, .max])
        var touched = FaultedRows()
        try reader.extend(&touched)
        try reader.extend(&touched)
        #expect(touched.rules(of: ExchangeID(2)) == ["overload", "late"])
        #expect(touched.rules(of: MessageID(1)) == [])
        #expect(try reader.faults().map(\.id) == [1, 2, 3, 4])
        #expect(try reader.faults(session: SessionID(2)) == [])
    }

    private func found(_ filter: String, _ reader: TraceReader) throws -> [String] {
        var ids: [String] = []
        try reader.lines(try Filter.parse(filter)) { line in
            switch line {
            case .exchange(_, let row): ids.append("\(row.id)")
            case .command(_, let row): ids.append("c\(row.id)")
            case .message(_, let row): ids.append("m\(row.id)")
            }
            return true
        }
        return ids
    }

    @Test func `finds what was touched, and by its verdict`() throws {
        let trace = try TemporaryTrace()
        try record(trace)
        #expect(try found("fault:*", trace.reader()) == ["2", "c2"])
        #expect(try found("fault:over*", trace.reader()) == ["2"])
        #expect(try found("not fault:*", trace.reader()) == ["1", "3", "c1"])
        #expect(try found("has:verdict", trace.reader()) == [])
        let first = FaultVerdictRow(
            fault: 1, verdict: "undecided", how: "", exchange: nil, afterNanoseconds: nil, tries: 0)
        let again = FaultVerdictRow(
            fault: 1, verdict: "recovered", how: "exchange 3", exchange: ExchangeID(3),
            command: CommandID(1), afterNanoseconds: 5, tries: 2)
        let other = FaultVerdictRow(fault: 2, verdict: "not-recovered", how: "went away")
        try FaultVerdicts.store([first, other], in: trace.path)
        try FaultVerdicts.store([again], in: trace.path)
        #expect(try found("verdict:recovered", trace.reader()) == ["2"])
        #expect(try found("verdict:not-recovered", trace.reader()) == ["c2"])
        // What shows it is found by its place.
        let verdicts = try trace.reader().faults().map(\.verdict)
        #expect(verdicts.map(\.?.how) == [again.how, other.how, nil, nil])
        #expect(verdicts.first??.command == CommandID(1))
        #expect(verdicts.first??.place != nil)
        #expect(
            try trace.rows("SELECT rule, verdict, how FROM fault WHERE verdict <> '' ORDER BY id")
                == ["overload|recovered|exchange 3", "refuse|not-recovered|went away"])
    }

    @Test func `stores nothing where somebody writes`() throws {
        let trace = try TemporaryTrace()
        try record(trace)
        #expect(!FaultVerdicts.isWritten(trace.path))
        let writer = try trace.writer()
        #expect(FaultVerdicts.isWritten(trace.path))
        #expect(throws: TraceError(.busy, "")) { try FaultVerdicts.store([], in: trace.path) }
        writer.finish()
    }

    @Test func `keeps faults and verdicts through a rebuild`() throws {
        let trace = try TemporaryTrace()
        try record(trace)
        try FaultVerdicts.store(
            [FaultVerdictRow(fault: 2, verdict: "undecided", how: "", command: CommandID(2))],
            in: trace.path)
        let before = try trace.rows("SELECT * FROM fault ORDER BY id")
        try Rebuild.run(path: trace.path)
        #expect(try trace.rows("SELECT * FROM fault ORDER BY id") == before)
        #expect(try trace.rows("SELECT name FROM mark") == ["here"])
    }

    @Test func `keeps the seed of a session`() throws {
        let trace = try TemporaryTrace()
        try TraceWriter(
            path: trace.path,
            session: SessionStart(
                provenance: .proxy, version: "1", arguments: "", startedUnixNanoseconds: 0,
                seed: .max)
        ).finish()
        try trace.writer().finish()
        #expect(try trace.reader().sessions().map(\.seed) == [.max, nil])
    }

    @Test func `lets faults and verdicts go with their connection`() throws {
        let trace = try TemporaryTrace()
        try record(trace)
        try FaultVerdicts.store(
            [FaultVerdictRow(fault: 1, verdict: "undecided", how: "")], in: trace.path)
        var options = TraceOptions()
        options.keepLast = 1_000_000_000
        let writer = try TraceWriter(
            path: trace.path,
            session: SessionStart(
                provenance: .proxy, version: "1", arguments: "",
                startedUnixNanoseconds: 2_000_000_000_000_000_000), options: options)
        var traffic = Traffic(first: 10)
        _ = writer.put(traffic.http(exchanges: 1))
        writer.finish()
        #expect(try trace.rows("SELECT count(*) FROM connection WHERE id < 10") == ["0"])
        #expect(try trace.rows("SELECT count(*) FROM fault_statement") == ["0"])
        #expect(try trace.rows("SELECT count(*) FROM fault_verdict") == ["0"])
    }
}
