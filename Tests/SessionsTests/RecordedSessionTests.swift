import Replaying
import Storage
import Testing
import Trace
import Wire

@testable import Sessions
@testable import TraceWorld

@Suite struct RecordedSessionTests {
    @Test func `lists exchanges in order with what is known of them`() throws {
        let trace = try SmallTrace(started: 5)
        let first = trace.open()
        trace.exchange(first, "GET /a?q=1")
        trace.exchange(first, "POST /a/demo/receiver/", body: "<data/>", status: 201)
        trace.finish()
        let session = try RecordedSession(path: trace.path)
        #expect(session.anchor == 5)
        #expect(session.exchanges.map(\.line) == ["GET /a?q=1", "POST /a/demo/receiver/"])
        #expect(session.exchanges.map(\.host) == ["example.org", "example.org"])
        #expect(session.exchanges.map(\.status) == [200, 201])
        #expect(session.exchanges.map(\.api) == ["http", "commcare.submit"])
        #expect(session.exchanges.map(\.connection) == [first, first])
        let exchange = session.exchanges[1]
        #expect(exchange.startedAt < (try #require(exchange.respondedAt)))
        #expect(try #require(exchange.respondedAt) < (try #require(exchange.endedAt)))
        #expect(session.exchanges.place(of: exchange.id) == 1)
        #expect(session.exchanges.place(of: exchange.id.next) == nil)
        #expect(session.commands.isEmpty && session.sockets.isEmpty && session.upgrades.isEmpty)
    }

    @Test func `names the port where one host was reached at several`() throws {
        let trace = try SmallTrace()
        for (host, port) in [("one.org", 80), ("one.org", 8080), ("two.org", 8080)] {
            let id = trace.open(host: host, port: port)
            trace.exchange(id, "GET /", host: port == 80 ? host : "\(host):\(port)")
        }
        trace.finish()
        let exchanges = try RecordedSession(path: trace.path).exchanges
        #expect(exchanges.map(\.host) == ["one.org:80", "one.org:8080", "two.org"])
        #expect(exchanges.host("one.org", port: 8080) == "one.org:8080")
        #expect(exchanges.host("two.org", port: 8080) == "two.org")
        #expect(exchanges.host("three.org", port: 1) == "three.org")
        var replay = HTTPReplay(exchanges) { _, _ in nil }
        for exchange in exchanges.reversed() {
            let request = ReplayRequest(method: "GET", host: exchange.host, path: "/")
            #expect(replay.answer(request) == .recorded(exchange))
        }
    }

    /// Numbers of exchanges, as a name for each kind.
    private static let numbers: KeyValuePairs<String, [Int]> = [
        "dense": Array(2...5_000), "with holes": (1...3_000).map { $0 * 3 },
        "far apart": [2, 4_000, 1 << 30, 1 << 37],
        "in two places": Array(2...1_025) + Array((1 << 36)...(1 << 36) + 2_100),
    ]

    @Test(arguments: numbers.map(\.key))
    func `lists exchanges in order whatever their numbers are`(kind: String) throws {
        let trace = try SmallTrace()
        trace.exchange(trace.open(), "GET /a")
        trace.finish()
        let numbers = try #require(Self.numbers.first { $0.key == kind }).value
        // 2 is SQLite's flag for a file that is written to.
        let db = try Connection(path: trace.path, flags: 2)
        var columns: [String] = []
        let names = try db.prepare("SELECT name FROM pragma_table_info('any_exchange')")
        while try names.step() { columns.append(names.string(0)) }
        let rest = columns.dropFirst().joined(separator: ", ")
        try db.execute("BEGIN")
        let copy = try db.prepare(
            "INSERT INTO any_exchange SELECT ?, \(rest) FROM any_exchange WHERE id = 1")
        for number in numbers {
            copy.bind(1, Int64(number))
            _ = try copy.step()
            copy.reset()
        }
        try db.execute("COMMIT")
        let session = try RecordedSession(path: trace.path)
        #expect(session.exchanges.map { Int($0.id.rawValue) } == [1] + numbers)
        #expect(Set(session.exchanges.map(\.line)) == ["GET /a"])
    }

    @Test func `leaves CONNECT out`() throws {
        let trace = try SmallTrace()
        let id = trace.open()
        trace.send(id, .client, "CONNECT example.org:80 HTTP/1.1\nHost: example.org:80\n\n")
        trace.send(id, .server, "HTTP/1.1 200 Connected\n\n")
        trace.exchange(id, "GET /a")
        trace.finish()
        #expect(try RecordedSession(path: trace.path).exchanges.map(\.line) == ["GET /a"])
    }

    @Test func `gives messages and responses`() throws {
        let trace = try SmallTrace()
        let id = trace.open()
        trace.exchange(id, "POST /a", body: #"{"v":1}"#, answer: "fine", type: "text/html")
        trace.send(id, .client, "GET /chunked HTTP/1.1\nHost: example.org\n\n")
        trace.send(id, .server, "HTTP/1.1 200 All  right\nTransfer-Encoding: chunked\nX-A: 1\n")
        trace.send(id, .server, "x-a: 2\n\n3\nabc\n2\nde\n0\n\n")
        trace.send(id, .client, "HEAD /chunked HTTP/1.1\nHost: example.org\n\n")
        trace.send(
            id, .server, "HTTP/1.1 103 Early\nX-B: 1\n\nHTTP/1.1 200 OK\nContent-Length: 9\n\n")
        trace.send(id, .client, "GET /cut HTTP/1.1\nHost: example.org\n\n")
        trace.send(id, .server, "HTTP/1.1 200 OK\nContent-Length: 9\n\nabc")
        trace.end(id, .server)
        trace.send(trace.open(), .client, "GET /none HTTP/1.1\nHost: example.org\n\n")
        trace.finish()
        let session = try RecordedSession(path: trace.path)
        let ids = session.exchanges.map(\.id)
        try #require(ids.count == 5)
        let request = try #require(session.message(ids[0], .client))
        #expect(request.value("content-length") == "7")
        #expect(request.body == Array(#"{"v":1}"#.utf8))
        #expect(session.message(ids[0], .server)?.body == Array("fine".utf8))
        #expect(
            session.response(ids[0])
                == RecordedResponse(
                    status: 200, reason: "X",
                    fields: [.init("Content-Type", "text/html"), .init("Content-Length", "4")],
                    body: Array("fine".utf8)))
        #expect(
            session.response(ids[1])
                == RecordedResponse(
                    status: 200, reason: "All  right",
                    fields: [
                        .init("Transfer-Encoding", "chunked"), .init("X-A", "1"), .init("x-a", "2"),
                    ], body: Array("abcde".utf8)))
        #expect(
            session.response(ids[2])
                == RecordedResponse(
                    status: 200, reason: "OK", fields: [.init("Content-Length", "9")], body: []))
        let cut = try #require(session.response(ids[3]))
        #expect(cut.isCut && cut.body == Array("abc".utf8))
        #expect(session.response(ids[4]) == nil && session.message(ids[4], .server) == nil)
        #expect(session.message(ExchangeID(99), .client) == nil)
    }

    @Test func `gives large bodies whole and content codings as they were sent`() throws {
        // Content of the deflate coding in one stored block for each 65,535 bytes.
        let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) }
        var coded: [UInt8] = [0x78, 0x01]
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in body {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        for start in stride(from: 0, to: body.count, by: 65_535) {
            let block = body[start..<min(body.count, start + 65_535)]
            let length = UInt16(block.count)
            coded.append(start + 65_535 >= body.count ? 1 : 0)
            for word in [length, ~length] { coded += [UInt8(word & 0xFF), UInt8(word >> 8)] }
            coded += block
        }
        for word in [b, a] { coded += [UInt8(word >> 8), UInt8(word & 0xFF)] }
        let trace = try SmallTrace()
        let id = trace.open()
        trace.send(id, .client, "POST / HTTP/1.1\nHost: x\nContent-Length: \(body.count)\n\n")
        for start in stride(from: 0, to: body.count, by: 50_000) {
            trace.send(id, .client, Array(body[start..<min(body.count, start + 50_000)]))
        }
        let head = "HTTP/1.1 200 OK\nContent-Encoding: deflate\nContent-Length: \(coded.count)\n\n"
        trace.send(id, .server, head)
        for start in stride(from: 0, to: coded.count, by: 70_000) {
            trace.send(id, .server, Array(coded[start..<min(coded.count, start + 70_000)]))
        }
        trace.finish()
        let session = try RecordedSession(path: trace.path)
        let exchange = try #require(session.exchanges.first)
        #expect(session.message(exchange.id, .client)?.body == body)
        #expect(session.message(exchange.id, .server)?.body == body)
        #expect(session.response(exchange.id)?.body == coded)
    }

    @Test func `lists commands with their ccids and gives their text`() throws {
        let trace = try SmallTrace()
        let id = trace.socket()
        let texts: [(Peer, String)] = [
            (.client, #"0:init:{"app_id":"app","name":"note","clientid":"a","token":"t"}"#),
            (.server, "0:auth:me@example.org"), (.client, "h:0"), (.server, "h:1"),
            (.client, #"0:c:{"clientid":"a","id":"k","o":"M","v":{},"ccid":"x1"}"#),
            (
                .server,
                #"0:c:[{"clientid":"a","id":"k","o":"M","v":{},"ccids":["x1","x2"],"cv":"1"},"#
                    + #"{"clientid":"b","id":"l","o":"-","ccid":"y","cv":"2"}]"#
            ),
        ]
        for (sender, text) in texts { trace.command(id, sender, text) }
        trace.finish()
        let session = try RecordedSession(path: trace.path)
        let commands = session.commands
        #expect(commands.map(\.name) == ["init", "auth", "h", "h", "c", "c"])
        #expect(commands.map(\.sender) == texts.map(\.0))
        #expect(commands.map(\.channel) == [0, 0, nil, nil, 0, 0])
        #expect(commands.map(\.ccids) == [[], [], [], [], ["x1"], ["x1", "x2", "y"]])
        #expect(commands.map { session.text($0.id) } == texts.map { Array($0.1.utf8) })
        #expect(Set(commands.map(\.socket)) == [id] && commands.sockets == [id])
        #expect(session.upgrades == [session.exchanges[0].id: id])
        #expect(
            session.transports == [
                id: RecordedTransport(
                    kind: .webSocket, path: "/sock/1/app/websocket", isDeflated: false)
            ])
        #expect(session.text(CommandID(99)) == nil)
    }

    @Test func `gives commands whole that the trace keeps the beginning of`() throws {
        let trace = try SmallTrace()
        let id = trace.socket()
        trace.command(id, .client, #"0:init:{"name":"note"}"#)
        let long = "0:e:key.1\n" + String(repeating: "abcdefgh", count: 200_000)
        trace.command(id, .server, "0:cv:1")
        trace.command(id, .server, long)
        trace.command(id, .server, "0:cv:2")
        trace.finish()
        let session = try RecordedSession(path: trace.path)
        #expect(session.commands.count == 4)
        #expect(session.text(session.commands[2].id) == Array(long.utf8))
    }

    @Test func `unwraps SockJS and knows deflate`() throws {
        let trace = try SmallTrace()
        let id = trace.socket(
            "/sock/1/app/123/abc/websocket",
            extensions: "Sec-WebSocket-Extensions: permessage-deflate")
        trace.command(id, .server, "o")
        trace.command(id, .client, #"["0:init:{\"name\":\"note\"}","h:0"]"#)
        trace.finish()
        let session = try RecordedSession(path: trace.path)
        try #require(session.commands.map(\.name) == ["init", "h"])
        #expect(
            session.commands.map { session.text($0.id) }[0]
                == Array(#"0:init:{"name":"note"}"#.utf8))
        #expect(
            session.transports[id]
                == RecordedTransport(
                    kind: .sockJS, path: "/sock/1/app/123/abc/websocket", isDeflated: true))
    }

    @Test(
        arguments: [
            ("server closes", 0, 1012, true), ("client closes", 1, 1000, false),
            ("server cuts", 2, nil, true), ("client cuts", 3, nil, false),
            ("nobody", 4, nil, false),
        ] as [(String, Int, Int?, Bool)])
    func `knows who ended a socket`(what: String, kind: Int, code: Int?, byServer: Bool) throws {
        let trace = try SmallTrace()
        let id = trace.socket()
        if kind % 2 == 0 { trace.command(id, .client, "h:0") }
        let other = trace.socket()
        trace.command(other, .client, "h:0")
        let close: [UInt8] = code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? []
        switch kind {
        case 0, 1:
            let first: Peer = kind == 0 ? .server : .client
            trace.message(id, first, close, opcode: 8)
            trace.message(id, first.other, close, opcode: 8)
            trace.end(id, .server)
        case 2: trace.end(id, .server)
        case 3: trace.end(id, .client)
        default: break
        }
        trace.end(id, .client)
        trace.finish()
        let sockets = try RecordedSession(path: trace.path).sockets
        #expect(sockets.map(\.id) == [id, other])
        #expect((sockets[0].end != nil) == byServer)
        #expect(sockets[0].end?.code == (byServer ? code : nil))
        #expect(sockets[1].end == nil)
    }
}
