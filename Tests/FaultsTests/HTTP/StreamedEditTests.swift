import Framing
import Testing
import Wire

@testable import Faults

/// Replacements in bodies that are too large to wait for.
struct StreamedEditTests {
    private static let body = String(repeating: "one two ", count: 140_000)
    private static let edited = body.replacing("two", with: "<wo>")
    private static let rule = "=> edit replace 't(wo)' '<$1>'"

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func head(_ fields: String = "") -> String {
        "HTTP/1.1 200 OK\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n"
    }

    private static func chunked(_ text: String) -> String {
        let part = text.prefix(99_999)
        return "\(String(part.utf8.count, radix: 16))\r\n\(part)\r\n"
            + "\(String(text.utf8.count - part.utf8.count, radix: 16))\r\n"
            + "\(text.dropFirst(99_999))\r\n0\r\n\r\n"
    }

    /// The content of an answer; nil where it is not whole, or not alone.
    private func content(_ text: some Collection<UInt8>) -> [UInt8]? {
        var framer = HTTPFramer(role: .response)
        framer.expect(.other)
        let bytes = Array(text)
        var events: [HTTPEvent] = []
        _ = framer.consume(bytes.span, into: &events)
        var content: [UInt8] = []
        for event in events {
            if case .content(let range) = event { content += bytes[range] }
        }
        guard case .end(let end)? = events.last, end == bytes.count else { return nil }
        return content
    }

    @Test(arguments: [HTTPPlay.Cuts.whole, .random])
    func `a stated length becomes chunks`(cuts: HTTPPlay.Cuts) throws {
        let play = try HTTPPlay.run(
            [Self.rule],
            [
                .client(Talk.get("/a") + Talk.get("/b")), .server(Talk.ok(Self.body)),
                .server(Talk.ok("a two")),
            ], cuts)
        let sent = Array(play.sent(by: .server).utf8)
        let next = Self.bytes(Talk.ok("a <wo>"))
        #expect(sent.suffix(next.count).elementsEqual(next))
        let first = sent.dropLast(next.count)
        #expect(first.starts(with: Self.bytes(Self.head("Content-Type: text/xml\r\n"))))
        let isEdited = content(first) == Self.bytes(Self.edited)
        #expect(isEdited)
        let isWhole = play.came(from: .server) == Self.bytes(Talk.ok(Self.body) + Talk.ok("a two"))
        #expect(isWhole)
        #expect(play.faults.map(\.problem) == [nil, nil])
    }

    @Test(arguments: [HTTPPlay.Cuts.whole, .random])
    func `chunks stay chunks`(cuts: HTTPPlay.Cuts) throws {
        let play = try HTTPPlay.run(
            [Self.rule, "=> edit replace '<wo>' 'two'", "=> edit replace 'two' '<wo>'"],
            [.client(Talk.get("/a")), .server(Self.head() + Self.chunked(Self.body))], cuts)
        let sent = Array(play.sent(by: .server).utf8)
        #expect(sent.starts(with: Self.bytes(Self.head())))
        let isEdited = content(sent) == Self.bytes(Self.edited)
        #expect(isEdited)
        #expect(play.faults.map(\.problem) == [nil, nil, nil])
    }

    @Test func `a body up to the end of the connection stays one`() throws {
        let head = "HTTP/1.1 200 OK\r\n\r\n"
        let play = try HTTPPlay.run(
            [Self.rule], [.client(Talk.get("/a")), .server(head + Self.body), .end(.server)])
        let isEdited = play.sent(by: .server) == head + Self.edited
        #expect(isEdited)
    }

    @Test func `a body that is cut off has no last chunk`() throws {
        let answer = Self.bytes(Talk.ok(Self.body)).dropLast(2)
        let play = try HTTPPlay.run(
            [Self.rule], [.client(Talk.get("/a")), .server(Array(answer)), .end(.server)])
        let sent = Array(play.sent(by: .server).utf8)
        #expect(content(sent) == nil)
        // What was held since a match may begin there went on.
        let isWhole =
            content(sent + Self.bytes("0\r\n\r\n"))
            == Self.bytes(Self.edited).dropLast(5) + Self.bytes("tw")
        #expect(isWhole)
    }

    @Test(arguments: [
        ("=> edit replace 'tw.*' x", "", Talk.get("/a")),
        ("=> edit json /v 1", "", Talk.get("/a")),
        (rule, "Content-Encoding: gzip\r\n", Talk.get("/a")),
        (rule, "", "GET /a HTTP/1.0\r\nHost: h\r\n\r\n"),
    ])
    func `what cannot be streamed passes and the row says so`(
        rule: String, fields: String, request: String
    ) throws {
        let answer = Talk.ok(Self.body, fields)
        let play = try HTTPPlay.run([rule], [.client(request), .server(answer)])
        let isSame = play.sent(by: .server) == answer
        #expect(isSame)
        #expect(play.faults.map(\.problem) == [HTTPGate.notWhole])
    }

    @Test func `a request is not streamed`() throws {
        let request = Talk.post("/a", Self.body)
        let play = try HTTPPlay.run(["\(Self.rule) sender=client"], [.client(request)])
        let isSame = play.sent(by: .client) == request
        #expect(isSame)
        #expect(play.faults.map(\.problem) == [HTTPGate.notWhole])
    }
}
