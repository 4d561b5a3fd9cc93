import Foundation
import Framing
import Notation
import Testing
import Trace
import TraceWorld
import Wire

@testable import Redaction

@Suite("A redacted trace") struct RedactionTests {
    static let key = [UInt8](7..<39)

    @Test(arguments: [nil, 1, 2, 3, 4, 5] as [UInt64?])
    func `holds no secret anywhere, and has the same rows`(seed: UInt64?) throws {
        let world = try TraceWorld()
        try Self.record(world, seed: seed)
        _ = try world.rows(
            """
            INSERT INTO undecided_statement VALUES
              (1, 1, 5, 'x', 17, 1, 0, 'mail anna@clinic-nord.org', 'Müller-Lüdenscheidt')
            """)
        let outcome = try Redaction(key: Self.key).write(
            from: world.path("a.tape"), to: world.path("b.tape"))
        #expect(outcome.connections == 3)
        var everything = try Array(Data(contentsOf: URL(fileURLWithPath: world.path("b.tape"))))
        for (sql, name) in [
            ("SELECT head || x'0a' || coalesce(content, '') FROM body", "bodies"),
            ("SELECT payload FROM message", "messages"),
            ("SELECT action || scope FROM fault", "faults"),
        ] {
            everything += Array((name + (try world.rows(sql, of: "b.tape").joined())).utf8)
        }
        for secret in Self.secrets + ["bert@kl", "inik.org"] {
            for needle in Self.needles(secret) {
                #expect(
                    !Self.contains(everything, needle), "\(String(decoding: needle, as: UTF8.self))"
                )
            }
        }
        for (table, columns) in [
            ("chunk", "id, connection_id, leg_id, sender, at_ns"),
            (
                "http_exchange",
                "id, api, method, path, status, outcome, problem, started_ns, request_ended_ns, ended_ns, length(query)"
            ),
            ("http_body", "id, size, is_text, coding, content_type, problem"),
            ("part", "id, name, filename, size, \"offset\""),
            ("openrosa", "id, kind, root, cases, problem"),
            (
                "case_block",
                """
                id, case_id, action, length(case_name), length(properties),
                (SELECT group_concat(key) FROM json_each(properties))
                """
            ),
            ("frame", "id, fin, rsv, opcode, mask"),
            ("message", "id, sender, at_ns, ended_ns, opcode, size, compressed, frames, problem"),
            ("simperium_command", "id, channel, name, bucket, key, cv, payload_size, problem"),
            ("change", "id, key, o, sv, ev, cv, ccid, size"), ("note", "code"),
            ("event", "id, kind"), ("fault_statement", "id, position"),
            ("undecided_statement", "id, rule, at_ns, waited_ns, chunk_id"),
        ] {
            let sql = "SELECT \(columns) FROM \(table) ORDER BY 1"
            #expect(try world.rows(sql, of: "a.tape") == world.rows(sql, of: "b.tape"), "\(table)")
        }
        #expect(try world.rows("PRAGMA integrity_check", of: "b.tape") == ["ok"])
        #expect(try world.rows("SELECT name FROM mark", of: "b.tape") == ["redacted"])
        let before = try SecretScan.run(world.path("a.tape"))
        #expect(Set(before.map(\.kind)).isSuperset(of: [.token, .password, .cookie, .email]))
        #expect(!before.contains { $0.excerpt.contains("0123456789") })
        let passwords = before.filter { $0.kind == .password }.map(\.excerpt)
        #expect(passwords.allSatisfy { $0.hasPrefix("…(") })
        #expect(try SecretScan.run(world.path("b.tape")) == [])
    }

    @Test func `the same secret has the same stand-in everywhere`() throws {
        let world = try TraceWorld()
        try Self.record(world, seed: nil)
        try Redaction(key: Self.key).write(from: world.path("a.tape"), to: world.path("b.tape"))
        func value(_ sql: String) throws -> String {
            try #require(try world.rows(sql, of: "b.tape").first)
        }
        let user = try value(
            "SELECT json_extract(content, '$.username') FROM body WHERE exchange_id = 2 AND sender = 0"
        )
        let head = try value("SELECT head FROM body WHERE exchange_id = 1 AND sender = 0")
        let basic = try #require(
            head.split(separator: "Basic ").last?.split(separator: "\r\n").first)
        let credentials = String(
            decoding: try #require(Data(base64Encoded: String(basic))), as: UTF8.self)
        #expect(credentials.hasPrefix(user + ":"))
        #expect(
            try value("SELECT content FROM body WHERE exchange_id = 1 AND sender = 1").contains(
                "<username>\(user)</username>"))
        let token = try value(
            "SELECT json_extract(content, '$.access_token') FROM body WHERE exchange_id = 2 AND sender = 0"
        )
        for row in try world.rows(
            "SELECT json_extract(substr(payload, 8), '$.token') FROM message WHERE payload LIKE '0:init%'",
            of: "b.tape")
        {
            #expect(row == token)
        }
        #expect(try value("SELECT arguments FROM session") == "record --token=\(token)")
        #expect(try value("SELECT message FROM finding") == "it sent \"\(token.prefix(14))…\"")
    }

    @Test func `deltas lead to the same strings as whole objects have`() throws {
        let world = try TraceWorld()
        try Self.record(world, seed: nil)
        try Redaction(key: Self.key).write(from: world.path("a.tape"), to: world.path("b.tape"))
        for connection in [2, 3] {
            let deltas = try world.rows(
                """
                SELECT json_extract(substr(payload, 5), '$[0].v.text.v') FROM message
                WHERE connection_id = \(connection) AND payload LIKE '0:c:[%' ORDER BY id
                """, of: "b.tape")
            let text = try world.rows(
                """
                SELECT json_extract(substr(payload, instr(payload, char(10)) + 1), '$.data.text')
                FROM message WHERE connection_id = \(connection) AND payload LIKE '0:e:k.3_%'
                """, of: "b.tape")
            #expect(deltas.count == 2)
            let inserted = deltas.map { $0.split(separator: "\t+").last.map(String.init) ?? "" }
            let whole = try #require((inserted[0] + inserted[1]).removingPercentEncoding)
            #expect(text.first?.hasSuffix(whole) == true, "\(text) \(inserted)")
            #expect(!whole.contains("@"))
        }
    }

    @Test func `what holds no secret stays byte for byte`() throws {
        let world = try TraceWorld()
        let writer = try world.writer()
        var session = Conversation(1)
        _ = writer.put(
            session.opening()
                + [
                    session.chunk(
                        .client, Self.request("GET /x?y=z HTTP/1.1", ["Accept-Encoding: gzip"])),
                    session.chunk(
                        .server,
                        Self.response(
                            ["Content-Encoding: gzip"],
                            StoredCoding.encode(Array("<a>text</a>".utf8), [.gzip], isWhole: true))),
                ] + session.closing())
        writer.finish()
        try Redaction(key: Self.key).write(from: world.path("a.tape"), to: world.path("b.tape"))
        try world.expectSame("a.tape", "b.tape", apartFrom: ["mark", "counter"])
    }

    @Test func `patches stay patches, and what they took away is looked at too`() throws {
        let world = try TraceWorld()
        let writer = try world.writer()
        var session = Conversation(1)
        let head = "GET /x HTTP/1.1\r\n"
        let removed = "Proxy-Authorization: Basic \(Self.basic("anna.müller:hunter2!Zoë"))\r\n"
        let rest = "Host: proxy:8080\r\nX-Api-Key: patient-zero-9\r\n\r\n"
        let bytes = Array((head + removed + rest).utf8)
        _ = writer.put(
            session.opening()
                + [
                    session.chunk(
                        .client, bytes,
                        [
                            Patch(
                                offset: head.utf8.count, removed: removed.utf8.count, inserted: [],
                                reason: .hopByHop),
                            Patch(
                                offset: (head + removed).utf8.count + 6, removed: 10,
                                inserted: Array("clinic.example".utf8), reason: .host),
                        ]),
                    session.chunk(.server, Self.response([], [])),
                ] + session.closing())
        writer.finish()
        try Redaction(key: Self.key).write(from: world.path("a.tape"), to: world.path("b.tape"))
        let sql = "SELECT \"offset\", removed, inserted, reason FROM patch ORDER BY id"
        #expect(try world.rows(sql, of: "a.tape") == world.rows(sql, of: "b.tape"))
        let chunk = try #require(
            try world.rows("SELECT CAST(bytes AS TEXT) FROM chunk WHERE id = 1", of: "b.tape").first
        )
        #expect(chunk.utf8.count == bytes.count)
        #expect(chunk.contains("Host: proxy:8080"))
        #expect(!chunk.contains("patient-zero-9"))
        #expect(!chunk.contains(Self.basic("anna.müller:hunter2!Zoë").dropLast(4)))
        #expect(chunk.contains("Proxy-Authorization: Basic "))
    }

    @Test func `own names and patterns are secrets as well`() throws {
        let world = try TraceWorld()
        let writer = try world.writer()
        var session = Conversation(1)
        let body = Array(#"{"village":"Nowhere","id":"MRN-0815","town":"Berlin"}"#.utf8)
        _ = writer.put(
            session.opening()
                + [
                    session.chunk(.client, Self.request("POST /x HTTP/1.1", [], body)),
                    session.chunk(.server, Self.response([], Array("MRN-4711 Nowhere".utf8))),
                ] + session.closing())
        writer.finish()
        let options = RedactionOptions(patterns: [#"MRN-\d+"#], names: ["Village"])
        try Redaction(options: options, key: Self.key).write(
            from: world.path("a.tape"), to: world.path("b.tape"))
        let contents = try world.rows("SELECT content FROM body ORDER BY id", of: "b.tape").joined()
        for secret in ["Nowhere", "MRN-0815", "MRN-4711"] { #expect(!contents.contains(secret)) }
        #expect(contents.contains("Berlin"))
        #expect(throws: FileError(.cannotOpen, "")) {
            try Redaction(key: Self.key).write(from: world.path("a.tape"), to: world.path("b.tape"))
        }
        #expect(throws: FileError(.stopped, "")) {
            try Redaction(key: Self.key).write(from: world.path("a.tape"), to: world.path("c.tape"))
            { _ in false }
        }
        #expect(try world.names == ["a.tape", "b.tape"])
    }

    @Test func `a session recorded behind a redacted one is looked at strictly`() throws {
        let world = try TraceWorld()
        try Self.record(world, seed: nil)
        try Redaction(key: Self.key).write(from: world.path("a.tape"), to: world.path("b.tape"))
        let writer = try world.writer("b.tape")
        var session = Conversation(9)
        _ = writer.put(
            session.opening() + [session.chunk(.client, Self.exchanges[4].request)]
                + session.closing())
        writer.finish()
        #expect(try SecretScan.run(world.path("b.tape")).map(\.excerpt) == ["eyJh…(53)"])
    }

    /// A secret that the first connection of ``redacted(_:from:)`` shows to be one.
    private static let key9 = "patient-zero-9"

    /// The bytes of the second connection after redaction, of which these are `chunks`.
    private static func redacted(
        _ chunks: [[UInt8]], from sender: Peer = .client
    ) throws -> [UInt8] {
        let world = try TraceWorld()
        let writer = try world.writer()
        var http = Conversation(1)
        _ = writer.put(
            http.opening()
                + [
                    http.chunk(.client, Self.request("GET /x HTTP/1.1", ["X-Api-Key: \(key9)"])),
                    http.chunk(.server, Self.response([], [])),
                ] + http.closing())
        var other = Conversation(2)
        _ = writer.put(other.opening())
        if sender == .server {
            _ = writer.put([other.chunk(.client, Self.request("GET /y HTTP/1.1", []))])
        }
        for bytes in chunks { _ = writer.put([other.chunk(sender, bytes)]) }
        _ = writer.put(other.closing())
        writer.finish()
        try Redaction(key: Self.key).write(from: world.path("a.tape"), to: world.path("b.tape"))
        let rows = try world.rows(
            "SELECT hex(bytes) FROM chunk WHERE connection_id = 2 AND sender = \(sender.rawValue) ORDER BY id",
            of: "b.tape")
        return rows.flatMap { Hexadecimal.decode($0.utf8) ?? [] }
    }

    @Test func `what is no HTTP is looked through, also where pieces of it meet`() throws {
        let word = Array("abcdefg ".utf8)
        var bytes: [UInt8] = [1, 2] + Array(repeating: word, count: 135_000).joined()
        let secret = Array(" \(Self.key9) ".utf8)
        // Pieces have 1 MiB.
        for place in [800, (1 << 20) - 6] {
            bytes.replaceSubrange(place..<place + secret.count, with: secret)
        }
        let chunks = stride(from: 0, to: bytes.count, by: 60_000).map {
            Array(bytes[$0..<min($0 + 60_000, bytes.count)])
        }
        let after = try Self.redacted(chunks)
        #expect(after.count == bytes.count)
        #expect(!Self.contains(after, Array(Self.key9.utf8)))
        #expect(zip(after, bytes).count { $0 != $1 } <= 2 * Self.key9.utf8.count)
    }

    @Test func `content that cannot be decoded to its end is zeroed`() throws {
        // A block of deflate that does not exist.
        let body = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xFF, 0xFF] + Array(Self.key9.utf8)
        let answer = Self.response(["Content-Encoding: gzip"], body)
        let after = try Self.redacted([answer], from: .server)
        #expect(after.count == answer.count)
        #expect(after.suffix(body.count).allSatisfy { $0 == 0 })
        #expect(after.dropLast(body.count).elementsEqual(answer.dropLast(body.count)))
    }

    @Test func `content that is too large once decoded is refused with the way out`() throws {
        let zeros = [UInt8](repeating: 0x20, count: 64 << 20 | 1)
        let body = StoredCoding.encode(zeros, [.gzip], isWhole: true)
        let error = try #require(throws: FileError.self) {
            try Self.redacted(
                [Self.response(["Content-Encoding: gzip"], body)], from: .server)
        }
        #expect(error.code == .malformed)
        #expect(error.reason.hasSuffix("leave connection 2 out of the trace"))
    }

    @Test func `every place is documented`() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/Redaction/Redaction.md")
        let page = try String(contentsOf: path, encoding: .utf8)
        for place in RedactionPlaces.all {
            let row = page.split(separator: "\n").first {
                $0.hasPrefix("| \(place.container.rawValue) | \(place.kind.rawValue) |")
            }
            #expect(row?.contains("`\(place.name)`") == true, "\(place)")
        }
    }
}
