import Framing
import Testing

@Suite struct HTTPHeadTests {
    private func head(_ role: HTTPRole, _ text: String) throws -> HTTPHead {
        var framer = HTTPFramer(role: role)
        var events: [HTTPEvent] = []
        _ = framer.consume(HTTPSample.latin1(text).span, into: &events)
        for event in events { if case .head(let head, _) = event { return head } }
        return try #require(nil)
    }

    @Test func `has the pieces of a request line`() throws {
        let head = try head(.request, "PUT /a?b HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(head.method == "PUT")
        #expect(head.target == "/a?b")
        #expect(head.version == "HTTP/1.1")
        #expect(head.methodRange == 0..<3)
        #expect(head.targetRange == 4..<8)
        #expect(head.versionRange == 9..<17)
        #expect(head.status == nil)
        #expect(head.statusRange.isEmpty && head.reasonRange.isEmpty && head.reason == "")
        #expect(HTTPRequestKind(head) == .other)
    }

    @Test func `has the pieces of a status line`() throws {
        let head = try head(.response, "HTTP/1.0 404 Not Found\r\n\r\n")
        #expect(head.version == "HTTP/1.0")
        #expect(head.status == 404)
        #expect(head.reason == "Not Found")
        #expect(head.versionRange == 0..<8)
        #expect(head.statusRange == 9..<12)
        #expect(head.reasonRange == 13..<22)
        #expect(head.methodRange.isEmpty && head.targetRange.isEmpty)
    }

    @Test func `finds fields without regard to case`() throws {
        let text = "GET / HTTP/1.1\r\nHost: a\r\nX-A: 1\r\nx-a:  2 \r\nX-AB: 3\r\n\r\n"
        let head = try head(.request, text)
        #expect(head.values(of: "x-A") == ["1", "2"])
        #expect(head.value(of: "X-ab") == "3")
        #expect(head.first("X-A")?.line == 25..<33)
        #expect(head.all("x-a").map(\.value) == [30..<31, 39..<40])
        #expect(head.first("X-") == nil)
        #expect(head.all("") == [])
        #expect(head.value(of: "missing") == nil)
    }

    @Test(arguments: [
        ("Upgrade", true), ("upgrade", true), ("keep-alive", true), ("close", false),
        ("up", false), ("h2c", true), ("", false),
    ])
    func `looks into lists`(token: String, expected: Bool) throws {
        let head = try head(
            .request,
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: , Keep-Alive,\tUPGRADE ;q=1 ,\r\n"
                + "Connection: h2c\r\n\r\n")
        #expect(head.contains(token: token, in: "connection") == expected)
    }

    @Test func `lines cover all that lies between start line and empty line`() throws {
        for sample in HTTPCorpus.requests {
            var framer = HTTPFramer(role: sample.role)
            var events: [HTTPEvent] = []
            _ = framer.consume(sample.bytes.span, into: &events)
            for case .head(let head, _) in events {
                var next = head.fields.first?.line.lowerBound ?? 0
                for field in head.fields {
                    #expect(field.line.lowerBound == next, "\(sample)")
                    #expect(field.line.lowerBound <= field.name.lowerBound)
                    #expect(field.name.upperBound <= field.value.lowerBound)
                    #expect(field.value.upperBound < field.line.upperBound)
                    next = field.line.upperBound
                }
                if !head.fields.isEmpty { #expect(head.bytes.count - next <= 2, "\(sample)") }
            }
        }
    }

    @Test func `reads text as utf-8, then as latin-1`() throws {
        let head = try head(
            .request,
            "GET / HTTP/1.1\r\nHost: a\r\nA: \u{C3}\u{A9}\r\nB: \u{E9}\r\nC: a\r\n b\r\n\r\n")
        #expect(head.value(of: "a") == "é")
        #expect(head.value(of: "b") == "é")
        #expect(head.value(of: "c") == "a   b")
    }

    @Test(arguments: [
        ("HEAD", HTTPRequestKind.head), ("CONNECT", .connect), ("connect", .other), ("GET", .other),
    ])
    func `knows the kind of a request`(method: String, kind: HTTPRequestKind) throws {
        let head = try head(.request, "\(method) a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n")
        #expect(HTTPRequestKind(head) == kind)
    }
}
