import Testing
import Wire

@testable import Faults

struct HTTPActionTests {
    @Test func `a local answer is in its place among pipelined ones`() throws {
        let play = try HTTPPlay.run(
            ["path:/b => 503 retry-after=7 body=later"],
            [.client(Talk.get("/a") + Talk.get("/b") + Talk.get("/c"))])
        #expect(play.sent(by: .client) == Talk.get("/a") + Talk.get("/c"))
        let answer =
            "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"
            + "Retry-After: 7\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            + "Content-Length: 5\r\n\r\nlater"
        #expect(
            play.joined.dropFirst(2).dropLast() == [
                .keep(sender: .client, Array(Talk.get("/b").utf8)),
                .answer(Array(answer.utf8), closes: false),
            ])
        let row = try #require(play.faults.first)
        #expect(row.sender == .client)
    }

    @Test(arguments: [
        ("GET /x HTTP/1.0\r\nHost: h\r\n\r\n", true),
        ("GET /x HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\n\r\n", false),
        ("GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", true),
        ("GET /x HTTP/1.1\r\nHost: h\r\n\r\n", false),
    ])
    func `the connection is kept where the request lets it`(text: String, closes: Bool) throws {
        let play = try HTTPPlay.run(["=> 500"], [.client(text)])
        guard case .answer(let bytes, closes) = play.commands.last else {
            Issue.record("\(play.commands)")
            return
        }
        #expect(
            String(decoding: bytes, as: UTF8.self).contains("Connection: close\r\n") == closes)
    }

    @Test(arguments: [
        ("answer", "HTTP/1.1 200 OK\r\n", "OK"),
        ("answer 201 body={} type=application/json", "HTTP/1.1 201 Created\r\n", "{}"),
        ("answer 503 header=\"A: b\"", "\r\nA: b\r\n", "over capacity"),
    ])
    func `an answer of one's own is that of a status`(
        action: String, field: String, body: String
    ) throws {
        let play = try HTTPPlay.run(["=> \(action)"], [.client(Talk.get("/a"))])
        #expect(play.sent(by: .client) == "")
        let text = play.sent(by: .server)
        #expect(text.contains(field) && text.hasSuffix(body), "\(text)")
        let row = try #require(play.faults.first)
        #expect(row.action.hasPrefix("answer"))
        let replaced = try HTTPPlay.run(
            ["=> \(action) forwarded"], [.client(Talk.get("/a")), .server(Talk.ok("theirs"))])
        #expect(replaced.sent(by: .client) == Talk.get("/a"))
        #expect(replaced.sent(by: .server).hasSuffix(body))
    }

    @Test func `an answer to HEAD has its length and no body`() throws {
        let play = try HTTPPlay.run(
            ["=> 404 body=gone"], [.client("HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n")])
        #expect(play.sent(by: .server).hasSuffix("Content-Length: 4\r\n\r\n"))
    }

    @Test(arguments: [
        ("202 progress=5/20 step=4", "text/xml", "done=\"5\" total=\"20\""),
        ("401", "text/plain", "Authorization required"),
        (
            "406 key=k.v message=\"no \\\"way\\\"\"", "application/json",
            #"{"error":"k.v","default_response":"no \"way\""}"#
        ),
        ("412", "text/xml", "nature=\"ota_restore_error\""),
        ("422 message=\"a < b\"", "text/xml", "nature=\"processing_failure\">a &lt; b<"),
        ("429", "text/plain", "Retry-After: 30\r\n"),
        ("503 retry-after=soon", "text/plain", "Retry-After: soon\r\n"),
        ("500", "text/plain", "Internal Server Error"),
    ])
    func `CommCare gets what it reads`(action: String, type: String, part: String) throws {
        let play = try HTTPPlay.run(
            ["api:commcare.restore => \(action)"], [.client(Talk.get(Talk.restorePath))])
        let text = play.sent(by: .server)
        #expect(text.contains("Content-Type: \(type)"))
        #expect(text.contains(part))
        let bytes = Array(text.utf8)
        let end = try #require(
            bytes.indices.first { bytes[$0...].starts(with: Array("\r\n\r\n".utf8)) })
        #expect(text.contains("Content-Length: \(bytes.count - end - 4)\r\n"))
    }

    @Test func `progress grows and ends`() throws {
        let steps = (0..<4).map { _ in Step.client(Talk.get(Talk.restorePath)) }
        let text = try HTTPPlay.run(
            ["api:commcare.restore => 202 progress=5/12 step=4"], steps
        ).sent(by: .server)
        for done in ["5", "9", "12"] { #expect(text.contains("done=\"\(done)\" total=\"12\"")) }
        #expect(text.contains("WWW") == false)
    }

    @Test(arguments: [
        Talk.ok("<a/>"), Talk.chunked, "HTTP/1.1 204 No Content\r\n\r\n",
    ])
    func `the server's answer is replaced whatever its framing`(answer: String) throws {
        let play = try HTTPPlay.run(
            ["path:/a => status 500 forwarded body=x"],
            [
                .client(Talk.get("/a") + Talk.get("/b")), .server(answer + Talk.ok("b")),
            ])
        #expect(play.sent(by: .client) == Talk.get("/a") + Talk.get("/b"))
        let text = play.sent(by: .server)
        #expect(text.hasPrefix("HTTP/1.1 500 "))
        #expect(text.hasSuffix("x" + Talk.ok("b")))
        #expect(play.swallowed == 0)
    }

    @Test(arguments: ["close", "reset", "stall"])
    func `an answer is lost`(how: String) throws {
        let play = try HTTPPlay.run(
            ["=> lose-answer how=\(how)"],
            [.client(Talk.post("/a", "<f/>")), .server(Talk.ok("<a/>"))])
        #expect(play.sent(by: .client) == Talk.post("/a", "<f/>"))
        #expect(play.sent(by: .server).isEmpty)
        #expect(play.isClosed == (how == "close"))
        #expect(play.isReset == (how == "reset"))
        #expect(play.swallowed == (how == "stall" ? 1 : 0))
    }

    @Test func `an answer comes twice`() throws {
        let play = try HTTPPlay.run(
            ["=> answer-twice"], [.client(Talk.get("/a")), .server(Talk.chunked)])
        #expect(play.sent(by: .server) == Talk.chunked + Talk.chunked)
    }

    @Test func `a body ends after so many bytes`() throws {
        let play = try HTTPPlay.run(
            ["=> truncate 7"], [.client(Talk.get("/a")), .server(Talk.chunked)])
        #expect(play.sent(by: .server).hasSuffix("5\r\nhello\r\n6;a=b\r\n w"))
        #expect(play.isClosed)
        let short = try HTTPPlay.run(
            ["=> truncate 11"], [.client(Talk.get("/a")), .server(Talk.chunked)])
        #expect(short.sent(by: .server) == Talk.chunked)
        #expect(!short.isClosed)
    }

    @Test func `bytes of a body become others`() throws {
        let play = try HTTPPlay.run(
            ["=> corrupt at=2 count=2"], [.client(Talk.get("/a")), .server(Talk.ok("abcdef"))])
        let row = try #require(play.faults.first)
        #expect(row.effect == .altered)
        let replaced = play.commands.compactMap { command -> ([UInt8], [UInt8])? in
            guard case .replace(.server, let old, let new) = command else { return nil }
            return (old, new)
        }
        #expect(replaced.map(\.0) == [Array("cd".utf8)])
        #expect(replaced.allSatisfy { $0.count == $1.count && zip($0, $1).allSatisfy { $0 != $1 } })
    }

    @Test func `a length is wrong`() throws {
        let play = try HTTPPlay.run(
            ["=> length -4"], [.client(Talk.get("/a")), .server(Talk.ok("abcdef"))])
        #expect(play.sent(by: .server).contains("Content-Length: 2\r\n"))
        #expect(play.sent(by: .server).hasSuffix("abcdef"))
    }

    @Test func `fields are set and taken away on both sides`() throws {
        let play = try HTTPPlay.run(
            [
                "=> set-header content-type a/b", "=> remove-header HOST sender=client",
                "=> set-header X-New 1 sender=client", "=> content-type c/d",
            ],
            [.client(Talk.get("/a")), .server(Talk.ok("z", "Content-Type: second\r\n"))])
        #expect(play.sent(by: .client) == "GET /a HTTP/1.1\r\nX-New: 1\r\n\r\n")
        #expect(
            play.sent(by: .server)
                == "HTTP/1.1 200 OK\r\nContent-Type: c/d\r\nContent-Length: 1\r\n\r\nz")
        #expect(play.faults.count == 4)
    }

    @Test func `XML is cut in its middle with a length that is right`() throws {
        for answer in [Talk.ok("<a>12345</a>"), chunked("<a>12345</a>")] {
            let play = try HTTPPlay.run(
                ["=> cut-xml 5"], [.client(Talk.get("/a")), .server(answer)])
            let text = play.sent(by: .server)
            #expect(text.contains("Content-Length: 5\r\n"))
            #expect(!text.contains("Transfer-Encoding"))
            #expect(text.hasSuffix("\r\n\r\n<a>12"))
        }
    }

    @Test func `a compressed body is decoded before it is cut`() throws {
        let gzip = GzipSample.bytes
        let head =
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(gzip.count)\r\n\r\n"
        let play = try HTTPPlay.run(
            ["=> cut-xml 8"], [.client(Talk.get("/a")), .server(Array(head.utf8) + gzip)])
        #expect(
            play.sent(by: .server) == "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n<a><b>he")
        let seen = try HTTPPlay.run(
            ["response.body:*hello* => status 500 forwarded"],
            [.client(Talk.get("/a")), .server(Array(head.utf8) + gzip)])
        #expect(seen.sent(by: .server).hasPrefix("HTTP/1.1 500 "))
    }

    @Test(arguments: [false, true])
    func `a request is dropped`(closes: Bool) throws {
        let play = try HTTPPlay.run(
            ["path:/a => drop close=\(closes)"], [.client(Talk.post("/a", "x") + Talk.get("/b"))])
        #expect(play.sent(by: .client).isEmpty)
        #expect(play.sent(by: .server).isEmpty)
        #expect(play.isClosed == closes)
    }

    @Test func `a request goes twice and is answered once`() throws {
        let post = Talk.post("/a", "<f/>")
        let play = try HTTPPlay.run(
            ["path:/a => repeat"],
            [
                .client(post), .server(Talk.ok("one")), .client(Talk.get("/b")),
                .server(Talk.chunked + Talk.ok("b")),
            ])
        #expect(play.sent(by: .client) == post + post + Talk.get("/b"))
        #expect(play.sent(by: .server) == Talk.ok("one") + Talk.ok("b"))
        #expect(play.swallowed == 1)
        #expect(play.commands.contains(.make(sender: .client, Array(post.utf8))))
    }

    @Test func `requests and responses wait`() throws {
        let play = try HTTPPlay.run(
            ["path:/a => latency 2s", "path:/a => latency 300ms sender=server"],
            [.client(Talk.get("/a")), .server(Talk.ok("x"))])
        #expect(
            play.commands.contains(
                .hold(sender: .client, until: Instant(nanoseconds: 3_000_000_000))))
        #expect(
            play.commands.contains(
                .hold(sender: .server, until: Instant(nanoseconds: 1_300_000_000))))
        #expect(play.sent(by: .server) == Talk.ok("x"))
    }

    @Test func `a late answer waits in its turn`() throws {
        let play = try HTTPPlay.run(
            ["path:/a => latency 1s", "=> 503 after=2s"], [.client(Talk.get("/a"))])
        #expect(
            play.commands.contains(
                .hold(sender: .client, until: Instant(nanoseconds: 4_000_000_000))))
    }

    @Test func `connections end, stall and half-close`() throws {
        let steps: [Step] = [.client(Talk.get("/a")), .server(Talk.ok("x"))]
        #expect(try HTTPPlay.run(["path:/a => close"], steps).isClosed)
        #expect(try HTTPPlay.run(["path:/a => reset"], steps).isReset)
        #expect(try HTTPPlay.run(["path:/a => reset"], steps).sent(by: .client).isEmpty)
        let stalled = try HTTPPlay.run(["path:/a => stall sender=server"], steps).commands
        #expect(stalled.contains(.stall(sender: .server)))
        #expect(!stalled.contains(.stall(sender: .client)))
        let half = try HTTPPlay.run(["path:/a => half-close sender=client"], steps)
        #expect(half.commands.contains(.end(sender: .client)))
        #expect(half.sent(by: .client) == Talk.get("/a"))
        #expect(
            try HTTPPlay.run(["path:/a => half-close"], steps).commands.contains(
                .end(sender: .server)))
    }

    @Test func `what is asked for later comes later`() throws {
        var play = try HTTPPlay.run(["path:/a => reset after=2s"], [.client(Talk.get("/a"))])
        #expect(!play.isReset)
        let due = Instant(nanoseconds: 3_000_000_000)
        #expect(play.commands.contains(.wake(at: due)))
        play.gate.wake(at: due, into: &play.commands)
        #expect(play.isReset)
    }

    @Test func `rules about answers change those of other rules`() throws {
        let get = Step.client(Talk.get("/a"))
        let edited = try HTTPPlay.run(
            [
                "path:/a => 503 body=hello retry-after=7", "local:true => set-header X-Kind fault",
                "status:5xx => remove-header Retry-After", "status:200 => set-header X no",
                "status:503 => latency 2s sender=server",
            ], [get])
        let text = edited.sent(by: .server)
        #expect(text.hasPrefix("HTTP/1.1 503 "))
        #expect(text.hasSuffix("X-Kind: fault\r\n\r\nhello"))
        #expect(!text.contains("Retry-After") && !text.contains("X: no"))
        #expect(edited.faults.map(\.rule) == ["rule-0", "rule-1", "rule-2", "rule-4"])
        #expect(edited.faults.allSatisfy { $0.sender == .client })
        #expect(
            edited.commands.contains(
                .hold(sender: .client, until: Instant(nanoseconds: 3_000_000_000))))

        let cut = try HTTPPlay.run(["=> 500 body=hello", "status:500 => truncate 2"], [get])
        guard case .answer(let bytes, closes: true)? = cut.commands.last else {
            Issue.record("\(cut.commands)")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("Content-Length: 5\r\n\r\nhe"))
        let xml = try HTTPPlay.run(
            ["=> 500 body=\"<a><b/></a>\"", "status:500 => cut-xml 3"], [get])
        #expect(xml.sent(by: .server).hasSuffix("Content-Length: 3\r\n\r\n<a>"))
        let twice = try HTTPPlay.run(["=> 500 body=x", "response.body:x => answer-twice"], [get])
        #expect(twice.sent(by: .server).split(separator: "HTTP/1.1 500").count == 2)
    }

    @Test func `rules about an answer change the one in its place`() throws {
        for rules in [
            ["path:/a => 503 forwarded body=x", "path:/a => set-header X-A b"],
            ["path:/a => set-header X-A b", "path:/a => 503 forwarded body=x"],
        ] {
            let play = try HTTPPlay.run(
                rules, [.client(Talk.get("/a")), .server(Talk.ok("<a/>"))])
            let text = play.sent(by: .server)
            #expect(text.hasPrefix("HTTP/1.1 503 ") && text.hasSuffix("X-A: b\r\n\r\nx"))
            #expect(play.faults.count == 2)
            #expect(play.came(from: .server) == Array(Talk.ok("<a/>").utf8))
        }
    }

    @Test func `what ends, or comes once more, later is waited for`() throws {
        let steps: [Step] = [.client(Talk.get("/a")), .server(Talk.ok("x"))]
        func commands(_ action: String) throws -> [GateCommand] {
            try HTTPPlay.run(["path:/a => \(action) after=2s"], steps).commands.filter {
                switch $0 {
                case .hold, .close, .make: true
                default: false
                }
            }
        }
        let due = Instant(nanoseconds: 3_000_000_000)
        let (client, server) = (
            GateCommand.hold(sender: .client, until: due),
            GateCommand.hold(sender: .server, until: due)
        )
        #expect(try commands("drop close") == [client, .close(isReset: false)])
        #expect(try commands("lose-answer") == [server, .close(isReset: false)])
        #expect(try commands("lose-answer how=reset") == [server, .close(isReset: true)])
        #expect(
            try commands("repeat")
                == [client, .make(sender: .client, Array(Talk.get("/a").utf8))])
        #expect(
            try commands("answer-twice")
                == [server, .make(sender: .server, Array(Talk.ok("x").utf8))])
    }

    @Test func `shaping is left to the shaper`() throws {
        var play = try HTTPPlay.run(["path:/a => bandwidth 100"], [.client(Talk.get("/a"))])
        #expect(play.gate.takeShaping().map(\.action.kind) == [.bandwidth])
        #expect(play.gate.takeShaping().isEmpty)
        #expect(play.faults.count == 1)
    }

    @Test func `a client that waits to go on is closed behind an answer of ours`() throws {
        let head =
            "POST /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
        let refused = try HTTPPlay.run(["=> 503"], [.client(head)])
        #expect(refused.sent(by: .server).contains("Connection: close\r\n"))
    }

    @Test func `rules read forms, devices and natures`() throws {
        let form =
            "<data xmlns=\"http://example.org/form\"><meta><instanceID>uuid:9</instanceID></meta>"
            + "</data>"
        let answer =
            "<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\">"
            + "<message nature=\"submit_success\">ok</message></OpenRosaResponse>"
        let steps: [Step] = [
            .client(Talk.post("/a/demo/receiver/", form, "X-OpenRosa-DeviceID: phone-1\r\n")),
            .server(Talk.ok(answer)),
        ]
        for filter in [
            "instance:uuid:9", "nature:submit_success", "device:phone-1 status:200",
            "api:commcare.submit host:hq.example port:80", "request.body:*uuid* status:200",
            "outcome:complete request.size:>10 response.header.content-type:text/xml",
        ] {
            let play = try HTTPPlay.run(["\(filter) => set-header X y"], steps)
            #expect(play.faults.count == 1, "\(filter)")
            #expect(play.sent(by: .server).contains("X: y\r\n"), "\(filter)")
        }
        let scope = try HTTPPlay.run(
            ["api:commcare.submit => set-header X y per=client"], steps
        ).faults.first?.scope
        #expect(scope == "phone-1")
    }

    private func chunked(_ body: String) -> String {
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            + body.map { "1\r\n\($0)\r\n" }.joined() + "0\r\n\r\n"
    }
}
