import Testing

@testable import Filters

struct FilterSQLTests {
    @Test func `reads bodies in their order where nothing else decides`() throws {
        func page(_ text: String) throws -> String {
            try Filter.parse(text).sql(forPagesOf: .exchange).text
        }
        let numbers = "b.id BETWEEN 2 * ?1 AND 2 * ?2 + 1"
        // What is in a chunk is not copied out of it, and other chunks are not looked up.
        func inChunks(unless elsewhere: String) -> String {
            "x.id IN (SELECT b.exchange_id FROM http_body b LEFT JOIN chunk k "
                + "ON k.id = CASE WHEN \(elsewhere) THEN NULL ELSE b.chunk_id END WHERE \(numbers)"
        }
        #expect(
            try page("header.x:1")
                == inChunks(unless: "b.head IS NOT NULL") + " AND tape_header("
                + "b.head, k.bytes, b.head_offset, b.head_size, ?) = ?)")
        let elsewhere = "b.content_offset IS NULL OR b.content_parts IS NOT NULL"
        #expect(
            try page("not request.body:foo")
                == "(\(inChunks(unless: elsewhere)) AND b.sender = 0 AND b.size > 0 "
                + "AND tape_contains(CASE WHEN \(elsewhere) "
                + "THEN (SELECT o.content FROM body o WHERE o.id = b.id) END, "
                + "k.bytes, b.content_offset, b.size, ?))) IS NOT TRUE")
        #expect(
            try page("response.body~/a/")
                == "x.id IN (SELECT b.exchange_id FROM body b WHERE \(numbers) AND b.sender = 1 "
                + "AND b.size > 0 AND tape_regex(?, b.content))")
        for text in ["status:503 header.x:1", "header.x:1 or host:a", "status:503"] {
            let filter = try Filter.parse(text)
            #expect(filter.sql(forPagesOf: .exchange) == filter.sql(for: .exchange))
        }
    }

    @Test(
        arguments: [
            ("", "1", []),
            ("status:200", "x.status = ?", [.integer(200)]),
            ("status:4xx", "x.status BETWEEN ? AND ?", [.integer(400), .integer(499)]),
            ("status>=500", "x.status >= ?", [.integer(500)]),
            ("status<500", "x.status <= ?", [.integer(499)]),
            ("has:status", "x.status IS NOT NULL", []),
            ("not status:200", "(x.status = ?) IS NOT TRUE", [.integer(200)]),
            (
                "status!=200", "(x.status IS NOT NULL AND (x.status = ?) IS NOT TRUE)",
                [.integer(200)]
            ),
            (
                "status:200 or status:404", "(x.status = ? OR x.status = ?)",
                [.integer(200), .integer(404)]
            ),
            ("method:get", "x.method = ? COLLATE NOCASE", [.text("get")]),
            ("host:*.example_a", "x.host LIKE ? ESCAPE '\\'", [.text("%.example\\_a")]),
            ("path:/a/*", "x.path GLOB ?", [.text("/a/*")]),
            ("path:[a]?\\**", "x.path GLOB ?", [.text("[[]a][?][*]*")]),
            ("path~Sync", "tape_contains(x.path, ?)", [.text("sync")]),
            ("path~/S.c/i", "tape_regex(?, x.path)", [.text("(?i)S.c")]),
            (
                "at:1s..2s", "x.started_ns BETWEEN ? AND ?",
                [.integer(1_000_000_000), .integer(2_000_000_000)]
            ),
            ("duration>1ms", "(x.ended_ns - x.started_ns) >= ?", [.integer(1_000_001)]),
            ("size>1KiB", "(x.request_size + x.response_size) >= ?", [.integer(1025)]),
            ("local:yes", "x.is_local = ?", [.integer(1)]),
            ("kind:exchange", "'exchange' = ? COLLATE NOCASE", [.text("exchange")]),
            (
                "body:Foo",
                "EXISTS (SELECT 1 FROM body b WHERE b.id BETWEEN 2 * x.id AND 2 * x.id + 1 "
                    + "AND b.size > 0 AND tape_contains(b.content, ?))", [.text("foo")]
            ),
            (
                "response.body:a*b",
                "EXISTS (SELECT 1 FROM body b WHERE b.id = 2 * x.id + 1 AND b.size > 0 "
                    + "AND tape_glob(?, b.content, 0))", [.text("*a*b*")]
            ),
            (
                "request.header.X-Id~/a/",
                "EXISTS (SELECT 1 FROM body b WHERE b.id = 2 * x.id "
                    + "AND tape_regex(?, tape_header(b.head, ?)))", [.text("a"), .text("x-id")]
            ),
            (
                "header.x:1",
                "EXISTS (SELECT 1 FROM body b WHERE b.id BETWEEN 2 * x.id AND 2 * x.id + 1 "
                    + "AND tape_header(b.head, ?) = ?)", [.text("x"), .text("1")]
            ),
            (
                "nature:submit_success",
                "x.id IN (SELECT o.exchange_id FROM openrosa o WHERE o.nature = ?)",
                [.text("submit_success")]
            ),
            (
                "note:http.*",
                "x.id IN (SELECT n.exchange_id FROM note n WHERE n.exchange_id IS NOT NULL "
                    + "AND n.code GLOB ?)", [.text("http.*")]
            ),
            (
                "\"a b\"",
                "(x.id IN (SELECT rowid / 4 FROM search WHERE search MATCH ? AND rowid % 2 = 0) "
                    + "OR x.id IN (SELECT b.exchange_id FROM body b WHERE (b.id > coalesce((SELECT "
                    + "upto FROM progress WHERE name = 'body'), 0) OR b.id IN (SELECT id / 2 FROM "
                    + "late WHERE id % 2 = 0)) AND tape_words(?, b.content)))",
                [.text("\"a b\""), .text("\"a b\"")]
            ),
            ("bucket:notes", "0", []),
            ("not bucket:notes", "1", []),
            ("bucket:notes status:200", "0", []),
            ("bucket:notes or status:200", "x.status = ?", [.integer(200)]),
            ("not bucket:notes status:200", "x.status = ?", [.integer(200)]),
        ] as [(String, String, [SQLValue])])
    func `asks exchanges`(text: String, condition: String, arguments: [SQLValue]) throws {
        #expect(try Filter.parse(text).sql(for: .exchange) == SQLCondition(condition, arguments))
    }

    @Test(
        arguments: [
            ("bucket:notes", "c.bucket = ?", [.text("notes")]),
            (
                "command:c sender:client",
                "((c.name = ? OR c.request = ?) AND CASE c.sender WHEN 0 THEN 'client' ELSE "
                    + "'server' END = ? COLLATE NOCASE)",
                [.text("c"), .text("c"), .text("client")]
            ),
            (
                "key:a",
                "(c.key = ? OR (c.id IN (SELECT h.id / 16777216 FROM change_key h WHERE h.key = ?) OR "
                    + "c.id IN (SELECT h.command_id FROM any_change h WHERE h.id > "
                    + "coalesce((SELECT upto FROM progress WHERE name = 'change'), 0) AND h.key = ?)))",
                [.text("a"), .text("a"), .text("a")]
            ),
            (
                "not error:409",
                "((c.error = ? OR EXISTS (SELECT 1 FROM any_change h WHERE h.id BETWEEN c.id * 16777216 "
                    + "AND c.id * 16777216 + 16777215 AND h.error = ?))) IS NOT TRUE",
                [.integer(409), .integer(409)]
            ),
            (
                "payload:a",
                "EXISTS (SELECT 1 FROM any_message g WHERE g.id = c.message_id AND c.payload_size > 0 "
                    + "AND tape_contains(CAST(substr(CAST(coalesce(c.text, g.payload) AS BLOB), "
                    + "c.payload_offset + 1, c.payload_size) AS TEXT), ?))", [.text("a")]
            ),
            (
                "a",
                "(c.message_id IN (SELECT rowid / 2 FROM search WHERE search MATCH ? AND "
                    + "rowid % 2 = 1) OR c.message_id IN (SELECT g.id FROM any_message g WHERE (g.id > "
                    + "coalesce((SELECT upto FROM progress WHERE name = 'message'), 0) OR g.id IN "
                    + "(SELECT id / 2 FROM late WHERE id % 2 = 1)) AND tape_words(?, g.payload)))",
                [.text("\"a\""), .text("\"a\"")]
            ),
            ("status:200", "0", []),
        ] as [(String, String, [SQLValue])])
    func `asks commands`(text: String, condition: String, arguments: [SQLValue]) throws {
        #expect(try Filter.parse(text).sql(for: .command) == SQLCondition(condition, arguments))
    }

    @Test(
        arguments: [
            ("opcode:ping", "m.opcode = ?", [.integer(9)]),
            ("duration>1ns", "(m.ended_ns - m.at_ns) >= ?", [.integer(2)]),
            (
                "payload:a", "tape_contains(CASE WHEN m.size > 0 THEN m.payload END, ?)",
                [.text("a")]
            ),
            ("bucket:a", "0", []),
        ] as [(String, String, [SQLValue])])
    func `asks messages`(text: String, condition: String, arguments: [SQLValue]) throws {
        #expect(try Filter.parse(text).sql(for: .message) == SQLCondition(condition, arguments))
    }

    @Test(arguments: Field.all, FilterSubject.allCases)
    func `has a source for every field of a subject`(field: Field, subject: FilterSubject) throws {
        let name = field.isFamily ? "\(field).x" : field.rawValue
        let condition = try Filter.parse("has:\(name)").sql(for: subject)
        let isHere = field.details.subjects.contains(subject) && !field.isOfFleetAlone
        #expect((condition == .never) == !isHere)
    }

    @Test func `stays flat with many alternatives`() throws {
        let elements = (1...1000).map(String.init).joined(separator: ",")
        let condition = try Filter.parse("id:{\(elements)}").sql(for: .exchange)
        var (depth, deepest) = (0, 0)
        for byte in condition.text.utf8 {
            if byte == UInt8(ascii: "(") { depth += 1 }
            if byte == UInt8(ascii: ")") { depth -= 1 }
            deepest = max(deepest, depth)
        }
        #expect(deepest < 12)
        #expect(condition.arguments.count == 1000)
        #expect(condition.arguments == (1...1000).map { .integer($0) })
    }
}
