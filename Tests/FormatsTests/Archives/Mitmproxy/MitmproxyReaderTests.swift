import Foundation
import Testing
import Trace
import TraceWorld
import Wire

@testable import Formats

@Suite("Flows of mitmproxy") struct MitmproxyReaderTests {
    /// A file that mitmdump 11.0.2 wrote, of requests on loopback; `test_mitmproxy.py` makes such.
    private static let flows: [UInt8] = {
        let file =
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
            + "/../../../EndToEnd/Reading/flows.mitm.base64"
        let text = FileManager.default.contents(atPath: file) ?? Data()
        return [UInt8](Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data())
    }()

    private func exchanges(_ bytes: [UInt8]) throws -> [ArchivedExchange] {
        var found: [ArchivedExchange] = []
        try MitmproxyReader(bytes: bytes, name: "flows.mitm").exchanges { found.append($0) }
        return found
    }

    /// The flows with `old` replaced by `new`, which is as long.
    private func replaced(_ old: String, _ new: String) throws -> [UInt8] {
        var bytes = Self.flows
        let range = try #require(bytes.firstRange(of: Array(old.utf8)))
        bytes.replaceSubrange(range, with: Array(new.utf8))
        try #require(bytes.count == Self.flows.count)
        return bytes
    }

    @Test func `reads exchanges, what failed, and what a WebSocket said`() throws {
        let found = try exchanges(Self.flows)
        #expect(
            found.map {
                "\($0.method) \($0.url.split(separator: "/", maxSplits: 2)[2]) \($0.status)"
            }
                == [
                    "GET hello?a=b 200", "GET coded 200", "GET nothing 204", "POST post 201",
                    "GET refused 0", "GET socket 101",
                ])
        try #require(found.count == 6)
        #expect(found[0].response?.body == Array(#"{"path": "/hello?a=b"}"#.utf8))
        #expect(found[0].response?.fields.filter { $0.name == "Set-Cookie" }.count == 2)
        #expect(found[0].version == "HTTP/1.1")
        #expect(found[0].client.hasPrefix("127.0.0.1:"))
        #expect(found[0].server == "127.0.0.1")
        #expect(found[0].oddities.isEmpty)
        // The content coding is not undone.
        #expect(found[1].response?.isDecoded == false)
        #expect(found[1].response?.body.starts(with: [0x1F, 0x8B]) == true)
        // Two requests of one curl, and one of another.
        #expect(found[1].connection == found[2].connection)
        #expect(found[1].connection != found[3].connection)
        #expect(found[3].request.body == Array("é x=1&y".utf8))
        #expect(found[4].response == nil)
        #expect(found[4].error.contains("Connect call failed"))
        let messages = found[5].messages
        #expect(messages.map(\.opcode) == [1, 1, 2, 2, 1, 1, 8])
        #expect(
            messages.map(\.sender)
                == [.client, .server, .client, .server, .client, .server, .client])
        #expect(messages[3].payload == [0, 0xFF])
        #expect(messages[5].payload == Array("Grüße".utf8))
        #expect(messages[6].payload == [0x03, 0xE8])
        #expect(messages[0].atUnixNanoseconds / 1_000 == 1_795_307_297_873_853)
        for exchange in found {
            #expect(exchange.startedUnixNanoseconds <= exchange.requestEndedUnixNanoseconds)
            #expect(exchange.requestEndedUnixNanoseconds <= exchange.respondedUnixNanoseconds)
            #expect(exchange.respondedUnixNanoseconds <= exchange.endedUnixNanoseconds)
        }
    }

    @Test func `gives them in order of their starts, whatever that in the file is`() throws {
        var pieces: [[UInt8]] = []
        var rest = Self.flows[...]
        while !rest.isEmpty {
            let start = rest.startIndex
            _ = try TNetstring(parsing: &rest)
            pieces.append(Array(Self.flows[start..<rest.startIndex]))
        }
        #expect(try exchanges(Array(pieces.reversed().joined())) == exchanges(Self.flows))
    }

    @Test func `a file that was cut off gives what is whole before`() throws {
        for end in [Self.flows.count - 1, 2_500, 1_937, 1_936, 3, 0] {
            let reader = try MitmproxyReader(bytes: Array(Self.flows.prefix(end)), name: "x")
            #expect(reader.count == reader.flows)
            #expect(reader.flows == (end > 2_500 ? 5 : end > 1_936 ? 1 : 0))
            #expect(reader.cutOff > 0 || end == 0 || end == 1_937)
        }
    }

    @Test(arguments: [
        ("20", "mitmproxy 10, flow format 20"), ("18", "mitmproxy 9, flow format 18"),
        ("12", "mitmproxy 7, flow format 12"), ("22", "a later mitmproxy, flow format 22"),
    ])
    func `other formats are refused by name`(version: String, name: String) throws {
        let bytes = try replaced("7:version;2:21#", "7:version;2:\(version)#")
        do {
            _ = try exchanges(bytes)
            Issue.record("it was read")
        } catch let error as FileError {
            #expect(error.code == .malformed)
            #expect(error.reason.contains(name))
        }
        #expect(throws: FileError.self) {
            try exchanges(Array("22:7:version;9:1:0#2:18#]}".utf8))
        }
    }

    @Test func `flows of other kinds are counted`() throws {
        let reader = try MitmproxyReader(
            bytes: try replaced("4:type;4:http;", "4:type;4:quux;"), name: "x")
        #expect(reader.flows == 6)
        #expect(reader.count == 5)
        #expect(reader.leftOut == ["flows of an unknown kind": 1])
    }

    @Test func `what is no flow is refused with its place`() throws {
        for text in ["{\"log\":{}}", "10:not a flow,", "3:1:1]", "0:}"] {
            #expect(throws: FileError(.malformed, "")) { try exchanges(Array(text.utf8)) }
        }
        let large = Array("\(MitmproxyReader.largestFlow + 1):".utf8) + Self.flows
        #expect(throws: FileError(.malformed, "")) { try exchanges(large) }
    }

    private static func encoded(_ kind: TNetstring.Kind, _ payload: [UInt8]) -> [UInt8] {
        Array("\(payload.count):".utf8) + payload + [kind.rawValue]
    }

    /// A dictionary with another value at the end of `path`, which is added where there is none.
    private static func edited(
        _ value: TNetstring, _ path: ArraySlice<String>, _ new: [UInt8]
    ) throws -> [UInt8] {
        guard let key = path.first else { return new }
        var (rest, payload, isFound) = (value.payload, [UInt8](), false)
        while !rest.isEmpty {
            let name = try TNetstring(parsing: &rest)
            let old = try TNetstring(parsing: &rest)
            payload += encoded(name.kind, Array(name.payload))
            guard name.string == key else {
                payload += encoded(old.kind, Array(old.payload))
                continue
            }
            isFound = true
            payload += try edited(old, path.dropFirst(), new)
        }
        if !isFound { payload += encoded(.text, Array(key.utf8)) + new }
        return encoded(value.kind, payload)
    }

    /// The flow that asked for a path ending in `name`, with another value in it.
    private func flow(_ name: String, _ path: [String], _ new: String) throws -> [UInt8] {
        var rest = Self.flows[...]
        while !rest.isEmpty {
            let flow = try TNetstring(parsing: &rest)
            let target = try flow.value("request")?.value("path")?.string ?? ""
            if target.hasSuffix(name) { return try Self.edited(flow, path[...], Array(new.utf8)) }
        }
        throw CocoaError(.fileReadNoSuchFile)
    }

    @Test(arguments: [
        (["backup"], "0:}", "it was edited in mitmproxy; this is the edited one"),
        (["is_replay"], "7:request;", "mitmproxy replayed the request"),
        (["response", "content"], "0:~", "mitmproxy did not keep the body of the response"),
        (
            ["response", "trailers"], "8:1:a,1:b,]",
            "trailer fields of the response are left out"
        ),
        (["error"], "15:3:msg;6:it cut;}", "it failed after the response began: it cut"),
    ])
    func `reports what happened to a flow`(path: [String], value: String, oddity: String) throws {
        let found = try exchanges(try flow("/post", path, value))
        #expect(found.map(\.oddities) == [[oddity]])
        #expect(found.first?.status == 201)
    }

    @Test func `leaves out messages that mitmproxy dropped, and reports injected ones`() throws {
        func message(_ text: String, _ dropped: Bool, _ injected: Bool) -> String {
            let parts =
                "1:1#4:true!\(text.utf8.count):\(text),3:1.5^\(flag(dropped))\(flag(injected))"
            return "\(parts.utf8.count):\(parts)]"
        }
        func flag(_ value: Bool) -> String { value ? "4:true!" : "5:false!" }
        let list =
            message("kept", false, false) + message("lost", true, false)
            + message("new", false, true)
        let bytes = try flow("/socket", ["websocket", "messages"], "\(list.utf8.count):\(list)]")
        let exchange = try #require(try exchanges(bytes).first)
        #expect(
            exchange.messages.map { String(decoding: $0.payload, as: UTF8.self) }.prefix(2) == [
                "kept", "new",
            ])
        #expect(
            exchange.oddities == [
                "1 messages that mitmproxy dropped are left out",
                "1 messages were injected in mitmproxy",
            ])
    }

    @Test(arguments: [
        (["request", "headers"], "7:4:1:a,]]", "a header field is a name and a value"),
        (["response", "content"], "1:1#", "content is bytes"),
        (["response", "status_code"], "2:20#", "status_code is a number of three digits"),
        (["websocket"], "21:8:messages;7:4:1:a,]]}", "a WebSocket message has six parts"),
    ])
    func `a flow that is none is refused with what is wrong`(
        path: [String], value: String, reason: String
    ) throws {
        let bytes = try flow("/post", path, value)
        let error = try #require(throws: FileError.self) { try exchanges(bytes) }
        #expect(error.code == .malformed)
        #expect(error.reason.contains(reason))
    }

    @Test func `becomes a trace`() throws {
        let world = try TraceWorld()
        try Data(Self.flows).write(to: URL(fileURLWithPath: world.path("flows.mitm")))
        let outcome = try MitmproxyImport.run(
            from: world.path("flows.mitm"), to: world.path("a.tape"), version: "0.1.0",
            arguments: "import")
        #expect(outcome.flows == 6)
        #expect(outcome.exchanges == 6)
        #expect(outcome.messages == 7)
        #expect(outcome.leftOut.isEmpty)
        #expect(
            try world.rows("SELECT method, path, status FROM http_exchange ORDER BY id") == [
                "GET|/hello|200", "GET|/coded|200", "GET|/nothing|204", "POST|/post|201",
                "GET|/refused|", "GET|/socket|101",
            ])
        let coded = try world.rows("SELECT response_body FROM exchange WHERE id = 2")
        #expect(coded == [String(repeating: "coded text, ", count: 20)])
        #expect(try world.rows("SELECT count(*) FROM message WHERE opcode < 8") == ["6"])
        #expect(try world.rows("SELECT provenance FROM session") == ["mitmproxy"])
    }

    @Test func `tells such files from others`() {
        #expect(MitmproxyReader.looksLike(Self.flows))
        for text in ["", "{", "12:", "\u{FEFF}{}", "0:~", "17:hello"] {
            #expect(!MitmproxyReader.looksLike(Array(text.utf8)), "\(text)")
        }
    }

    @Test(arguments: 0..<6)
    func `bytes that are wrong are refused or read, and never end the program`(seed: Int) {
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
        func random(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }
        for _ in 0..<60 {
            var bytes = Self.flows
            for _ in 0...random(6) {
                let place = random(bytes.count)
                switch random(4) {
                case 0: bytes[place] = UInt8(random(256))
                case 1: bytes[place] = UInt8(0x30 + random(12))
                case 2: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random(40)))
                default: bytes.insert(contentsOf: Array("9:".utf8), at: place)
                }
            }
            guard let reader = try? MitmproxyReader(bytes: bytes, name: "x") else { continue }
            #expect(reader.count <= reader.flows)
            #expect(throws: Never.self) {
                try reader.exchanges { exchange in
                    #expect(exchange.request.body.count <= bytes.count)
                }
            }
        }
    }
}
