import Framing
import Testing

@testable import Faults

/// Files that are served, as RFC 9110 has it.
struct FileAnswerTests {
    private static let content = [
        "page.html": FileSource.File(
            bytes: Array("<p>0123456789</p>".utf8), modifiedUnixSeconds: 784_111_777),
        "site/index.html": FileSource.File(bytes: Array("index".utf8), modifiedUnixSeconds: 1),
        "site/a b/data.json": FileSource.File(bytes: Array("{}".utf8), modifiedUnixSeconds: 1),
        "secret": FileSource.File(bytes: Array("secret".utf8), modifiedUnixSeconds: 1),
    ]
    private static let files = FileSource { path in
        if let file = content[path] { return .file(file) }
        return content.keys.contains { $0.hasPrefix(path + "/") } ? .folder : nil
    }

    private func answer(
        _ base: String, _ path: String = "/", _ fields: String = "", method: String = "GET"
    ) throws -> FileAnswer {
        let text = "\(method) \(path) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n"
        var events: [HTTPEvent] = []
        var framer = HTTPFramer(role: .request)
        _ = framer.consume(Array(text.utf8).span, into: &events)
        guard case .head(let head, _)? = events.first else { throw EditProblem("no head") }
        return FileAnswer(Self.files.file(base, for: path), type: nil, to: head)
    }

    private func field(_ name: String, _ answer: FileAnswer) -> String? {
        answer.fields.first { $0.name == name }?.value
    }

    @Test(arguments: [
        ("page.html", "/x", 200, "<p>0123456789</p>", "text/html; charset=utf-8"),
        ("site", "/", 200, "index", "text/html; charset=utf-8"),
        ("site", "/a%20b/data.json", 200, "{}", "application/json"),
        ("site", "/nothing", 404, "", nil), ("nowhere", "/", 404, "", nil),
        ("site", "/../secret", 404, "", nil), ("site", "/%2e%2e/secret", 404, "", nil),
        ("site", "/a%00b", 404, "", nil), ("site", "/%ff", 404, "", nil),
    ])
    func `a file or one in a folder, and nothing beside it`(
        base: String, path: String, status: Int, body: String, type: String?
    ) throws {
        let made = try answer(base, path)
        #expect(made.status == status)
        #expect(String(decoding: made.body, as: UTF8.self) == body)
        #expect(field("Content-Type", made) == type)
    }

    @Test(arguments: [
        ("bytes=0-2", 206, "<p>", "bytes 0-2/17"), ("bytes=14-", 206, "/p>", "bytes 14-16/17"),
        ("bytes=-3", 206, "/p>", "bytes 14-16/17"),
        ("bytes=0-99", 206, "<p>0123456789</p>", "bytes 0-16/17"),
        ("bytes=17-", 416, "", "bytes */17"), ("bytes=-0", 416, "", "bytes */17"),
        ("bytes=2-1", 200, "<p>0123456789</p>", nil),
        ("bytes=0-1,4-5", 200, "<p>0123456789</p>", nil),
        ("lines=1-2", 200, "<p>0123456789</p>", nil), ("bytes=-", 200, "<p>0123456789</p>", nil),
    ])
    func `a range of its bytes`(range: String, status: Int, body: String, stated: String?) throws {
        let made = try answer("page.html", "/", "Range: \(range)\r\n")
        #expect(made.status == status)
        #expect(String(decoding: made.body, as: UTF8.self) == body)
        #expect(field("Content-Range", made) == stated)
        #expect(made.length == body.utf8.count)
    }

    @Test func `nothing again for whom has it`() throws {
        let whole = try answer("page.html")
        let tag = try #require(field("ETag", whole))
        let date = try #require(field("Last-Modified", whole))
        #expect(date == "Sun, 06 Nov 1994 08:49:37 GMT")
        for (fields, status) in [
            ("If-None-Match: \(tag)\r\n", 304), ("If-None-Match: \"x\", W/\(tag)\r\n", 304),
            ("If-None-Match: *\r\n", 304), ("If-None-Match: \"x\"\r\n", 200),
            ("If-Modified-Since: \(date)\r\n", 304),
            ("If-Modified-Since: Sun, 06 Nov 1994 08:49:36 GMT\r\n", 200),
            ("If-None-Match: \"x\"\r\nIf-Modified-Since: \(date)\r\n", 200),
            ("Range: bytes=0-0\r\nIf-Range: \(tag)\r\n", 206),
            ("Range: bytes=0-0\r\nIf-Range: \"x\"\r\n", 200),
        ] {
            #expect(try answer("page.html", "/", fields).status == status, "\(fields)")
        }
        let known = try answer("page.html", "/", "If-None-Match: \(tag)\r\n")
        #expect(known.length == nil && known.body.isEmpty)
    }

    @Test func `HEAD has the length, and other methods are refused`() throws {
        let head = try answer("page.html", method: "HEAD")
        #expect(head.status == 200 && head.length == 17 && head.body.isEmpty)
        let post = try answer("page.html", method: "POST")
        #expect(post.status == 405 && field("Allow", post) == "GET, HEAD")
    }
}
