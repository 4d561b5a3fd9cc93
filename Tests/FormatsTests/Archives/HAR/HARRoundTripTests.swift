import Foundation
import Notation
import Testing
import Trace
import TraceWorld
import Wire

@testable import Formats

@Suite("HTTP archives out and in again") struct HARRoundTripTests {
    /// Large enough that the trace keeps only the first bytes beside the chunks.
    private static let large = 1_100_000

    private static func exchange(
        _ conversation: inout Conversation, _ request: String, _ body: [UInt8] = [],
        answer: String?, _ content: [UInt8] = []
    ) -> [Record] {
        let asked = conversation.chunk(.client, Array((request + "\r\n\r\n").utf8) + body)
        guard let answer else { return [asked] }
        return [
            asked, conversation.chunk(.server, Array((answer + "\r\n\r\n").utf8)),
        ]
            + stride(from: 0, to: content.count, by: 65_536).map {
                conversation.chunk(
                    .server, Array(content[$0..<min(content.count, $0 + 65_536)]))
            }
    }

    /// A trace with exchanges of every kind that an archive can hold.
    private static func record(_ world: TraceWorld) throws {
        let writer = try world.writer()
        var http = Conversation(1)
        _ = writer.put(http.opening() + http.submission(1))
        let form = Array("a=1&b=%C3%A9+x".utf8)
        _ = writer.put(
            exchange(
                &http,
                """
                POST /form?q=a%20b&q=&r HTTP/1.1\r
                Host: example.org\r
                Content-Type: application/x-www-form-urlencoded\r
                Cookie: a=1; b=two=2\r
                Content-Length: \(form.count)
                """, form,
                answer: """
                    HTTP/1.1 302 Found\r
                    Location: /next\r
                    Set-Cookie: s=1; Path=/; HttpOnly; Expires=Sun, 06 Nov 1994 08:49:37 GMT\r
                    Set-Cookie: t=2; Secure; SameSite=Lax\r
                    Content-Length: 0
                    """))
        let picture = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let words = Array(String(repeating: "größer\n", count: large / 8).utf8)
        for (path, content) in [("picture", picture), ("words", words)] {
            _ = writer.put(
                exchange(
                    &http, "GET /\(path) HTTP/1.1\r\nHost: example.org",
                    answer: "HTTP/1.1 200 OK\r\nContent-Length: \(content.count)", content))
        }
        _ = writer.put(
            exchange(
                &http, "HEAD /words HTTP/1.1\r\nHost: example.org",
                answer: "HTTP/1.1 200 OK\r\nContent-Length: \(words.count)"))
        _ = writer.put(
            exchange(
                &http, "GET /chunked HTTP/1.1\r\nHost: example.org",
                answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked",
                Array("5\r\nhello\r\n6\r\n \u{0}\"<é\r\n0\r\n\r\n".utf8)))
        _ = writer.put(http.closing())
        var other = Conversation(3)
        _ = writer.put(other.opening())
        _ = writer.put(
            exchange(
                &other, "GET /cut HTTP/1.1\r\nHost: example.org",
                answer: "HTTP/1.1 200 OK\r\nContent-Length: 9", Array("hello".utf8)))
        _ = writer.put(other.closing())
        http = Conversation(4)
        _ = writer.put(http.opening())
        _ = writer.put(
            exchange(&http, "GET /silence HTTP/1.1\r\nHost: example.org", answer: nil))
        _ = writer.put(http.closing())
        var socket = Conversation(2)
        _ = writer.put(socket.opening(host: "api.simperium.com") + socket.simperium(changes: 5))
        let long = String(repeating: "long ", count: large / 5)
        _ = writer.put([socket.message(.server, long)])
        _ = writer.put([
            socket.chunk(.server, Conversation.frame([0, 0xFF], first: 0x82, mask: nil)),
            socket.chunk(.server, Conversation.frame([7], first: 0x89, mask: nil)),
            socket.chunk(
                .client, Conversation.frame([3, 0xE8], first: 0x88, mask: [9, 8, 7, 6])),
        ])
        _ = writer.put(socket.closing())
        writer.finish()
    }

    private static func since(_ column: String) -> String {
        "\(column) - (SELECT min(started_ns) FROM http_exchange)"
    }

    /// What is the same after an archive; times since the first request.
    private static let kept = [
        """
        SELECT e.method, e.url, e.status, x.reason, x.api, x.outcome, b.sender, b.size,
          hex(b.content), hex(substr(b.head, instr(b.head, x'0A'))), \(since("x.started_ns")),
          \(since("x.request_ended_ns")), \(since("x.responded_ns")), \(since("x.ended_ns"))
        FROM exchange e JOIN http_exchange x ON x.id = e.id JOIN body b ON b.exchange_id = e.id
        ORDER BY e.url, e.method, b.sender
        """,
        """
        SELECT sender, opcode, hex(payload), size, close_code, \(since("at_ns")) FROM message
        ORDER BY id
        """,
        "SELECT sender, channel, name, bucket, hex(payload) FROM command ORDER BY id",
        "SELECT kind, instance_id, message FROM openrosa ORDER BY id",
    ]

    @Test("what an archive can hold comes back equal") func roundTrip() throws {
        let world = try TraceWorld()
        try Self.record(world)
        let written = try HARExport.run(
            from: world.path("a.tape"), to: world.path("a.har"), version: "1.0")
        #expect(written.entries == 9 && written.leftOut == 0)
        #expect(try world.mode("a.har") == 0o600)
        let read = try HARImport.run(
            from: world.path("a.har"), to: world.path("b.tape"), version: "1.0", arguments: "x")
        #expect(read.creator == "Tapedeck 1.0")
        #expect(read.entries == 9 && read.exchanges == 9 && read.leftOut.isEmpty)
        #expect(read.messages == written.messages && read.odd == 1)
        for query in Self.kept {
            let before = try world.rows(query)
            let after = try world.rows(query, of: "b.tape")
            #expect(!before.isEmpty && before.count == after.count)
            for (a, b) in zip(before, after) { #expect(a.prefix(9_000) == b.prefix(9_000)) }
            #expect(before == after)
        }
        #expect(try world.rows("PRAGMA integrity_check", of: "b.tape") == ["ok"])
        #expect(try world.rows("SELECT provenance FROM session", of: "b.tape") == ["har"])
        #expect(try world.rows("SELECT DISTINCT mode FROM connection", of: "b.tape") == ["archive"])
        // Nothing is odd about the bytes that was not odd before.
        let notes = "SELECT code, count(*) FROM note GROUP BY code"
        #expect(try world.rows(notes) == world.rows(notes, of: "b.tape"))
        // The last thing that happened is when the session ends.
        let ends = "SELECT max(at_ns) FROM event GROUP BY kind = 'session-ended'"
        #expect(Set(try world.rows(ends, of: "b.tape")).count == 1)
        #expect(try world.names == ["a.har", "a.tape", "b.tape"])
    }

    /// `größer` and a line break, 200 times.
    private static let compressed = """
        H4sIAAAAAAACA0svOrzt8PzUIq70UcYoY5QxyhhljDJGHgMAVOL2LAgHAAA=
        """

    @Test("a body in a content coding comes back without it, which is said") func coded() throws {
        let world = try TraceWorld()
        let content = try #require(Base64.decode(Self.compressed.utf8))
        let writer = try world.writer()
        var http = Conversation(1)
        _ = writer.put(http.opening())
        _ = writer.put(
            Self.exchange(
                &http, "GET / HTTP/1.1\r\nHost: example.org",
                answer: """
                    HTTP/1.1 200 OK\r
                    Content-Encoding: gzip\r
                    Content-Length: \(content.count)
                    """, content))
        _ = writer.put(http.closing())
        writer.finish()
        try HARExport.run(from: world.path("a.tape"), to: world.path("a.har"), version: "1.0")
        let entry = try Self.entries(world.text("a.har"))[0]
        let body = try #require(entry["response"]?["content"])
        #expect(body["size"]?.int == 1_800)
        #expect(body["compression"]?.int == 1_800 - Int64(content.count))
        #expect(entry["response"]?["bodySize"]?.int == Int64(content.count))
        try HARImport.run(
            from: world.path("a.har"), to: world.path("b.tape"), version: "1.0", arguments: "x")
        let bodies = "SELECT hex(content) FROM body ORDER BY id"
        #expect(try world.rows(bodies) == world.rows(bodies, of: "b.tape"))
        let warnings = try world.rows(
            "SELECT detail FROM event WHERE kind = 'warning'", of: "b.tape")
        #expect(warnings.count == 1 && warnings[0].contains("gzip"))
        let sizes = try world.rows("SELECT wire_size, coding FROM body ORDER BY id", of: "b.tape")
        #expect(sizes == ["0|", "1800|"])
    }

    private static func entries(_ text: String) throws -> [JSONDocument.Node] {
        let document = try JSONDocument.scan(Array(text.utf8))
        return document.root["log"]?["entries"].map { Array($0.elements) } ?? []
    }

    @Test("entries have what HAR 1.2 demands, and what Chrome adds") func members() throws {
        let world = try TraceWorld()
        try Self.record(world)
        let outcome = try HARExport.run(
            from: world.path("a.tape"), to: world.path("a.har"), version: "1.0",
            including: { $0.rawValue != 1 })
        #expect(outcome.entries == 8)
        let entries = try Self.entries(world.text("a.har"))
        let form = try #require(entries.first)
        #expect(form["startedDateTime"]?.string == "2023-11-14T22:13:20.000009Z")
        #expect(form["request"]?["url"]?.string == "http://example.org/form?q=a%20b&q=&r")
        func pairs(_ node: JSONDocument.Node?) -> [String] {
            node?.elements.map {
                "\($0["name"]?.string ?? "?")=\($0["value"]?.string ?? "?")"
            } ?? []
        }
        #expect(pairs(form["request"]?["queryString"]) == ["q=a b", "q=", "r="])
        #expect(pairs(form["request"]?["cookies"]) == ["a=1", "b=two=2"])
        #expect(pairs(form["request"]?["postData"]?["params"]) == ["a=1", "b=é x"])
        #expect(form["response"]?["redirectURL"]?.string == "/next")
        let cookies = Array(try #require(form["response"]?["cookies"]).elements)
        #expect(cookies[0].text.contains(#""expires":"1994-11-06T08:49:37.000Z","httpOnly":true"#))
        #expect(cookies[1].text == #"{"name":"t","value":"2","secure":true,"sameSite":"Lax"}"#)
        #expect(form["serverIPAddress"]?.string == "192.0.2.1")
        let silence = entries[6]
        #expect(silence["response"]?["status"]?.int == 0)
        #expect(silence["response"]?["_error"]?.string?.isEmpty == false)
        let socket = entries[7]
        #expect(socket["_resourceType"]?.string == "websocket")
        #expect(socket["request"]?["url"]?.string == "ws://api.simperium.com/sock/1/app/websocket")
        let messages = Array(try #require(socket["_webSocketMessages"]).elements)
        #expect(messages.map { $0["opcode"]?.int }.suffix(3) == [2, 9, 8])
        #expect(messages.last?["data"]?.string == "A+g=")
        #expect(messages.first?["type"]?.string == "send")
        for entry in entries {
            let times = try #require(entry["timings"])
            let parts = ["send", "wait", "receive"].compactMap {
                HARNumber.nanoseconds(times[$0], places: 6)
            }
            #expect(parts.count == 3)
            #expect(HARNumber.nanoseconds(entry["time"], places: 6) == parts.reduce(0, +))
        }
    }

    @Test("faults and answers of Tapedeck are told in comments") func comments() throws {
        let world = try TraceWorld()
        try RecordingTests.record(world)
        try HARExport.run(from: world.path("a.tape"), to: world.path("a.har"), version: "1.0")
        let entries = try Self.entries(world.text("a.har"))
        #expect(entries[0]["comment"]?.string?.contains("replace status=503 (rule cut)") == true)
    }

    @Test("nothing is written where a file is in the way, or on the way") func refusals() throws {
        let world = try TraceWorld()
        try Self.record(world)
        try world.write("mine", to: "a.har")
        #expect(throws: FileError(.cannotOpen, "")) {
            try HARExport.run(from: world.path("a.tape"), to: world.path("a.har"), version: "1")
        }
        #expect(try world.text("a.har") == "mine")
        #expect(throws: FileError(.malformed, "")) {
            try HARImport.run(
                from: world.path("a.har"), to: world.path("b.tape"), version: "1", arguments: "")
        }
        #expect(throws: FileError(.cannotOpen, "")) {
            try HARExport.run(from: world.path("no.tape"), to: world.path("b.har"), version: "1")
        }
        #expect(try world.names == ["a.har", "a.tape"])
    }

    @Test("exchanges that overlap are written in order of time") func overlapping() throws {
        let world = try TraceWorld()
        let socket = HARs.entry(
            second: 1, url: "ws://example.org/", response: #""status":101,"headers":[]"#,
            more: """
                "time":1,"_webSocketMessages":[
                  {"type":"send","opcode":1,"time":1704067202.5,"data":"a"},
                  {"type":"receive","opcode":1,"time":1704067204.5,"data":"b"}]
                """)
        let others = (2...5).map {
            HARs.entry(
                second: $0, request: #""headers":[],"bodySize":\#($0)"#,
                more: #""time":1500,"timings":{"send":0,"wait":1500,"receive":0}"#)
        }
        try world.write(
            #"{"log":{"entries":[\#((others.reversed() + [socket]).joined(separator: ","))]}}"#,
            to: "a.har")
        let outcome = try HARImport.run(
            from: world.path("a.har"), to: world.path("a.tape"), version: "1", arguments: "")
        #expect(outcome.exchanges == 5 && outcome.messages == 2 && outcome.odd == 4)
        let times = try world.rows("SELECT at_ns FROM chunk ORDER BY id").compactMap { Int64($0) }
        #expect(times.count == 12 && times == times.sorted())
        #expect(try world.rows("SELECT sum(bytes), count(*) FROM gap") == ["14|4"])
        #expect(try world.rows("SELECT at_ns FROM message") == ["1500000000", "3500000000"])
        // The same archive gives the same trace.
        try HARImport.run(
            from: world.path("a.har"), to: world.path("b.tape"), version: "1", arguments: "")
        try world.expectSame("a.tape", "b.tape")
    }

    @Test("exchanges that overlap for long do not fill memory") func bounded() throws {
        let body = String(repeating: "x", count: 10_000)
        let entries = (0..<50).map { number in
            HARs.entry(
                second: 0, url: "http://example.org/\(number)",
                response: #""status":200,"headers":[],"content":{"size":10000,"text":"\#(body)"}"#,
                more: #""time":1,"timings":{"send":0,"wait":1,"receive":60000}"#)
        }
        let exchanges = try HARs.exchanges(
            #"{"log":{"entries":[\#(entries.joined(separator: ","))]}}"#)
        var last: Int64 = 0
        func next() -> Int64 {
            last += 1
            return last
        }
        var timeline = ArchiveTimeline(
            startedUnixNanoseconds: exchanges[0].startedUnixNanoseconds,
            nextConnection: { ConnectionID(next()) }, nextLeg: { LegID(next()) })
        timeline.limit = 100_000
        var records: [Record] = []
        var reads = 0
        var times: [Instant] = []
        for exchange in exchanges {
            try timeline.add(exchange) { (some, last) throws(FileError) in
                records += some
                times.append(last)
            } read: { () throws(FileError) in
                reads += 1
                return exchange
            }
            #expect(timeline.held < 120_000)
        }
        try timeline.finish { (some, last) throws(FileError) in
            records += some
            times.append(last)
        }
        #expect(timeline.held == 0)
        #expect(reads > 0)
        #expect(times == times.sorted())
        // As they come out where all are held.
        timeline = ArchiveTimeline(
            startedUnixNanoseconds: exchanges[0].startedUnixNanoseconds,
            nextConnection: { ConnectionID(next()) }, nextLeg: { LegID(next()) })
        last = 0
        var held: [Record] = []
        for exchange in exchanges {
            try timeline.add(exchange) { (some, _) throws(FileError) in
                held += some
            } read: {
                () throws(FileError) in
                throw FileError(.storage, "read again")
            }
        }
        try timeline.finish { (some, _) throws(FileError) in held += some }
        #expect(records == held)
        // Where too many run at once, the earliest end before their turn, and none is lost.
        timeline = ArchiveTimeline(
            startedUnixNanoseconds: exchanges[0].startedUnixNanoseconds,
            nextConnection: { ConnectionID(next()) }, nextLeg: { LegID(next()) })
        timeline.maxOpen = 10
        last = 0
        var early: [Record] = []
        for exchange in exchanges {
            try timeline.add(exchange) { (some, _) throws(FileError) in
                early += some
            } read: {
                () throws(FileError) in
                exchange
            }
        }
        try timeline.finish { (some, _) throws(FileError) in early += some }
        #expect(early != held)
        #expect(Set(early) == Set(held))
        #expect(timeline.held == 0)
        let bodies = records.count {
            if case .chunk(let chunk) = $0 { chunk.bytes.count == 10_000 } else { false }
        }
        #expect(bodies == 50)
    }
}
