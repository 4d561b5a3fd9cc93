import Foundation
import Testing
import Trace
import TraceWorld
import Wire

@Suite struct TraceCutTests {
    /// What is compared of exchanges and commands: everything but numbers.
    private static let exchanges =
        "SELECT connection_id, method, url, status, request_body, response_body FROM exchange ORDER BY id"
    private static let commands =
        "SELECT sender, at_ns, channel, name, bucket, payload FROM command ORDER BY id"

    /// Two connections with submissions and one with Simperium commands, some bytes patched.
    private func record(_ world: TraceWorld) throws {
        let writer = try world.writer(seed: 1)
        for number in 1...2 {
            var http = Conversation(Int64(number))
            var records = http.opening()
            for submission in 1...4 { records += http.submission(10 * number + submission) }
            records.append(
                .fault(
                    FaultRow(
                        at: http.tick(), rule: "slow", action: "latency 1ms",
                        connection: http.connection, sender: .client, scope: "", occurrence: 1,
                        draw: 0)))
            _ = writer.put(records + http.closing())
        }
        var socket = Conversation(3)
        _ = writer.put(socket.opening(host: "api.simperium.com") + socket.simperium(changes: 6))
        _ = writer.put(socket.closing())
        writer.finish()
    }

    @Test func `leaving out nothing gives the same trace`() throws {
        let world = try TraceWorld()
        try record(world)
        try TraceCut().write(from: world.path("a.tape"), to: world.path("b.tape"))
        try world.expectSame("a.tape", "b.tape")
        #expect(try world.rows("PRAGMA integrity_check", of: "b.tape") == ["ok"])
        #expect(try world.mode("b.tape") == 0o600)
        #expect(try world.names == ["a.tape", "b.tape"])
    }

    @Test func `leaves out any exchanges, messages and connections, and no others`() throws {
        let world = try TraceWorld()
        try record(world)
        let units = try TraceUnits(of: world.path("a.tape"))
        #expect(units.connections.count == 3)
        #expect(units.exchanges.count == 8)
        #expect(units.messages.count > 8)
        let exchanges = try world.rows(Self.exchanges)
        let commands = try world.rows(Self.commands)
        var generator = Numbers(seed: 5)
        for round in 0..<40 {
            let out = Set(units.exchanges.map(\.id).filter { _ in generator.next() % 3 == 0 })
            let silent = Set(units.messages.map(\.id).filter { _ in generator.next() % 3 == 0 })
            let gone = generator.next() % 4 == 0 ? Set([ConnectionID(1)]) : []
            let name = "cut\(round).tape"
            try TraceCut(connections: gone, exchanges: out, messages: silent)
                .write(from: world.path("a.tape"), to: world.path(name))
            let kept = try zip(
                exchanges, world.rows("SELECT id, connection_id FROM exchange ORDER BY id")
            ).filter { _, ids in
                let parts = ids.split(separator: "|").compactMap { Int64($0) }
                return !out.contains(ExchangeID(parts[0]))
                    && !gone.contains(ConnectionID(parts[1]))
            }.map(\.0)
            #expect(try world.rows(Self.exchanges, of: name) == kept)
            let said = try zip(
                commands, world.rows("SELECT message_id FROM command ORDER BY id")
            ).filter { !silent.contains(MessageID(Int64($0.1) ?? 0)) }.map(\.0)
            // A command whose channel nobody opened any more has no bucket.
            func bare(_ rows: [String]) -> [String] {
                rows.map { row in
                    var parts = row.split(
                        separator: "|", maxSplits: 5, omittingEmptySubsequences: false)
                    parts.remove(at: 4)
                    return parts.joined(separator: "|")
                }
            }
            #expect(bare(try world.rows(Self.commands, of: name)) == bare(said))
            #expect(try world.rows("PRAGMA integrity_check", of: name) == ["ok"])
            #expect(try world.rows("SELECT 1 FROM note WHERE code LIKE 'http.%'", of: name) == [])
        }
    }

    @Test func `what was said of bytes moves with them or goes with them`() throws {
        let world = try TraceWorld()
        let writer = try world.writer()
        var http = Conversation(1)
        let first = "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n"
        let both = Array((first + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n").utf8)
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
        _ = writer.put(http.opening() + [http.chunk(.client, both)])
        for (name, offset) in [("first", 0), ("second", first.utf8.count)] {
            _ = writer.put([
                .finding(
                    FindingRow(
                        at: http.tick(), rule: name, severity: .info, chunk: ChunkID(1),
                        offset: offset, detail: "", expected: ""))
            ])
        }
        _ = writer.put(
            [http.chunk(.server, answer), http.chunk(.server, answer)] + http.closing())
        writer.finish()
        try #require(try world.rows("SELECT count(*) FROM exchange") == ["2"])
        _ = try world.rows(
            """
            INSERT INTO undecided_statement
              SELECT id, session_id, at_ns, rule, 0, chunk_id, "offset", '', ''
              FROM finding_statement
            """)
        try TraceCut(exchanges: [ExchangeID(1)])
            .write(from: world.path("a.tape"), to: world.path("b.tape"))
        #expect(
            try world.rows(#"SELECT rule, "offset" FROM finding_statement"#, of: "b.tape")
                == ["second|0"])
        #expect(
            try world.rows(#"SELECT rule, "offset" FROM undecided_statement"#, of: "b.tape")
                == ["second|0"])
        #expect(try world.rows("SELECT url FROM exchange", of: "b.tape") == ["http://a/2"])
    }

    @Test func `refuses what is there, what is not there and what is no trace`() throws {
        let world = try TraceWorld()
        try record(world)
        try world.write("no trace", to: "text")
        #expect(throws: FileError(.cannotOpen, "")) {
            try TraceUnits(of: world.path("none.tape"))
        }
        #expect(throws: FileError(.malformed, "")) {
            try TraceUnits(of: world.path("text"))
        }
        #expect(throws: FileError(.cannotOpen, "")) {
            try TraceCut().write(from: world.path("a.tape"), to: world.path("text"))
        }
        #expect(try world.text("text") == "no trace")
    }

    /// A small generator with a seed.
    private struct Numbers {
        var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }
}
