import Testing
import Trace
import TraceWorld
import Wire

@Suite("A cut of a connection whose sides differ") struct TraceCutSideTests {
    /// What is compared of the rows of a side: everything but numbers and times.
    private static func exchanges(_ table: String) -> String {
        "SELECT id, side, fate, method, url, status, request_body, response_body FROM \(table) ORDER BY id"
    }

    private static let messages = """
        SELECT id, side, fate, sender, opcode, payload FROM any_message ORDER BY side = 'server', id
        """

    private static func without(_ ids: Set<Int64>, _ rows: [String]) -> [String] {
        rows.compactMap { row in
            let parts = row.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
            return ids.contains(Int64(parts[0]) ?? 0) ? nil : String(parts[1])
        }
    }

    private static func request(_ number: Int, _ body: String) -> String {
        "POST /\(number) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private static func answer(_ body: String) -> String {
        "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Requests of which one is altered, one answered by Tapedeck and one late, whose answers are
    /// altered, lost or as they were.
    private func record(_ world: TraceWorld) throws {
        let writer = try world.writer()
        var http = Conversation(1)
        var records = http.opening()
        let requests = [
            Self.request(1, "same"), Self.request(2, "altered"), Self.request(3, "lost"),
            Self.request(4, "late"), Self.request(5, "answer lost"), Self.request(6, "last"),
        ]
        let starts = requests.indices.map { requests[..<$0].reduce(0) { $0 + $1.utf8.count } }
        let ends = requests.indices.map { starts[$0] + requests[$0].utf8.count }
        records.append(
            http.chunk(
                .client, Array(requests.joined().utf8),
                [
                    Patch(
                        offset: ends[1] - 7, removed: 2, inserted: Array("AL".utf8), reason: .fault)
                ],
                [
                    Delivery(offset: starts[2], count: requests[2].utf8.count, at: nil),
                    Delivery(
                        offset: starts[3], count: requests[3].utf8.count,
                        at: Instant(nanoseconds: 50_000)),
                ]))
        let answers = ["one", "two", "four", "five"].map(Self.answer)
        records.append(
            http.chunk(
                .server, Array(answers[0].utf8),
                [
                    Patch(
                        offset: 9, removed: 3, inserted: Array("500".utf8), reason: .fault)
                ]))
        records.append(http.chunk(.server, Array(answers[1].utf8)))
        guard
            case .chunk(var made) = http.chunk(
                .server, Array(Self.answer("made").utf8), origin: .tapedeck)
        else { return }
        made.leg = http.client
        records += [.chunk(made), http.chunk(.server, Array(answers[2].utf8))]
        records.append(
            http.chunk(
                .server, Array(answers[3].utf8), [],
                [Delivery(offset: 0, count: answers[3].utf8.count, at: nil)]))
        guard
            case .chunk(var other) = http.chunk(
                .server, Array(Self.answer("other").utf8), origin: .tapedeck)
        else { return }
        other.leg = http.client
        records.append(.chunk(other))
        records.append(http.chunk(.server, Array(Self.answer("six").utf8)))
        _ = writer.put(records + http.closing())
        writer.finish()
    }

    @Test func `an exchange goes on both sides, and no other does`() throws {
        let world = try TraceWorld()
        try record(world)
        let units = try TraceUnits(of: world.path("a.tape"))
        let fates = try world.rows("SELECT DISTINCT fate FROM any_exchange ORDER BY 1")
        #expect(Set(fates).isSuperset(of: ["altered", "lost", "same"]), "\(fates)")
        let sides = ["exchange", "server_exchange"].map(Self.exchanges)
        let rows = try sides.map { try world.rows($0) }
        let pairs = try world.rows(
            "SELECT id, counterpart_id FROM any_exchange WHERE side = 'server'")
        #expect(units.exchanges.count == 6)
        for unit in units.exchanges.map(\.id.rawValue) {
            let name = "cut\(unit).tape"
            try TraceCut(exchanges: [ExchangeID(unit)])
                .write(from: world.path("a.tape"), to: world.path(name))
            var out: Set = [unit]
            for pair in pairs where pair.hasSuffix("|\(unit)") {
                out.insert(Int64(pair.prefix { $0 != "|" }) ?? 0)
            }
            for (sql, all) in zip(sides, rows) {
                #expect(
                    Self.without([], try world.rows(sql, of: name)) == Self.without(out, all),
                    "without \(out)")
            }
            #expect(try world.rows("PRAGMA integrity_check", of: name) == ["ok"])
            #expect(
                try world.rows("SELECT code FROM note", of: name)
                    == world.rows("SELECT code FROM note"))
        }
    }

    @Test func `a cut that leaves out nothing keeps patches and deliveries`() throws {
        let world = try TraceWorld()
        try record(world)
        try TraceCut().write(from: world.path("a.tape"), to: world.path("b.tape"))
        try world.expectSame("a.tape", "b.tape")
    }

    // MARK: WebSocket

    /// Messages of which one is altered, one lost, one late and one made.
    private func talk(_ world: TraceWorld) throws {
        let writer = try world.writer()
        var socket = Conversation(1)
        var records = socket.opening(host: "api.simperium.com") + socket.simperium(changes: 1)
        func frame(_ text: String, _ mask: [UInt8]? = nil) -> [UInt8] {
            Conversation.frame(Array(text.utf8), mask: mask)
        }
        let frames = [
            "0:cv:a", "0:cv:was altered", "0:cv:b", "0:cv:lost", "0:cv:c", "0:cv:late", "0:cv:d",
        ]
        .map { frame($0, [0, 0, 0, 0]) }
        let starts = frames.indices.map { frames[..<$0].reduce(0) { $0 + $1.count } }
        let bytes = Array(frames.joined())
        let altered = frame("0:cv:is something else", [0, 0, 0, 0])
        records.append(
            socket.chunk(
                .client, bytes,
                [
                    Patch(
                        offset: starts[1], removed: frames[1].count, inserted: altered,
                        reason: .fault
                    ).trimmed(in: bytes[...])
                ].compactMap(\.self),
                [
                    Delivery(offset: starts[3], count: frames[3].count, at: nil),
                    Delivery(
                        offset: starts[5], count: frames[5].count,
                        at: Instant(nanoseconds: 1 << 30)),
                ]))
        records.append(socket.message(.server, "0:cv:x"))
        records.append(socket.chunk(.server, frame("0:cv:made"), origin: .tapedeck))
        let lost = frame("0:cv:gone")
        records.append(
            socket.chunk(
                .server, lost + frame("0:cv:y"),
                [Patch(offset: 0, removed: lost.count, inserted: [], reason: .fault)]))
        _ = writer.put(records)
        writer.finish()
    }

    @Test func `a message goes on both sides, and no other does`() throws {
        let world = try TraceWorld()
        try talk(world)
        let units = try TraceUnits(of: world.path("a.tape"))
        let rows = try world.rows(Self.messages)
        let fates = try world.rows("SELECT DISTINCT fate FROM any_message")
        #expect(
            Set(fates).isSuperset(of: ["altered", "lost", "late", "synthesized", "same"]),
            "\(fates)")
        let pairs = try world.rows(
            "SELECT id, counterpart_id FROM any_message WHERE side = 'server' AND counterpart_id > 0"
        )
        #expect(pairs.count >= 2)
        #expect(units.messages.count == rows.count - pairs.count)
        for unit in units.messages.map(\.id.rawValue) {
            let name = "cut\(unit).tape"
            try TraceCut(messages: [MessageID(unit)])
                .write(from: world.path("a.tape"), to: world.path(name))
            var out: Set = [unit]
            for pair in pairs where pair.hasSuffix("|\(unit)") {
                out.insert(Int64(pair.prefix { $0 != "|" }) ?? 0)
            }
            #expect(
                Self.without([], try world.rows(Self.messages, of: name))
                    == Self.without(out, rows), "without \(out)")
            #expect(try world.rows("PRAGMA integrity_check", of: name) == ["ok"])
        }
    }
}
