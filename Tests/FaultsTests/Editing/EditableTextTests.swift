import Framing
import Notation
import Testing
import Wire

@testable import Faults

/// Messages as texts that somebody edits, and back.
struct EditableTextTests {
    private static let mark = "(one of json, text, text-crlf, base64)"

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func edited(
        _ original: String, from sender: Peer = .client, answering method: String? = nil,
        _ edit: (String) -> String
    ) throws -> String {
        let text = try EditableText.text(
            ofHTTP: bytes(original), from: sender, answering: method)
        let message = try EditableText.http(
            edit(text), inPlaceOf: bytes(original), from: sender, answering: method)
        return String(decoding: message, as: UTF8.self)
    }

    // MARK: HTTP

    @Test func `a request with JSON`() throws {
        let request =
            "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 15\r\n\r\n{\"a\":1,\"b\":[2]}"
        let text = try EditableText.text(ofHTTP: Self.bytes(request), from: .client)
        #expect(
            text == """
                # content: json \(Self.mark)
                POST /a HTTP/1.1
                Host: h
                Content-Length: 15

                {
                  "a": 1,
                  "b": [
                    2
                  ]
                }

                """)
        let message = try Self.edited(request) {
            $0.replacing("\"a\": 1", with: "\"a\": \"long\"").replacing("Host: h", with: "Host: i")
        }
        #expect(
            message
                == "POST /a HTTP/1.1\r\nHost: i\r\nContent-Length: 20\r\n\r\n{\"a\":\"long\",\"b\":[2]}"
        )
    }

    @Test func `JSON with spaces keeps them`() throws {
        let message = try Self.edited("PUT / HTTP/1.1\r\nContent-Length: 9\r\n\r\n{\"a\": 1}\n") {
            $0.replacing("1", with: "[1, 2]").replacing("HTTP/[1, 2].[1, 2]", with: "HTTP/1.1")
        }
        #expect(message == "PUT / HTTP/1.1\r\nContent-Length: 14\r\n\r\n{\"a\": [1, 2]}\n")
    }

    @Test func `lines that were not edited stay as sent`() throws {
        let odd = "GET  /a HTTP/1.1\r\nhost:h\nX: a\r\n b\r\nbad line\r\nY : \u{1}\r\n\r\n"
        let message = try Self.edited(odd) { $0 + "" }
        #expect(message == odd)
        let more = try Self.edited(odd) { $0.replacing("bad line\n", with: "bad line\nZ: 1\n") }
        #expect(more == odd.replacing("bad line\r\n", with: "bad line\r\nZ: 1\r\n"))
    }

    @Test func `a request gains content and loses it`() throws {
        let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
        let post = try Self.edited(get) { $0.replacing("GET", with: "POST") + "body\n" }
        #expect(post == "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody")
        let empty = try Self.edited(post) { $0.replacing("body\n", with: "") }
        #expect(empty == "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n")
    }

    @Test func `chunks become one, with the trailer fields`() throws {
        let chunked =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "2\r\nab\r\n1;x=y\r\nc\r\n0\r\nT: 1\r\n\r\n"
        let head = try Self.edited(chunked, from: .server) {
            $0.replacing("200 OK", with: "201 Created")
        }
        #expect(head == chunked.replacing("200 OK", with: "201 Created"))
        let body = try Self.edited(chunked, from: .server) { $0.replacing("abc", with: "abcd") }
        #expect(
            body
                == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "4\r\nabcd\r\n0\r\nT: 1\r\n\r\n")
        let length = try Self.edited(chunked, from: .server) {
            $0.replacing("Transfer-Encoding: chunked\n", with: "")
        }
        #expect(length == "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
    }

    @Test func `content until the end of the connection has no length`() throws {
        let message = try Self.edited("HTTP/1.0 200 OK\r\n\r\nabc", from: .server) {
            $0.replacing("abc", with: "abcd")
        }
        #expect(message == "HTTP/1.0 200 OK\r\n\r\nabcd")
    }

    @Test(arguments: ContentCoding.allCases)
    func `coded content is edited decoded`(_ coding: ContentCoding) throws {
        func message(_ body: String) -> [UInt8] {
            let body = StoredCoding.encode(Self.bytes(body), [coding], isWhole: true)
            return Self.bytes(
                "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding.rawValue)\r\n"
                    + "Content-Length: \(body.count)\r\n\r\n") + body
        }
        let text = try EditableText.text(ofHTTP: message("<a>1</a>"), from: .server)
        let edited = try EditableText.http(
            text.replacing("<a>1", with: "<a>22"), inPlaceOf: message("<a>1</a>"), from: .server)
        #expect(edited == message("<a>22</a>"))
        let plain = try EditableText.http(
            text.replacing("Content-Encoding: \(coding.rawValue)\n", with: ""),
            inPlaceOf: message("<a>1</a>"), from: .server)
        #expect(
            plain == Self.bytes("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n<a>1</a>"))
    }

    @Test func `content in an unknown coding stays as sent`() throws {
        let message = try Self.edited(
            "HTTP/1.1 200 OK\r\nContent-Encoding: x\r\nContent-Length: 3\r\n\r\nabc", from: .server
        ) {
            #expect(
                $0.hasPrefix("# The content cannot be decoded: it is as sent.\n# content: text"))
            return $0.replacing("abc", with: "ab")
        }
        #expect(
            message == "HTTP/1.1 200 OK\r\nContent-Encoding: x\r\nContent-Length: 2\r\n\r\nab")
    }

    @Test func `responses without content`() throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
        let other = try Self.edited(head, from: .server, answering: "HEAD") {
            $0.replacing("OK", with: "Fine")
        }
        #expect(other == "HTTP/1.1 200 Fine\r\nContent-Length: 5\r\n\r\n")
        let none = try Self.edited(head + "hello", from: .server) {
            $0.replacing("200 OK", with: "204 No Content").replacing("hello\n", with: "")
        }
        #expect(none == "HTTP/1.1 204 No Content\r\n\r\n")
        let error = #expect(throws: EditableTextError.self) {
            _ = try Self.edited(head + "hello", from: .server) {
                $0.replacing("200 OK", with: "304 Not Modified")
            }
        }
        #expect(
            error?.description == "line 5: this response cannot have content: remove it")
    }

    @Test func `interim responses stay before it`() throws {
        let message = try Self.edited(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na",
            from: .server
        ) { $0.replacing("\na\n", with: "\nbc\n") }
        #expect(
            message == "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nbc"
        )
    }

    @Test func `bytes are Base64, and lines with CR LF stay so`() throws {
        let head = "PUT / HTTP/1.1\r\nContent-Length: 3\r\n\r\n"
        let text = try EditableText.text(
            ofHTTP: Self.bytes(head) + [0, 0xFF, 1], from: .client)
        #expect(text.hasPrefix("# content: base64") && text.hasSuffix("\n\nAP8B\n"))
        let message = try EditableText.http(
            text.replacing("AP8B", with: "AP8BAg=="), inPlaceOf: Self.bytes(head) + [0, 0xFF, 1],
            from: .client)
        #expect(message.suffix(4) == [0, 0xFF, 1, 2])
        let lines = try Self.edited("PUT / HTTP/1.1\r\nContent-Length: 6\r\n\r\na\r\nb\r\n") {
            #expect($0.contains("text-crlf") && $0.hasSuffix("\n\na\nb\n\n"))
            return $0.replacing("b\n", with: "b\nc\n")
        }
        #expect(lines == "PUT / HTTP/1.1\r\nContent-Length: 9\r\n\r\na\r\nb\r\nc\r\n")
    }

    @Test(arguments: ["# note", "# note\n", "# note\n# more", ""])
    func `what is missing at the end is missing in a line that there is`(text: String) {
        let error = #expect(throws: EditableTextError.self) {
            _ = try Self.edited("GET / HTTP/1.1\r\nHost: h\r\n\r\n") { _ in text }
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).count
        #expect(error?.line == lines)
    }

    @Test(
        arguments: [
            ("POST /a HTTP/1.1", "POST /a b HTTP/1.1", 2, 8, "a target has no spaces: write %20"),
            (
                "POST /a HTTP/1.1", "POST", 2, 1,
                "here belongs a request line, such as GET /path HTTP/1.1"
            ),
            (
                "Host: h", "Host", 3, 1,
                "here belongs a header field, Name: value, or an empty line before the content"
            ),
            ("Host: h", "H\u{F6}st: h", 3, 2, "the name of a header field has no such character"),
            ("Host: h", "Host: \u{7}", 3, 7, "a head has no control characters"),
            (
                "content: json", "content: yaml", 1, 12,
                "content is one of json, text, text-crlf, base64, not yaml"
            ),
            (
                "\"a\": 1", "\"a\": ", 8, 1,
                "unexpected '}' in JSON; write `# content: text` to send it as it stands"
            ),
            (
                "{\n  \"a\": 1\n}", "hello", 6, 1,
                "here is no JSON, which begins with { or [; write `# content: text` for other text"
            ),
            ("content: json", "content: base64", 6, 1, "this is not Base64"),
        ])
    func `what is wrong has a place`(
        each: (old: String, new: String, line: Int, column: Int, message: String)
    ) throws {
        let request = "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 7\r\n\r\n{\"a\":1}"
        let error = #expect(throws: EditableTextError.self) {
            _ = try Self.edited(request) { $0.replacing(each.old, with: each.new) }
        }
        #expect(error?.line == each.line)
        #expect(error?.column == each.column)
        #expect(error?.message == each.message)
    }

    @Test func `other content is possible in the same place`() throws {
        let request = "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 7\r\n\r\n{\"a\":1}"
        let message = try Self.edited(request) {
            $0.replacing("content: json", with: "content: text")
                .replacing("{\n  \"a\": 1\n}\n", with: "{\"a\":")
        }
        #expect(message == "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n{\"a\":")
        #expect(EditableText.isEmpty(" \n\t\r\n") && !EditableText.isEmpty("#"))
    }

    @Test(arguments: ["", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\n\r\nmore", "\u{0}\u{1}"])
    func `what is no message has no text`(_ text: String) {
        #expect(throws: EditableTextError.self) {
            try EditableText.text(ofHTTP: Self.bytes(text), from: .client)
        }
    }

    // MARK: WebSockets

    @Test(
        arguments: [
            ("0:c:{\"id\":\"a\",\"v\":{}}", "json", "0:c:{\n  \"id\": \"a\",\n  \"v\": {}\n}"),
            ("3:e:key.1\n{\"data\":1}", "json", "3:e:key.1\n{\n  \"data\": 1\n}"),
            ("0:cv:abc", "text", "0:cv:abc"), ("h:1", "text", "h:1"),
            ("0:c:[", "text", "0:c:["),
        ])
    func `a command`(each: (command: String, form: String, shown: String)) throws {
        let text = EditableText.text(ofCommand: Self.bytes(each.command), from: .client)
        #expect(text == "# content: \(each.form) \(Self.mark)\n\(each.shown)\n")
        let same = try EditableText.command(
            text, inPlaceOf: Self.bytes(each.command), from: .client)
        #expect(same == Self.bytes(each.command))
        let bare = try EditableText.command(
            each.shown, inPlaceOf: Self.bytes(each.command), from: .client)
        #expect(bare == Self.bytes(each.command))
    }

    @Test func `an edited command`() throws {
        let command = Self.bytes("3:e:key.1\n{\"data\":{\"a\":1}}")
        let text = EditableText.text(ofCommand: command, from: .server)
        let edited = try EditableText.command(
            text.replacing("1\n    }", with: "2\n    }").replacing("3:e", with: "4:e"),
            inPlaceOf: command, from: .server)
        #expect(edited == Self.bytes("4:e:key.1\n{\"data\":{\"a\":1}}"))
    }

    @Test func `a message of a WebSocket`() throws {
        let message = Self.bytes("# not a remark\n")
        let text = EditableText.text(ofMessage: message)
        #expect(text == "# content: text \(Self.mark)\n# not a remark\n\n")
        #expect(
            try EditableText.message(text + "x\n", inPlaceOf: message, isText: true)
                == Self.bytes("# not a remark\n\nx"))
        #expect(throws: EditableTextError.self) {
            try EditableText.message("# content: base64\n/w==", inPlaceOf: message, isText: true)
        }
        #expect(
            try EditableText.message("# content: base64\n/w==", inPlaceOf: message, isText: false)
                == [0xFF])
    }
}
