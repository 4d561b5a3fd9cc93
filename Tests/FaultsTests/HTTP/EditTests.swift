import Framing
import Testing
import Wire

@testable import Faults

/// Changes of messages by what they mean, without sockets.
struct EditTests {
    @Test(
        arguments: [
            (
                "=> edit json /v 2", #"{"v":1, "w":[]}"#, "", #"{"v":2, "w":[]}"#
            ),
            ("=> edit json /name Anna", #"{}"#, "", #"{"name":"Anna"}"#),
            (#"=> edit json /n '"5"'"#, #"{"n":5}"#, "", #"{"n":"5"}"#),
            ("=> edit json-remove /v", #"{"v":1,"w":2}"#, "", #"{"w":2}"#),
            ("=> edit replace 'o+' 0", "foo boo", "", "f0 b0"),
            (#"=> edit replace '(\w+)=(\w+)' '$2: $1$$'"#, "a=1 b=22", "", "1: a$ 22: b$"),
            (
                "=> edit xml /a/b[2] 'x<y'", "<a><b>1</b><b>2</b></a>", "",
                "<a><b>1</b><b>x&lt;y</b></a>"
            ),
            ("=> edit xml //b/@c new", "<a><b c='1' d='2'/></a>", "", "<a><b c='new' d='2'/></a>"),
        ], HTTPPlay.Cuts.allCases)
    func `the body of an answer`(
        each: (rule: String, body: String, fields: String, expected: String), cuts: HTTPPlay.Cuts
    ) throws {
        let play = try HTTPPlay.run(
            [each.rule], [.client(Talk.get("/a")), .server(Talk.ok(each.body))], cuts)
        #expect(play.sent(by: .client) == Talk.get("/a"))
        #expect(play.sent(by: .server) == Talk.ok(each.expected))
        #expect(play.came(from: .server) == Array(Talk.ok(each.body).utf8))
        let row = try #require(play.faults.first)
        #expect(row.problem == nil && row.effect == .altered && row.sender == .server)
    }

    @Test(arguments: HTTPPlay.Cuts.allCases)
    func `a chunked body gets a length`(cuts: HTTPPlay.Cuts) throws {
        let play = try HTTPPlay.run(
            ["=> edit replace world you"], [.client(Talk.get("/a")), .server(Talk.chunked)], cuts)
        #expect(
            play.sent(by: .server)
                == "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello you")
    }

    @Test(arguments: ContentCoding.allCases)
    func `a coded body stays in its coding`(coding: ContentCoding) throws {
        let before = StoredCoding.encode(Array(#"{"v":1}"#.utf8), [coding], isWhole: true)
        let head =
            "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding.rawValue)\r\n"
            + "Content-Length: \(before.count)\r\n\r\n"
        let play = try HTTPPlay.run(
            ["=> edit json /v 22"],
            [.client(Talk.get("/a")), .server(Array(head.utf8) + before)])
        let after = StoredCoding.encode(Array(#"{"v":22}"#.utf8), [coding], isWhole: true)
        let sent = play.commands.compactMap { command -> [UInt8]? in
            if case .replace(.server, _, let bytes) = command { bytes } else { nil }
        }.joined()
        #expect(Array(sent.suffix(after.count)) == after)
        let text = String(decoding: sent, as: UTF8.self)
        #expect(text.contains("Content-Encoding: \(coding.rawValue)\r\n"))
        #expect(text.contains("Content-Length: \(after.count)\r\n"))
    }

    @Test func `a form and its fields`() throws {
        let body = "a=1&b=two+words&a=3"
        let post =
            "POST /f HTTP/1.1\r\nHost: hq.example\r\n"
            + "Content-Type: application/x-www-form-urlencoded\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        let play = try HTTPPlay.run(
            ["=> edit form a 'x&y'", "=> edit form c new"], [.client(post)])
        let sent = play.sent(by: .client)
        #expect(sent.hasSuffix("\r\n\r\na=x%26y&b=two+words&a=x%26y&c=new"))
        #expect(sent.contains("Content-Length: 33\r\n"))
        #expect(play.faults.map(\.sender) == [.client, .client])
    }

    @Test(arguments: [
        ("=> edit query v 2", "/a?v=1&w=x%20y", "/a?v=2&w=x%20y"),
        ("=> edit query v 2", "/a", "/a?v=2"),
        ("=> edit path /b/c", "/a?v=1", "/b/c?v=1"),
        ("=> edit path '^/api/v1/(.*)' '/v2/$1'", "/api/v1/x/y?v=1", "/v2/x/y?v=1"),
        ("=> edit path o 0", "http://other.example:8/foo?o=o", "http://other.example:8/f00?o=o"),
        ("=> edit path /b", "http://other.example:8/a/x?v=1", "http://other.example:8/b?v=1"),
    ])
    func `the target of a request`(rule: String, target: String, expected: String) throws {
        let play = try HTTPPlay.run([rule], [.client(Talk.get(target))])
        #expect(play.sent(by: .client) == Talk.get(expected))
    }

    @Test func `the form of a submission in several parts`() throws {
        func body(_ name: String) -> String {
            "--b\r\nContent-Disposition: form-data; name=\"photo.jpg\"; filename=\"photo.jpg\"\r\n\r\n"
                + "<name>1</name>\r\n--b\r\nContent-Disposition: form-data; "
                + "name=\"xml_submission_file\"; filename=\"f.xml\"\r\nContent-Type: text/xml\r\n\r\n"
                + "<data xmlns=\"http://x\">\n <name>\(name)</name>\n</data>\r\n--b--\r\n"
        }
        func post(_ body: String) -> String {
            "POST /receiver HTTP/1.1\r\nHost: hq.example\r\n"
                + "Content-Type: multipart/form-data; boundary=b\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
        let play = try HTTPPlay.run(
            ["=> edit xml /data/name Anna sender=client"], [.client(post(body("1")))])
        #expect(play.sent(by: .client) == post(body("Anna")))
        let other = try HTTPPlay.run(
            ["=> edit xml /data/name Anna sender=client"],
            [.client(post("--b\r\n\r\nx\r\n--b--\r\n"))])
        #expect(other.faults.first?.problem == "no part is called xml_submission_file")
    }

    @Test(arguments: [("=> edit path a b", "/a", "/b"), ("=> edit path . ''", "/a", "/a")])
    func `a path that is none afterwards stays`(
        rule: String, target: String, expected: String
    ) throws {
        let play = try HTTPPlay.run([rule], [.client(Talk.get(target))])
        #expect(play.sent(by: .client) == Talk.get(expected))
        #expect(play.faults.map { $0.problem == nil } == [target != expected])
    }

    @Test func `the head of an answer`() throws {
        let play = try HTTPPlay.run(
            ["=> edit status 418", "=> edit header X-A b", "=> add-header Set-Cookie 'c=2'"],
            [.client(Talk.get("/a")), .server(Talk.ok("x", "Set-Cookie: a=1\r\n"))])
        #expect(
            play.sent(by: .server)
                == "HTTP/1.1 418 Injected\r\nContent-Type: text/xml\r\nContent-Length: 1\r\n"
                + "Set-Cookie: a=1\r\nX-A: b\r\nSet-Cookie: c=2\r\n\r\nx")
        #expect(play.faults.count == 3)
    }

    @Test(arguments: [
        ("=> edit json /a/b 1", #"{"a":1}"#, "the JSON has nothing at /a/b"),
        ("=> edit json /a 1", #"{"a":1}"#, "the body is the same with it"),
        ("=> edit json /a 1", "no", "the body is not JSON"),
        ("=> edit json /a 1", "", "the message has no body"),
        ("=> edit replace x y", "no", "the body is the same with it"),
        ("=> edit xml /a/c x", "<a><b/></a>", "the XML has nothing at this path"),
        ("=> edit xml /a x", "<a><b/></a>", "<a> has elements in it"),
        ("=> edit xml /a x", "<a><b></a>", "the body is not XML"),
        ("=> edit xml /a x", "<!DOCTYPE a><a>1</a>", "the body is not XML: document type"),
    ])
    func `what cannot be done is stated, and the message passes`(
        rule: String, body: String, problem: String
    ) throws {
        let play = try HTTPPlay.run([rule], [.client(Talk.get("/a")), .server(Talk.ok(body))])
        #expect(play.sent(by: .server) == Talk.ok(body))
        let row = try #require(play.faults.first)
        #expect(row.problem?.hasPrefix(problem) == true, "\(row)")
    }

    @Test(arguments: [
        (
            "=> edit json /v 2", "ETag: \"a\"\r\nDigest: x\r\n",
            "ETag, Digest no longer fit the message"
        ),
        ("=> edit json /v 2", "ETag: W/\"a\"\r\n", nil),
        ("=> edit header X-A b", "Content-MD5: x\r\n", nil),
        ("=> edit header X-A b", "Signature: x\r\n", "Signature no longer fits the message"),
        ("=> edit header Signature b", "Signature: x\r\n", nil),
        ("=> edit json /v 1", "Content-MD5: x\r\n", nil),
    ])
    func `what no longer fits is named`(rule: String, fields: String, detail: String?) throws {
        let play = try HTTPPlay.run(
            [rule], [.client(Talk.get("/a")), .server(Talk.ok(#"{"v":1}"#, fields))])
        #expect(play.faults.map(\.detail) == [detail])
    }

    @Test func `a signed request that is sent elsewhere`() throws {
        let request = Talk.get("/a", "Authorization: AWS4-HMAC-SHA256 Credential=c\r\n")
        let play = try HTTPPlay.run(
            ["=> map http://b.example", "=> edit query a b"], [.client(request)])
        #expect(
            play.faults.map(\.detail)
                == Array(repeating: "Authorization no longer fits the message", count: 2))
    }

    @Test func `an edited restore is another state`() throws {
        let play = try HTTPPlay.run(
            ["=> edit replace a b"], [.client(Talk.get(Talk.restorePath)), .server(Talk.ok("a"))])
        #expect(play.faults.first?.detail?.contains("state hash") == true)
    }

    @Test(arguments: ["text/event-stream", "Multipart/X-Mixed-Replace; boundary=b"])
    func `an event stream is not held up`(type: String) throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n"
        let play = try HTTPPlay.run(
            ["=> edit json /a b", "body~a => edit header X-A b", "=> edit header X-B c"],
            [.client(Talk.get("/a")), .server(head + "1\r\na\r\n")])
        let sent = play.sent(by: .server)
        #expect(sent.hasSuffix("X-B: c\r\n\r\n1\r\na\r\n") && !sent.contains("X-A"), "\(sent)")
        #expect(play.faults.map(\.problem) == [HTTPGate.eventStream, nil])
    }

    @Test(arguments: [
        (
            "=> redirect https://x.example/y",
            "HTTP/1.1 307 Temporary Redirect\r\nLocation: https://x.example/y\r\n"
        ),
        ("=> redirect /y code=301", "HTTP/1.1 301 Moved Permanently\r\nLocation: /y\r\n"),
        ("=> block", "HTTP/1.1 403 Forbidden\r\n"), ("=> block 404", "HTTP/1.1 404 Not Found\r\n"),
    ])
    func `a request is answered and the server does not have it`(
        rule: String, start: String
    ) throws {
        let play = try HTTPPlay.run([rule], [.client(Talk.get("/a"))])
        #expect(play.sent(by: .client) == "")
        let text = play.sent(by: .server)
        #expect(text.hasPrefix(start), "\(text)")
        #expect(text.hasSuffix("Content-Length: 0\r\n\r\n"), "\(text)")
    }

    @Test(arguments: [
        "=> edit json v 1", "=> edit json /v", "=> edit json-remove /v 1", "=> edit replace '(' x",
        "=> edit status 99", "=> edit status x", "=> edit path b", "=> edit path /b?c",
        "=> edit header 'a b' c", "=> edit query v 1 sender=server", "=> edit body x",
        "=> edit status 200 sender=client", "=> edit replace a $1", "=> edit path '(' /",
        "=> edit path a 'b c'", "=> edit xml a b", "=> edit xml /a[0] b",
        "=> edit xml '/a[@b=c]' d",
        "=> edit xml /a", "=> edit xml /a/@b/c d",
    ])
    func `an edit that makes no sense is refused with its plan`(rule: String) {
        #expect(throws: FaultPlanError.self) { try FaultRule.parse(rule, named: "rule") }
    }
}

/// Requests that are sent to another server.
struct MapTests {
    @Test(arguments: HTTPPlay.Cuts.allCases)
    func `the head comes in one piece behind its route`(cuts: HTTPPlay.Cuts) throws {
        let play = try HTTPPlay.run(
            ["path:/b => map https://other.example:8443"],
            [.client(Talk.get("/a") + Talk.post("/b", "body") + Talk.get("/c"))], cuts)
        #expect(play.sent(by: .client) == Talk.get("/a") + Talk.post("/b", "body") + Talk.get("/c"))
        let server = GateContext.Server(host: "other.example", port: 8443, isTLS: true)
        let place = try #require(play.commands.firstIndex(of: .route(to: server)))
        let head = Array(Talk.post("/b", "").replacing("Length: 0", with: "Length: 4").utf8)
        #expect(play.commands[place + 1] == .replace(sender: .client, head, by: head))
        #expect(play.faults.map(\.problem) == [nil])
    }

    @Test func `a tunnel is not mapped`() throws {
        let play = try HTTPPlay.run(
            ["=> map http://127.0.0.1:1"],
            [.client("CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n")])
        #expect(play.faults.first?.problem?.contains("tunnel") == true)
        #expect(!play.commands.contains { if case .route = $0 { true } else { false } })
    }

    @Test(arguments: ["=> map other", "=> map https://a.example/path", "=> map ftp://a.example"])
    func `what is no server is refused with its plan`(rule: String) {
        #expect(throws: FaultPlanError.self) { try FaultRule.parse(rule, named: "rule") }
    }
}
