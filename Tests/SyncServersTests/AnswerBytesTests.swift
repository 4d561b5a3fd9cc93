import Framing
import Replaying
import Testing
import Wire

@testable import SyncServers

struct AnswerBytesTests {
    func text(
        _ fields: [(String, String)], _ body: String = "hello", status: Int = 200,
        isCut: Bool = false, to request: AnswerBytes.Request = .init()
    ) -> (text: String, closes: Bool) {
        let response = RecordedResponse(
            status: status, reason: "Why", fields: fields.map { .init($0.0, $0.1) },
            body: Array(body.utf8), isCut: isCut)
        let answer = AnswerBytes(response, to: request)
        return (String(decoding: answer.head + answer.body, as: UTF8.self), answer.closes)
    }

    @Test func `fields stay as they were received, and the length is that of the body`() {
        let answer = text([("dAtE", "then"), ("content-length", "99"), ("X-A", "1"), ("X-A", "2")])
        #expect(
            answer.text
                == "HTTP/1.1 200 Why\r\ndAtE: then\r\ncontent-length: 5\r\nX-A: 1\r\nX-A: 2\r\n\r\nhello"
        )
        #expect(!answer.closes)
    }

    @Test(
        arguments: [[], [("Transfer-Encoding", "chunked")], [("Content-Length", "5")]],
        [
            AnswerBytes.Request(), .init(isHead: true), .init(isOld: true),
            .init(isOld: true, closes: true),
        ])
    func `another body goes behind the same head`(
        _ fields: [(String, String)], _ request: AnswerBytes.Request
    ) {
        let answers = ["hello", "world"].map { body in
            RecordedResponse(
                status: 200, reason: "OK", fields: fields.map { .init($0.0, $0.1) },
                body: Array(body.utf8))
        }
        let one = AnswerBytes(answers[0], to: request)
        #expect(one.with(answers[1].body) == AnswerBytes(answers[1], to: request))
        #expect(one.with([]).with(answers[0].body) == one)
    }

    @Test func `chunks become one chunk, and a length for old clients`() {
        let fields = [("Transfer-Encoding", "chunked"), ("X", "y")]
        #expect(
            text(fields).text
                == "HTTP/1.1 200 Why\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        )
        #expect(text(fields, "").text.hasSuffix("\r\n\r\n0\r\n\r\n"))
        let old = text(fields, to: .init(isOld: true, closes: true))
        #expect(
            old.text
                == "HTTP/1.1 200 Why\r\nX: y\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
        )
        let kept = text(fields, to: .init(isOld: true))
        #expect(kept.text.contains("\r\nConnection: keep-alive\r\n"))
        #expect(!kept.closes)
    }

    @Test func `a response that lasted until the end states its length`() {
        let answer = text([("Connection", "close")])
        #expect(
            answer.text
                == "HTTP/1.1 200 Why\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
        #expect(answer.closes)
        #expect(!text([]).closes)
        #expect(!text([("Connection", "keep-alive")]).text.contains("keep-alive"))
    }

    @Test func `what was cut is cut`() {
        let length = text([("Content-Length", "99")], isCut: true)
        #expect(length.text.contains("Content-Length: 99\r\n"))
        #expect(length.text.hasSuffix("\r\n\r\nhello"))
        #expect(length.closes)
        let chunked = text([("Transfer-Encoding", "gzip, chunked")], isCut: true)
        #expect(chunked.text.hasSuffix("5\r\nhello\r\n"))
        #expect(chunked.closes)
        let open = text([], isCut: true)
        #expect(!open.text.contains("Content-Length"))
        #expect(open.closes)
    }

    @Test(arguments: [(304, false), (200, true), (204, false)])
    func `has no body where there may be none`(status: Int, isHead: Bool) {
        let answer = text(
            [("Content-Length", "99"), ("X", "y")], status: status, to: .init(isHead: isHead))
        #expect(answer.text.hasSuffix("\r\nX: y\r\n\r\n"))
        #expect(answer.text.contains("Content-Length: 99") == (status != 204))
        #expect(!answer.closes)
    }

    @Test func `never says two lengths`() {
        for fields in [
            [("Content-Length", "5"), ("Content-Length", "7"), ("Transfer-Encoding", "chunked")],
            [("Transfer-Encoding", "chunked"), ("Content-Length", "5")],
            [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")],
        ] {
            let head = text(fields).text.lowercased()
            let lengths = head.split(separator: "\r\n").filter {
                $0.hasPrefix("content-length:") || $0.hasPrefix("transfer-encoding:")
            }
            #expect(lengths.count == 1)
        }
    }

    @Test func `leads to us where the recorded server led to itself`() {
        let rewrite = LocationRewrite(
            recorded: [
                .init(host: "www.example.org", port: 443), .init(host: "127.0.0.1", port: 80),
            ],
            live: "localhost:9000", isSecure: false)
        #expect(
            rewrite.applied(to: "https://www.example.org/a?b#c") == "http://localhost:9000/a?b#c")
        #expect(rewrite.applied(to: "http://127.0.0.1") == "http://localhost:9000")
        for other in [
            "/a/b", "https://other.example.org/a", "http://www.example.org:8080/", "mailto:a@b", "",
            "http://",
        ] {
            #expect(rewrite.applied(to: other) == other)
        }
    }

    @Test func `a list of what is due keeps order`() {
        var list = DueList<Int>()
        var generator = SystemRandomNumberGenerator()
        var expected: [(Int64, Int)] = []
        for number in 0..<500 {
            let due = Int64.random(in: 0..<20, using: &generator)
            list.insert(number, due: Instant(nanoseconds: due))
            expected.append((due, number))
        }
        expected.sort { $0 < $1 }
        #expect(list.take(by: Instant(nanoseconds: -1)) == nil)
        var taken: [Int] = []
        for now in 0..<20 {
            while let one = list.take(by: Instant(nanoseconds: Int64(now))) { taken.append(one) }
        }
        #expect(taken == expected.map(\.1))
        #expect(list.isEmpty && list.next == nil)
    }
}
