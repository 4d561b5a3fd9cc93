import Foundation
import Notation
import Testing
import Trace
import TraceWorld
import Wire

@testable import Formats

@Suite struct RecordingTests {
    /// A trace with a row of every kind, over two sessions.
    static func record(_ world: TraceWorld) throws {
        let first = try world.writer(seed: .max)
        var http = Conversation(1)
        _ = first.put(http.opening() + http.submission(1))
        _ = first.put([
            .mark(MarkRow(at: http.tick(), name: "before \"it\"\nbreaks")),
            .fault(
                FaultRow(
                    at: http.tick(), rule: "cut", action: "replace status=503",
                    effect: [.altered, .ended], connection: http.connection, sender: .server,
                    scope: "127.0.0.1",
                    occurrence: 2, draw: .max, position: 3
                )
            ),
            .fault(
                FaultRow(
                    at: http.tick(), rule: "late", action: "truncate 9", effect: [],
                    problem: "it \"could\" not be", connection: http.connection, sender: .server)),
            http.chunk(
                .server, Array("HTTP/1.1 200 OK\r\n\r\n".utf8), [],
                [
                    Delivery(offset: 0, count: 9, at: nil),
                    Delivery(offset: 9, count: 10, at: Instant(nanoseconds: 1 << 40)),
                ]),
            http.chunk(.server, Array("HTTP/1.1 503 Sorry\r\n\r\n".utf8), origin: .tapedeck),
            .finding(
                FindingRow(
                    at: http.tick(), rule: "openrosa.x", severity: .warning, chunk: ChunkID(1),
                    offset: 4, detail: "wrong", expected: "right")),
            .gap(
                GapRow(
                    connection: http.connection, leg: http.client, sender: nil, at: http.tick(),
                    until: http.tick(), count: 5, chunks: 1, reason: .notCaptured)),
        ])
        _ = first.put(http.closing())
        first.finish()
        let second = try world.writer(arguments: "record --to http://example.org")
        var socket = Conversation(2)
        _ = second.put(socket.opening(host: "api.simperium.com") + socket.simperium(changes: 5))
        _ = second.put(socket.closing())
        _ = second.put([
            .secret(SecretRow(keyLog: Array("CLIENT_RANDOM 00 11\n".utf8))),
            .packet(
                PacketRow(
                    atUnixNanoseconds: 1_700_000_000_000_000_005, linkType: 1, originalSize: 70,
                    bytes: [0x45, 0, 0xFF])),
        ])
        second.finish()
        _ = try world.rows(
            """
            INSERT INTO fault_verdict VALUES (1, 'recovered', 'sent again', 1, 0, NULL, 17, 3)
            """)
        _ = try world.rows(
            """
            INSERT INTO undecided_statement VALUES
              (1, 2, 1099511627776, 'openrosa.y', 17, 1, 4, 'do', 'this')
            """)
    }

    @Test func `import gives the trace that was exported`() throws {
        let world = try TraceWorld()
        try Self.record(world)
        _ = try world.rows("INSERT INTO counter VALUES ('undecided', 9)")
        try RecordingExport.run(from: world.path("a.tape"), to: world.path("r"), about: "A test.")
        let outcome = try RecordingImport.run(from: world.path("r"), to: world.path("b.tape"))
        try world.expectSame("a.tape", "b.tape")
        #expect(outcome.sessions == 2)
        #expect(outcome.commands > 10)
        #expect(try world.rows("PRAGMA integrity_check", of: "b.tape") == ["ok"])
        #expect(try world.rows("PRAGMA journal_mode", of: "b.tape") == ["delete"])
        let count = "SELECT count(*) FROM search WHERE search MATCH 'thanks'"
        #expect(try world.rows(count, of: "b.tape") == ["1"])
        #expect(try world.names == ["a.tape", "b.tape", "r"])
        #expect(try world.mode("b.tape") == 0o600)
        // Of no table is there nothing, or it would not be tried.
        for table in TableDefinition.recorded {
            #expect(try world.rows("SELECT count(*) > 0 FROM \(table.name)") == ["1"])
        }
    }

    @Test func `the same trace gives the same files, also after a round`() throws {
        let world = try TraceWorld()
        try Self.record(world)
        try RecordingExport.run(from: world.path("a.tape"), to: world.path("r"))
        try RecordingExport.run(from: world.path("a.tape"), to: world.path("s"))
        try RecordingImport.run(from: world.path("r"), to: world.path("b.tape"))
        try RecordingExport.run(from: world.path("b.tape"), to: world.path("t"))
        for name in ["recording.json", "timeline.jsonl"] {
            let text = try world.text("r/" + name)
            #expect(try world.text("s/" + name) == text)
            #expect(try world.text("t/" + name) == text)
            #expect(try world.mode("r/" + name) == 0o600)
        }
        #expect(try world.mode("r") == 0o700)
    }

    @Test func `lines can be read`() throws {
        let world = try TraceWorld()
        try Self.record(world)
        try RecordingExport.run(
            from: world.path("a.tape"), to: world.path("r"), about: "Two\nlines.")
        let head = try world.text("r/recording.json")
        #expect(
            head == """
                {
                  "format": "tapedeck recording",
                  "version": 4,
                  "about": [
                    "Two",
                    "lines."
                  ],
                  "sessions": [
                    {"session":1,"started_unix_ns":1700000000000000000,"provenance":"proxy",\
                "version":"0.1.0","arguments":"record","seed":"18446744073709551615"},
                    {"session":2,"started_unix_ns":1700000000000000000,"provenance":"proxy",\
                "version":"0.1.0","arguments":"record --to http://example.org"}
                  ],
                  "files": [
                    {"name":"timeline.jsonl","lines":43}
                  ]
                }

                """)
        let lines = try world.text("r/timeline.jsonl").split(separator: "\n").map(String.init)
        #expect(lines.count == 43)
        #expect(
            lines[0] == """
                {"connection":1,"session_id":1,"at_ns":1000,"listener":"127.0.0.1:8080",\
                "client":"127.0.0.1:5000","mode":"reverse"}
                """)
        #expect(
            lines[4].hasPrefix(
                #"{"chunk":1,"connection_id":1,"leg_id":2,"sender":"client","origin":"peer","at_ns":"#
            ))
        #expect(
            lines[4].contains(
                #"["POST /a/demo/receiver/ HTTP/1.1\r\n","Host: localhost:8080\r\n","#))
        #expect(
            lines[4].hasSuffix(
                #""patches":[{"offset":39,"removed":14,"inserted":"example.org","reason":"host"}]}"#
            ))
        #expect(
            lines.contains {
                $0.hasSuffix(
                    #""deliveries":[{"offset":0,"count":9},{"offset":9,"count":10,"at_ns":1099511627776}]}"#
                )
            })
        #expect(lines.contains { $0.contains(#""payload":"0:auth:user@example.org"}"#) })
        #expect(lines.contains { $0.contains(#""mask":"01020304","payload":"0:init:{\"clientid"#) })
        #expect(lines.contains { $0.hasPrefix(#"{"fault_verdict":1,"verdict":"recovered","#) })
        // Places in the order follow from the order of lines.
        #expect(!lines.contains { $0.contains("after_chunk_id") })
    }

    @Test func `numbers that were given out stay so`() throws {
        let world = try TraceWorld()
        try Self.record(world)
        // What eviction leaves behind.
        for sql in [
            "INSERT INTO counter VALUES ('mark', 12), ('message', 23), ('leg', 16), ('note', 70)",
            "INSERT INTO gap VALUES (9, 1, NULL, NULL, 1, 0, 0, 5, 6, 7, 8, 'evicted')",
        ] {
            _ = try world.rows(sql)
        }
        try RecordingExport.run(from: world.path("a.tape"), to: world.path("r"))
        try RecordingImport.run(from: world.path("r"), to: world.path("b.tape"))
        try world.expectSame("a.tape", "b.tape")
        let writer = try world.writer("b.tape")
        #expect(writer.session.rawValue == 3)
        #expect(writer.nextLeg().rawValue == 16)
        writer.finish()
    }

    @Test func `keeps odd values as they are`() throws {
        let world = try TraceWorld()
        try Self.record(world)
        for sql in [
            "UPDATE event SET detail = CAST(x'FF00' AS TEXT) WHERE id = 1",
            "UPDATE event SET detail = 'a' || char(0) || char(10) || 'b' WHERE id = 2",
            "UPDATE chunk SET id = 3000, bytes = x'' WHERE id = (SELECT max(id) FROM chunk)",
            "UPDATE event SET after_chunk_id = 3000 WHERE id > 8",
            "UPDATE gap SET sender = 7",
            "UPDATE leg SET step = step + 100, port = 4611686018427387903 WHERE id = 2",
            "DELETE FROM fault_verdict",
            "INSERT INTO fault_verdict VALUES (1, 'open', '', NULL, NULL, NULL, NULL, 0)",
        ] {
            _ = try world.rows(sql)
        }
        try RecordingExport.run(from: world.path("a.tape"), to: world.path("r"))
        try RecordingImport.run(from: world.path("r"), to: world.path("b.tape"))
        let seen = Set(TableDefinition.recorded.map(\.name))
        try world.expectSame(
            "a.tape", "b.tape",
            apartFrom: Set(try world.tables()).subtracting(seen).union(["counter"]))
    }

    @Test func `a session that goes on is exported as far as it is`() throws {
        let world = try TraceWorld()
        let writer = try world.writer()
        var talk = Conversation(1)
        _ = writer.put(talk.opening() + talk.submission(1))
        writer.flush()
        let outcome = try RecordingExport.run(from: world.path("a.tape"), to: world.path("r"))
        #expect(outcome.chunks == 4)
        writer.finish()
        try RecordingImport.run(from: world.path("r"), to: world.path("b.tape"))
        #expect(try world.rows("SELECT status FROM http_exchange", of: "b.tape") == ["201"])
    }

    @Test func `every column of what was seen and stated is exported`() throws {
        let world = try TraceWorld()
        try world.writer().finish()
        let derived: Set = [
            "any_exchange", "http_body", "part", "openrosa", "case_block", "frame", "any_message",
            "any_command", "any_change", "change_key", "note", "decoder",
        ]
        // How far the search index is: it is built anew.
        let ofSearch: Set = ["progress", "late"]
        let tables = try world.tables().filter { !derived.contains($0) && !ofSearch.contains($0) }
        #expect(Set(tables) == Set(TableDefinition.recorded.map(\.name)))
        for table in TableDefinition.recorded {
            let columns = try world.rows(
                """
                SELECT name, type, "notnull" OR pk, pk
                FROM pragma_table_info('\(table.name)') ORDER BY name
                """)
            let described = table.columns.map { column in
                let type =
                    switch column.content {
                    case .number, .word: "INTEGER"
                    case .text: "TEXT"
                    case .bytes: "BLOB"
                    }
                let isKey = column.name == table.columns[0].name
                return "\(column.name)|\(type)|\(column.isOptional ? 0 : 1)|\(isKey ? 1 : 0)"
            }
            #expect(columns == described.sorted(), "\(table.name)")
        }
        let given = try world.rows("SELECT name FROM counter")
        let known =
            TableDefinition.recorded.compactMap(\.counter)
            + TableDefinition.numberedByDecoding.compactMap(\.counter)
        #expect(Set(given).subtracting(known) == [])
    }

    @Test func `ten thousand chunks go through bounded memory`() async throws {
        let world = try TraceWorld()
        let writer = try world.writer()
        var random = SplitMix64(seed: 7)
        let noise = (0..<16_384).map { _ in UInt8.random(in: 0...255, using: &random) }
        for number in 1...20 {
            var talk = Conversation(Int64(number))
            _ = writer.put(talk.opening())
            for place in 0..<500 {
                _ = writer.put([talk.chunk(.client, Array(noise[place..<place + 8_192]))])
            }
            _ = writer.put(talk.closing())
            writer.flush()
        }
        writer.finish()
        setenv(Self.folder, world.directory, 1)
        // In a process of its own, whose memory nobody else takes.
        await #expect(processExitsWith: .success) {
            let directory = try #require(ProcessInfo.processInfo.environment[Self.folder])
            let before = try Self.peak()
            var reported: [Double] = []
            let outcome = try RecordingExport.run(
                from: directory + "/a.tape", to: directory + "/r"
            ) { share in
                reported.append(share)
                return true
            }
            try RecordingImport.run(from: directory + "/r", to: directory + "/b.tape") { share in
                reported.append(share)
                return true
            }
            #expect(outcome.chunks == 10_000)
            #expect(reported.allSatisfy { (0...1).contains($0) })
            #expect(reported.count > 4)
            // The trace has 82 MB and its text 110 MB.
            #expect(try Self.peak() - before < 64 << 20)
        }
        for table in try world.tables() {
            let other = "ATTACH '\(world.path("b.tape"))' AS b"
            let rows = try world.rows(
                """
                SELECT (SELECT count(*) FROM \(table)) = (SELECT count(*) FROM b.\(table)),
                  count(*) FROM (SELECT * FROM \(table) EXCEPT SELECT * FROM b.\(table))
                """, after: other)
            #expect(rows == ["1|0"], "\(table)")
        }
    }

    @Test func `an end that is asked for leaves nothing behind`() throws {
        let world = try TraceWorld()
        let writer = try world.writer()
        var talk = Conversation(1)
        _ = writer.put(talk.opening())
        for number in 0..<1_100 { _ = writer.put([talk.chunk(.client, [UInt8(number & 0x7F)])]) }
        writer.finish()
        #expect(throws: FileError(.stopped, "")) {
            try RecordingExport.run(from: world.path("a.tape"), to: world.path("r")) { _ in false }
        }
        #expect(try world.names == ["a.tape"])
        try RecordingExport.run(from: world.path("a.tape"), to: world.path("r"))
        for share in [0.0, 0.5] {
            #expect(throws: FileError(.stopped, "")) {
                try RecordingImport.run(from: world.path("r"), to: world.path("b.tape")) {
                    $0 < share
                }
            }
            #expect(try world.names == ["a.tape", "r"])
        }
    }

    private static let folder = "TAPEDECK_TEST_FOLDER"

    /// Most bytes of memory that this process ever had.
    private static func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return (Int(line.filter(\.isNumber)) ?? 0) * 1_024
    }
}
