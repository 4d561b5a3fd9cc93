import Testing
import Wire

@testable import Trace

@Suite("One trace of several") struct TraceMergeTests {
    /// A trace with everything in it, over two sessions of which the first was cut off.
    private func record(_ trace: TemporaryTrace, from first: Int64, words: String) throws {
        var traffic = Traffic(first: first)
        let writer = try trace.writer()
        _ = writer.put(traffic.http(exchanges: 3))
        let opened = traffic.open()
        _ = writer.put(opened.records + traffic.upgrade(opened))
        for number in 0..<7 { _ = writer.put([traffic.change(opened, number)]) }
        let phone = traffic.open()
        _ = writer.put(phone.records + traffic.form(phone, cases: ["c1", words]))
        let odd = traffic.open()
        _ = writer.put(
            odd.records + [
                traffic.chunk(odd, .server, Array("HTTP/1.1 200 OK\r\n\r\n".utf8)),
                traffic.chunk(odd, .client, Array("nonsense\r\n\r\n".utf8)),
            ])
        writer.flush()
        writer.finish()
        var more = Traffic(first: first + 1_000)
        let second = try trace.writer()
        _ = second.put(more.http(exchanges: 2))
        second.finish()
    }

    /// Adds a statement of each kind about the chunk `chunk`.
    private func state(_ trace: TemporaryTrace, about chunk: Int64, _ rule: String) throws {
        for sql in [
            """
            INSERT INTO fault_statement SELECT coalesce(max(id), 0) + 1, 1, 5, 'fault', '\(rule)', 'drop',
              'lost', NULL, NULL, (SELECT connection_id FROM chunk WHERE id = \(chunk)), 0, '', 1, '7',
              \(chunk), 0, 0 FROM fault_statement
            """,
            """
            INSERT INTO fault_verdict SELECT max(id), 'recovered', '\(rule) again', \(chunk), 0, NULL, 9, 2
            FROM fault_statement
            """,
            """
            INSERT INTO finding_statement SELECT coalesce(max(id), 0) + 1, 1, 6, '\(rule)', 'error',
              \(chunk), 0, 'broken', 'whole' FROM finding_statement
            """,
            """
            INSERT INTO undecided_statement VALUES (1, 2, 7, '\(rule)', 8, \(chunk), 0, 'demands', 'it')
            """,
            "INSERT INTO delivery VALUES (16777216 * \(chunk), \(chunk), 0, 1, 3)",
            "INSERT INTO mark VALUES (1, 2, 9, '\(rule)')",
            "INSERT INTO packet VALUES (1, 1, 10, 1, 3, \(chunk), 1000, x'010203')",
            "INSERT INTO secret VALUES (1, 1, x'04', \(chunk), 1001)",
        ] {
            _ = try trace.rows(sql)
        }
    }

    /// Questions whose answers name no number of a row, but depend on all that refer to one.
    private static let questions = [
        """
        SELECT s.version, s.arguments, s.started_unix_ns, (SELECT count(*) FROM connection c
          WHERE c.session_id = s.id), (SELECT count(*) FROM any_exchange x WHERE x.session_id = s.id),
          (SELECT group_concat(e.kind) FROM event e WHERE e.session_id = s.id)
        FROM session s ORDER BY s.id
        """,
        """
        SELECT c.client, c.at_ns, l.host, l.port, l.peer, l.at_ns FROM leg l
        JOIN connection c ON c.id = l.connection_id ORDER BY l.after_chunk_id, l.step
        """,
        """
        SELECT c.client, l.host, k.sender, k.origin, k.at_ns, hex(k.bytes) FROM chunk k
        JOIN leg l ON l.id = k.leg_id JOIN connection c ON c.id = k.connection_id ORDER BY k.id
        """,
        """
        SELECT hex(k.bytes), p.id - 16777216 * p.chunk_id, p."offset", p.removed, hex(p.inserted), p.reason
        FROM patch p JOIN chunk k ON k.id = p.chunk_id ORDER BY p.id
        """,
        """
        SELECT hex(k.bytes), p.id - 16777216 * p.chunk_id, p."offset", p.count, p.at_ns
        FROM delivery p JOIN chunk k ON k.id = p.chunk_id ORDER BY p.id
        """,
        """
        SELECT e.kind, e.detail, e.at_ns, c.client, l.host FROM event e
        LEFT JOIN connection c ON c.id = e.connection_id LEFT JOIN leg l ON l.id = e.leg_id
        ORDER BY e.after_chunk_id, e.step
        """,
        """
        SELECT e.reason, e.bytes, e.chunks, e.at_ns, c.client, l.host FROM gap e
        LEFT JOIN connection c ON c.id = e.connection_id LEFT JOIN leg l ON l.id = e.leg_id ORDER BY e.id
        """,
        """
        SELECT c.client, x.method, x.path, x.status, x.outcome, x.side, x.fate, x.started_ns, x.ended_ns,
          l.host, hex(q.bytes), x.request_offset, hex(a.bytes), x.response_offset, y.path
        FROM any_exchange x JOIN connection c ON c.id = x.connection_id
        LEFT JOIN leg l ON l.id = x.server_leg_id LEFT JOIN chunk q ON q.id = x.request_chunk_id
        LEFT JOIN chunk a ON a.id = x.response_chunk_id LEFT JOIN any_exchange y ON y.id = x.counterpart_id
        ORDER BY x.id
        """,
        """
        SELECT x.path, b.id - 2 * x.id, b.sender, hex(b.head), hex(b.content), b.size, b.problem
        FROM body b JOIN any_exchange x ON x.id = b.exchange_id ORDER BY b.id
        """,
        """
        SELECT x.path, p.id - 16777216 * 2 * x.id, p.name, p.size, p."offset" FROM part p
        JOIN any_exchange x ON x.id = p.exchange_id ORDER BY p.id
        """,
        """
        SELECT x.path, o.id - 16777216 * 2 * x.id, o.kind, o.root, o.cases, k.case_id, k.action,
          k.id - 16777216 * 2 * x.id
        FROM openrosa o JOIN any_exchange x ON x.id = o.exchange_id
        LEFT JOIN case_block k ON k.openrosa_id = o.id ORDER BY o.id, k.id
        """,
        """
        SELECT x.path, c.client, m.sender, m.at_ns, hex(m.payload), m.side, m.fate, hex(k.bytes),
          m."offset", o.at_ns
        FROM any_message m JOIN any_exchange x ON x.id = m.exchange_id
        JOIN connection c ON c.id = m.connection_id JOIN chunk k ON k.id = m.chunk_id
        LEFT JOIN any_message o ON o.id = m.counterpart_id ORDER BY m.id
        """,
        """
        SELECT hex(m.payload), f.position, f.opcode, f.mask, hex(k.bytes), f."offset",
          f.id - 16777216 * m.id
        FROM frame f JOIN any_message m ON m.id = f.message_id JOIN chunk k ON k.id = f.chunk_id
        ORDER BY f.id
        """,
        """
        SELECT hex(m.payload), c.position, c.name, c.bucket, c.key, h.key, h.o, h.ccid,
          h.id - 16777216 * c.id, o.name
        FROM any_command c JOIN any_message m ON m.id = c.message_id
        LEFT JOIN any_change h ON h.command_id = c.id
        LEFT JOIN any_command o ON o.id = c.counterpart_id ORDER BY c.id, h.id
        """,
        """
        SELECT c.client, n.code, n.message, x.path, hex(m.payload), hex(k.bytes), n."offset" FROM note n
        JOIN connection c ON c.id = n.connection_id JOIN chunk k ON k.id = n.chunk_id
        LEFT JOIN any_exchange x ON x.id = n.exchange_id LEFT JOIN any_message m ON m.id = n.message_id
        ORDER BY n.id
        """,
        """
        SELECT f.rule, f.action, x.path, c.client, f.verdict, f.how, hex(k.bytes), hex(h.bytes)
        FROM fault f LEFT JOIN any_exchange x ON x.id = f.exchange_id
        JOIN connection c ON c.id = f.connection_id JOIN fault_statement s ON s.id = f.id
        JOIN fault_verdict v ON v.fault_id = f.id
        JOIN chunk k ON k.id = s.chunk_id JOIN chunk h ON h.id = v.chunk_id ORDER BY f.id
        """,
        """
        SELECT f.rule, x.path, hex(k.bytes) FROM finding f LEFT JOIN any_exchange x ON x.id = f.exchange_id
        JOIN finding_statement s ON s.id = f.id JOIN chunk k ON k.id = s.chunk_id ORDER BY f.id
        """,
        """
        SELECT u.rule, s.started_unix_ns, hex(k.bytes) FROM undecided_statement u
        JOIN session s ON s.id = u.session_id JOIN chunk k ON k.id = u.chunk_id ORDER BY u.id
        """,
        "SELECT m.name, m.at_ns, s.version FROM mark m JOIN session s ON s.id = m.session_id ORDER BY m.id",
        """
        SELECT hex(p.bytes), hex(k.bytes) FROM packet p JOIN chunk k ON k.id = p.after_chunk_id
        ORDER BY p.id
        """,
        """
        SELECT hex(p.key_log), hex(k.bytes) FROM secret p JOIN chunk k ON k.id = p.after_chunk_id
        ORDER BY p.id
        """,
    ]

    private func answers(_ trace: TemporaryTrace) throws -> [[String]] {
        try Self.questions.map { try trace.rows($0) }
    }

    /// A trace in which the first part of a socket was evicted.
    private func evicted() throws -> TemporaryTrace {
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
        #expect(writer.finish().evictedChunks > 0)
        return trace
    }

    @Test func `has the rows of each, which refer to each other as before`() throws {
        let (first, second) = (try TemporaryTrace(), try TemporaryTrace())
        try record(first, from: 1, words: "one")
        try record(second, from: 1, words: "two")
        try state(first, about: 2, "early")
        try state(second, about: 4, "late")
        // What was delivered late makes other rows.
        for trace in [first, second] { try Rebuild.run(path: trace.path) }
        let third = try evicted()
        let target = try TemporaryTrace()
        let outcome = try TraceMerge.write(
            [first.path, second.path, third.path, second.path], to: target.path)
        #expect(outcome.sessions == 7)
        let parts = try [first, second, third, second].map(answers)
        let found = try answers(target)
        var empty: [String] = []
        for (index, question) in Self.questions.enumerated() {
            let expected = parts.flatMap { $0[index] }
            #expect(found[index] == expected, "\(question)")
            if expected.isEmpty { empty.append(question) }
        }
        // No form here has parts.
        #expect(empty.allSatisfy { $0.contains("FROM part") }, "\(empty)")
        #expect(try target.integrity == "ok")
        // The numbers go on from there, and what is built again is the same.
        let before = try target.dumps(TemporaryTrace.derived)
        try Rebuild.run(path: target.path)
        #expect(try target.dumps(TemporaryTrace.derived) == before)
        let last = try target.rows("SELECT max(id) FROM chunk")
        let next = try target.writer()
        var more = Traffic(first: 900)
        _ = next.put(more.http(exchanges: 1))
        next.finish()
        #expect(next.failure == nil)
        let added = try target.rows(
            """
            SELECT min(id) FROM chunk WHERE connection_id IN (
              SELECT id FROM connection WHERE session_id = (SELECT max(id) FROM session))
            """)
        #expect(Int64(added[0]) ?? 0 > Int64(last[0]) ?? .max)
    }

    @Test func `every number of a row is known to be one`() {
        // Text identifiers are of clients and servers.
        for table in Schema.tables {
            for column in table.columns
            where column.name == "id" || column.name.hasSuffix("_id") {
                guard case .number = column.content else { continue }
                guard !["late", "change_key"].contains(table.name) else { continue }
                #expect(
                    RowShifts.reference(of: column, in: table) != nil,
                    "\(table.name).\(column.name)")
            }
        }
    }

    @Test func `refuses what is no trace, and leaves nothing behind`() throws {
        let trace = try TemporaryTrace()
        try record(trace, from: 1, words: "one")
        let target = trace.directory + "/merged.tape"
        for source in [trace.directory + "/missing.tape", #filePath] {
            let error = #expect(throws: FileError.self) {
                try TraceMerge.write([trace.path, source], to: target)
            }
            #expect(error?.reason.contains(source) == true)
            #expect(!Folder.isThere(target))
        }
        #expect(throws: FileError(.cannotOpen, "")) {
            try TraceMerge.write([trace.path, trace.path], to: trace.path)
        }
    }
}
