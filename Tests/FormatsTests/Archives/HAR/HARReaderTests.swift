import Foundation
import Testing
import Trace
import TraceWorld
import Wire

@testable import Formats

@Suite("Reading HTTP archives") struct HARReaderTests {
    private static let second: Int64 = 1_000_000_000
    private static let start: Int64 = 1_704_067_200_000_000_000

    /// After devtools-frontend, `HARLog` and `HARWriter`: names in lower case and fields of HTTP/2,
    /// sizes of -1, `_` members, repeated fields joined by line breaks, WebSocket messages.
    @Test("of Chrome") func chrome() throws {
        let reader = try HARReader(
            bytes: Array(
                """
                {
                  "log": {
                    "version": "1.2",
                    "creator": { "name": "WebInspector", "version": "537.36" },
                    "pages": [ { "startedDateTime": "2024-01-01T00:00:00.000Z", "id": "page_1",
                      "title": "https://example.org/", "pageTimings": { "onLoad": 12.5 } } ],
                    "entries": [
                      { "_connectionId": "45", "_initiator": { "type": "script",
                          "stack": { "callFrames": [ { "url": "https://example.org/a.js" } ] } },
                        "_priority": "High", "_resourceType": "fetch", "cache": {},
                        "connection": "443", "pageref": "page_1",
                        "request": { "method": "POST", "url": "https://example.org/api?a=b%20c#f",
                          "httpVersion": "http/2.0",
                          "headers": [ { "name": ":authority", "value": "example.org" },
                            { "name": ":method", "value": "POST" },
                            { "name": "content-type", "value": "application/json" } ],
                          "queryString": [ { "name": "a", "value": "b%20c" } ], "cookies": [],
                          "headersSize": -1, "bodySize": 8,
                          "postData": { "mimeType": "application/json", "text": "{\\"a\\":1}" } },
                        "response": { "status": 200, "statusText": "", "httpVersion": "http/2.0",
                          "headers": [ { "name": "content-encoding", "value": "br" },
                            { "name": "content-type", "value": "application/json" },
                            { "name": "set-cookie", "value": "a=1; Path=/\\nb=2" } ],
                          "cookies": [], "content": { "size": 4, "mimeType": "application/json",
                            "text": "{ }\\n" }, "redirectURL": "", "headersSize": -1,
                          "bodySize": -1, "_transferSize": 230, "_error": null },
                        "serverIPAddress": "[2001:db8::1]",
                        "startedDateTime": "2024-01-01T00:00:01.000Z", "time": 14.5,
                        "timings": { "blocked": 1.5, "dns": -1, "ssl": -1, "connect": -1,
                          "send": 0.5, "wait": 10, "receive": 2.5, "_blocked_queueing": 1 } },
                      { "_fromCache": "disk", "request": { "method": "GET",
                          "url": "https://example.org/logo.png", "headers": [] },
                        "response": { "status": 200, "headers": [] },
                        "startedDateTime": "2024-01-01T00:00:02.000Z", "time": 0 },
                      { "request": { "method": "GET", "url": "data:image/png;base64,AAAA" },
                        "response": { "status": 200 },
                        "startedDateTime": "2024-01-01T00:00:02.500Z", "time": 0 },
                      { "request": { "method": "GET", "url": "https://ads.example.org/" ,
                          "headers": [] },
                        "response": { "status": 0, "statusText": "", "headers": [],
                          "content": { "size": 0, "mimeType": "x-unknown" },
                          "_error": "net::ERR_BLOCKED_BY_CLIENT" },
                        "startedDateTime": "2024-01-01T00:00:03.000Z", "time": 0.4 }
                    ] } }
                """.utf8), name: "a.har")
        #expect(reader.creator == "WebInspector 537.36")
        #expect(reader.entries == 4)
        #expect(
            reader.leftOut == [
                "answered from the browser's cache": 1, "of other schemes than http and ws": 1,
            ])
        let exchanges = try HARs.exchanges(of: reader)
        try #require(exchanges.count == 2)
        let first = exchanges[0]
        #expect(first.method == "POST" && first.url == "https://example.org/api?a=b%20c")
        #expect(first.startedUnixNanoseconds == Self.start + Self.second + 1_500_000)
        #expect(first.requestEndedUnixNanoseconds - first.startedUnixNanoseconds == 500_000)
        #expect(first.endedUnixNanoseconds == Self.start + Self.second + 14_500_000)
        #expect(first.server == "2001:db8::1" && first.connection == "443")
        let wire = HARs.wire(first)
        #expect(
            wire.request == """
                POST /api?a=b%20c HTTP/1.1\r
                Host: example.org\r
                content-type: application/json\r
                Content-Length: 7\r
                \r
                {"a":1}
                """)
        #expect(
            wire.response == """
                HTTP/1.1 200 \r
                content-type: application/json\r
                set-cookie: a=1; Path=/\r
                set-cookie: b=2\r
                \r
                { }\n
                """)
        #expect(wire.events.contains("opened [2001:db8::1]:443"))
        #expect(wire.events.contains { $0.hasPrefix("warning Content-Encoding br was left out") })
        #expect(wire.times == wire.times.sorted())
        let blocked = HARs.wire(exchanges[1])
        #expect(blocked.response.isEmpty)
        #expect(blocked.events.last == "closed net::ERR_BLOCKED_BY_CLIENT")
    }

    @Test("of Chrome with a WebSocket") func webSocket() throws {
        let exchange = try HARs.exchange(
            HARs.entry(
                url: "wss://example.org/socket",
                request:
                    #""headers":[{"name":"Sec-WebSocket-Key","value":"dGhlIHNhbXBsZSBub25jZQ=="}]"#,
                response: #""status":101,"statusText":"Switching Protocols","headers":[]"#,
                more: """
                    "time":5000,"timings":{"send":0,"wait":10,"receive":4990},
                    "_webSocketMessages":[
                      {"type":"send","time":1704067200.5,"opcode":1,"data":"héllo"},
                      {"type":"receive","time":1704067201.25,"opcode":2,"data":"AAEC/w=="},
                      {"type":"receive","time":1704067201.125,"opcode":2,"data":"not base64!"},
                      {"type":"error","time":1704067202,"opcode":-1,"data":"Close received"}]
                    """))
        #expect(exchange.messages.map(\.opcode) == [1, 2, 2])
        #expect(exchange.messages.map(\.sender) == [.client, .server, .server])
        #expect(exchange.messages[0].payload == Array("héllo".utf8))
        #expect(exchange.messages[1].payload == [0, 1, 2, 0xFF])
        #expect(exchange.messages[0].atUnixNanoseconds == Self.start + Self.second / 2)
        #expect(exchange.messages[2].atUnixNanoseconds == exchange.messages[1].atUnixNanoseconds)
        #expect(exchange.oddities.count == 2)
        #expect(exchange.error == "Close received")
        let wire = HARs.wire(exchange)
        #expect(wire.request.contains("Upgrade: websocket\r\n"))
        #expect(wire.response.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
        #expect(wire.answered.suffix(19).prefix(4) == [0x82, 4, 0, 1])
        #expect(wire.events.contains { $0.hasPrefix("tls ") })
    }

    /// After WebKit's `HARBuilder.js`: methods and dates may be empty, `_fetchType`, no messages.
    @Test("of Safari") func safari() throws {
        let reader = try HARReader(
            bytes: Array(
                HARs.archive(
                    """
                    {"pageref":"page_0","startedDateTime":"","time":0,
                     "request":{"method":"","url":"http://example.org/first","httpVersion":"",
                       "cookies":[],"headers":[],"queryString":[],"headersSize":-1,"bodySize":-1},
                     "response":{"status":0,"statusText":"","httpVersion":"","cookies":[],
                       "headers":[],"content":{"size":0,"compression":0,"mimeType":"x-unknown"},
                       "redirectURL":"","headersSize":-1,"bodySize":-1,
                       "_error":"The network connection was lost."},
                     "cache":{},"timings":{"blocked":-1,"dns":-1,"connect":-1,"ssl":-1,"send":0,
                       "wait":0,"receive":0}}
                    """,
                    HARs.entry(
                        second: 5, more: #""time":1,"_fetchType":"Network Load","connection":"7""#),
                    HARs.entry(second: 6, more: #""time":1,"_fetchType":"Memory Cache""#),
                    creator: #""name":"WebKit Web Inspector","version":"1.0""#
                ).utf8), name: "a.har")
        #expect(reader.leftOut == ["answered from the browser's cache": 1])
        let exchanges = try HARs.exchanges(of: reader)
        try #require(exchanges.count == 2)
        // What does not tell when it began counts as begun with the first that does.
        #expect(exchanges[0].startedUnixNanoseconds == Self.start + 5 * Self.second)
        #expect(exchanges[0].method == "GET" && exchanges[0].response == nil)
        #expect(exchanges[0].oddities.count == 2)
        #expect(exchanges[1].connection == "7")
    }

    /// After Charles' exports: offsets in times, base64 bodies, timings without some members.
    @Test("of Charles and Firefox") func charles() throws {
        let text = HARs.archive(
            """
            {"startedDateTime":"2024-01-01T02:00:00.250+02:00","time":30,"request":{"method":"GET",
              "url":"http://example.org/logo","httpVersion":"HTTP/1.0","cookies":[],
              "headers":[{"name":"Host","value":"example.org"}],"queryString":[],
              "headersSize":40,"bodySize":0},
             "response":{"status":"200","statusText":"OK","httpVersion":"HTTP/1.0","cookies":[],
              "headers":[{"name":"Content-Length","value":"999"}],
              "content":{"size":3,"mimeType":"image/gif","text":"AP8A","encoding":"base64"},
              "redirectURL":null,"headersSize":20,"bodySize":999},
             "serverIPAddress":"192.0.2.7","cache":{},"timings":{"send":10,"wait":10,"receive":10}}
            """)
        // A byte-order mark, as some editors put there.
        let exchange = try HARs.exchanges("\u{FEFF}" + text)[0]
        #expect(exchange.startedUnixNanoseconds == Self.start + Self.second / 4)
        #expect(exchange.response?.body == [0, 0xFF, 0])
        let wire = HARs.wire(exchange)
        #expect(wire.request == "GET /logo HTTP/1.0\r\nHost: example.org\r\n\r\n")
        #expect(
            wire.answered == Array("HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\n".utf8)
                + [0, 0xFF, 0])
        #expect(wire.times.max() == 30_000_000)
    }

    /// After Insomnia's `har.ts`: no `pages`, forms as parameters without text or boundary.
    @Test("of Insomnia") func insomnia() throws {
        let exchange = try HARs.exchange(
            HARs.entry(
                method: "POST",
                request: """
                    "headers":[{"name":"Content-Type","value":"multipart/form-data"}],
                    "postData":{"mimeType":"multipart/form-data","params":[
                      {"name":"a\\"b","value":"1"},{"name":"file","fileName":"f.xml"}]},
                    "bodySize":-1
                    """, more: #""time":7,"timings":{"blocked":-1,"send":0,"wait":7,"receive":0}"#))
        let wire = HARs.wire(exchange)
        #expect(
            wire.request.hasSuffix(
                """
                Content-Type: multipart/form-data; boundary=tapedeck-archived-form\r
                Content-Length: 198\r
                \r
                --tapedeck-archived-form\r
                Content-Disposition: form-data; name="a%22b"\r
                \r
                1\r
                --tapedeck-archived-form\r
                Content-Disposition: form-data; name="file"; filename="f.xml"\r
                \r
                \r
                --tapedeck-archived-form--\r

                """))
        #expect(exchange.oddities.count == 1)
    }

    /// After HTTP Toolkit's `har.ts`: binary requests in `_content`, who closed is not told.
    @Test("of HTTP Toolkit and mitmproxy") func toolkit() throws {
        let exchanges = try HARs.exchanges(
            HARs.archive(
                HARs.entry(
                    method: "PUT",
                    request: """
                        "headers":{"Content-Type":"application/octet-stream"},"bodySize":4,
                        "_requestBodyStatus":"discarded:not-representable",
                        "_content":{"text":"//4AAQ==","size":4,"encoding":"base64"}
                        """),
                HARs.entry(
                    second: 1, method: "PUT",
                    request: """
                        "headers":[],"bodySize":900000,"_requestBodyStatus":"discarded:too-large"
                        """),
                HARs.entry(
                    second: 2, url: "ws://example.org/", response: #""status":101,"headers":[]"#,
                    more: """
                        "time":1,"_webSocketMessages":[
                          {"type":"receive","opcode":8,"time":1704067203.5,"data":"A+g="}],
                        "_webSocketClose":{"code":1000,"reason":"bye","timestamp":1704067204}
                        """)))
        #expect(exchanges[0].request.body == [0xFF, 0xFE, 0, 1])
        #expect(exchanges[1].request.missing == 900_000)
        #expect(HARs.wire(exchanges[1]).missing == 900_000)
        #expect(exchanges[2].messages.first?.payload == [3, 0xE8])
        #expect(exchanges[2].error == "closed with 1000: bye")
        #expect(exchanges[2].endedUnixNanoseconds == Self.start + 4 * Self.second)
    }

    // MARK: Bodies

    @Test("with lengths that lie and bodies that are missing") func lies() throws {
        func response(_ content: String, fields: String = "") throws -> ArchivedExchange {
            try HARs.exchange(
                HARs.entry(
                    response: #""status":200,"headers":[\#(fields)],"content":{\#(content)}"#))
        }
        let missing = try response(#""size":1234,"mimeType":"text/html""#)
        #expect(missing.response?.missing == 1_234)
        let wire = HARs.wire(missing)
        #expect(wire.response == "HTTP/1.1 200 \r\nContent-Length: 1234\r\n\r\n")
        #expect(wire.missing == 1_234)
        let upload = try HARs.exchange(
            HARs.entry(
                method: "PUT",
                request: #""bodySize":0,"headers":[{"name":"content-length","value":"77"}]"#))
        #expect(upload.request.missing == 77)
        let lying = try response(#""size":10,"text":"hello""#)
        #expect(lying.response?.body == Array("hello".utf8) && lying.oddities.count == 1)
        let latin = try response(
            #""size":4,"text":"fête""#,
            fields: #"{"name":"Content-Type","value":"text/plain; charset=ISO-8859-1"}"#)
        #expect(latin.response?.body == [0x66, 0xEA, 0x74, 0x65] && latin.oddities.isEmpty)
        let lone = try response(#""size":-1,"text":"a\ud800b""#)
        #expect(lone.response?.body == Array("a\u{FFFD}b".utf8))
        let raw = try response(
            #""size":4,"text":"H4sIAA==","encoding":"base64""#,
            fields: #"{"name":"Content-Encoding","value":"gzip"}"#)
        #expect(raw.response?.isDecoded == false)
        #expect(HARs.wire(raw).response.contains("Content-Encoding: gzip\r\n"))
        let broken = try response(#""size":3,"text":"%%%","encoding":"base64""#)
        #expect(broken.response?.body == Array("%%%".utf8) && broken.oddities.count == 1)
    }

    @Test("whose answers cannot have had a body") func bodiless() throws {
        for (method, status) in [("HEAD", 200), ("GET", 304), ("GET", 204)] {
            let exchange = try HARs.exchange(
                HARs.entry(
                    method: method,
                    response: """
                        "status":\(status),"headers":[{"name":"content-length","value":"5"}],
                        "content":{"size":5,"text":"hello"}
                        """))
            let wire = HARs.wire(exchange)
            #expect(wire.response.hasSuffix("\r\n\r\n"))
            #expect(wire.response.contains("content-length") == (status != 204))
            #expect(wire.events.contains { $0.contains("cannot have been sent") })
        }
    }

    @Test("with chunks keeps them") func chunked() throws {
        let exchange = try HARs.exchange(
            HARs.entry(
                response: """
                    "status":200,"content":{"size":5,"text":"hello"},"headers":[
                      {"name":"Transfer-Encoding","value":"chunked"},
                      {"name":"Content-Length","value":"77"}]
                    """))
        #expect(
            HARs.wire(exchange).response
                == "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
    }

    @Test("does not let fields make lines") func injection() throws {
        let exchange = try HARs.exchange(
            HARs.entry(
                method: "GET / HTTP/1.1\\r\\nX: y",
                url: "http://user:pw@EXAMPLE.org:8080/a b\\u00e9",
                request: """
                    "headers":[{"name":"A: b\\r\\nC","value":"1"},{"name":"D","value":"1\\r\\nE: 2"},
                      {"name":"","value":"x"},{"value":"y"},{"name":"F"}]
                    """))
        let wire = HARs.wire(exchange)
        #expect(
            wire.request == """
                GET/HTTP/1.1X:y /a%20b%C3%A9 HTTP/1.1\r
                Host: example.org:8080\r
                D: 1\r
                D: E: 2\r
                F: \r
                \r

                """)
        #expect(wire.events.count { $0.contains("invalid name") } == 2)
    }

    // MARK: Files

    @Test("in order of time, each once") func order() throws {
        let entries = [9, 3, 7, 3, 1].map {
            HARs.entry(second: $0, url: "http://example.org/\($0)")
        }
        let text =
            #"{"log":{"entries":["# + entries.joined(separator: " ,\n ")
            + #"],"comment":"]}{","creator":{"name":"y"}}}"#
        let reader = try HARReader(bytes: Array(text.utf8), name: "a.har")
        #expect(reader.creator == "y")
        let seconds = try HARs.exchanges(of: reader).map { $0.url.suffix(1) }
        #expect(seconds == ["1", "3", "3", "7", "9"])
        #expect(reader.startedUnixNanoseconds == Self.start + Self.second)
    }

    @Test("refuses what is none, and says what it is") func refusals() throws {
        let whole = HARs.archive(HARs.entry(), HARs.entry(second: 1))
        let cut = Array(whole.utf8.prefix(whole.utf8.count - 60))
        for (bytes, detail) in [
            (Array("".utf8), "empty"), (Array("SQLite format 3\0".utf8), "SQLite"),
            ([0xD4, 0xC3, 0xB2, 0xA1, 2, 0], "pcap"), (Array("PK\u{3}\u{4}".utf8), "ZIP"),
            (Array("<html>".utf8), "XML"), (Array("1234:8:version".utf8), "mitmproxy"),
            (Array(#"{"info":{},"item":[]}"#.utf8), "Postman"),
            (Array(#"[{"method":"GET","host":"x"}]"#.utf8), "Charles"),
            (Array(#"{"log":{}}"#.utf8), "log.entries"), (Array("hello".utf8), "not JSON"),
            (cut, "byte \(cut.count)"), (Array((whole + "x").utf8), "byte \(whole.utf8.count)"),
            (Array(HARs.archive(#"{"request":nul}"#).utf8), "at byte"),
        ] as [([UInt8], String)] {
            let error = #expect(throws: FileError.self) {
                try HARReader(bytes: bytes, name: "a.har")
            }
            #expect(error?.code == .malformed)
            #expect(error?.reason.contains(detail) == true, "\(detail): \(error?.reason ?? "")")
            #expect(error?.reason.hasPrefix("a.har") == true)
        }
    }

    @Test("from a file, in UTF-16 as well") func files() throws {
        let world = try TraceWorld()
        let text = HARs.archive(HARs.entry(url: "http://example.org/ü"))
        try Data(text.utf8).write(to: URL(fileURLWithPath: world.path("8.har")))
        var wide: [UInt8] = [0xFF, 0xFE]
        for unit in text.utf16 { wide += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        try Data(wide).write(to: URL(fileURLWithPath: world.path("16.har")))
        for name in ["8.har", "16.har"] {
            let found = try HARs.exchanges(of: HARReader(path: world.path(name)))
            #expect(found.map(\.url) == ["http://example.org/ü"])
        }
        for path in [world.path("no.har"), world.directory] {
            #expect(throws: FileError(.cannotOpen, "")) { try HARReader(path: path) }
        }
        // A byte of Latin-1 in the middle.
        var bytes = Array(text.utf8)
        bytes.replace([0xC3, 0xBC], with: [0xFC])
        let found = try HARs.exchanges(of: HARReader(bytes: bytes, name: "a.har"))
        #expect(found.first?.oddities.count == 1)
    }
}
