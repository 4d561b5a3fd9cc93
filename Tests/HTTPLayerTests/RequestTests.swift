import Notation
import Testing
import Wire

@testable import HTTPLayer

struct RequestTests {
    /// Proves: H-2, H-8, H-10, H-13.
    @Test func `has the defaults of the specification`() throws {
        let request = try Request(url: "www.abc.come/xyz")
        #expect(request.requestType == .post)
        #expect(request.payload == nil)
        #expect(request.requestBody == nil)
        #expect(!request.compression)
        #expect(request.retryCount == 1)
        #expect(request.priority == .normal)
        #expect(request.requestTag == nil)
    }

    /// Proves: H-11.
    @Test(arguments: [0, 1, 15]) func `takes retry counts`(count: Int) throws {
        var request = try Request(url: "x", retryCount: count)
        try request.setRetryCount(count)
        #expect(request.retryCount == count)
    }

    @Test(arguments: [-1, 16, Int.max, Int.min]) func `refuses retry counts`(count: Int) throws {
        #expect(throws: RequestError.retryCount(count)) { try Request(url: "x", retryCount: count) }
        var request = try Request(url: "x")
        #expect(throws: RequestError.retryCount(count)) { try request.setRetryCount(count) }
        #expect(request.retryCount == 1)
    }

    @Test func `keeps exact fields as they are`() throws {
        var request = try Request(url: "http://h/")
        request.isExact = true
        request.headers = [("A", "1"), ("a", "2"), ("Accept-Encoding", "gzip")]
        let prepared = try PreparedRequest(request, userAgent: "x")
        #expect(prepared.headers.map(\.name) == ["A", "a", "Accept-Encoding"])
        #expect(prepared.hasAcceptEncoding)
    }

    @Test(arguments: ["", "A B", "A\r\nX: y"])
    func `refuses methods that are no tokens`(method: String) throws {
        var request = try Request(url: "http://h/")
        request.method = method
        #expect(throws: HTTPError.badHeader(name: method)) {
            try PreparedRequest(request, userAgent: "x")
        }
    }

    /// Proves: H-1.
    @Test(arguments: [
        ("www.abc.come/xyz", "https://www.abc.come/xyz"),
        ("localhost:80/x?u=http://y", "https://localhost:80/x?u=http://y"),
        ("HTTP://h", "HTTP://h"), ("http://[::1]:8/", "http://[::1]:8/"),
        ("http://h/å#part", "http://h/%C3%A5"),
    ])
    func `settles the url`(given: String, expected: String) throws {
        #expect(try TargetURL.make(given, query: nil) == expected)
    }

    @Test(arguments: [
        "", "ftp://h/", "file:///etc/passwd", "http://", "http:///x", "http://:80/", "/x",
        "http://h/a b", "http://h/\r\nX: y", "http://u@", "://h",
    ])
    func `refuses the url`(given: String) {
        #expect(throws: HTTPError.badURL(given)) { try TargetURL.make(given, query: nil) }
    }

    @Test(arguments: [
        ("http://h", "http://h?a=1"), ("http://h/?", "http://h/?a=1"),
        ("http://h/?b=2", "http://h/?b=2&a=1"), ("http://h/?b=2&#f", "http://h/?b=2&a=1"),
    ])
    func `appends the query`(given: String, expected: String) throws {
        #expect(try TargetURL.make(given, query: ["a": .number("1")]) == expected)
    }

    @Test func `sorts and encodes the query`() {
        let query = TargetURL.query([
            "z": .string("a b&c=d/é~"), "a": .array([.number("1"), .bool(true)]), "B": .null,
            "o": .object(JSONObject([JSONObject.Member("k", .number("2"))])),
        ])
        #expect(
            query == "B=&a=1&a=true&o=%7B%22k%22%3A2%7D&z=a%20b%26c%3Dd%2F%C3%A9~")
    }

    @Test(arguments: [
        ("X-A", "b\r\nX-B: c"), ("X-A", "b\nc"), ("X A", "b"), ("", "b"), ("X:", "b"),
        ("X-A", "\u{0}"), ("Transfer-Encoding", "gzip"),
    ])
    func `refuses a header field`(name: String, value: String) throws {
        var request = try Request(url: "h")
        request.headers = [(name, value)]
        #expect(throws: HTTPError.badHeader(name: name)) {
            try PreparedRequest(request, userAgent: "t")
        }
    }

    @Test func `keeps the last of fields with one name in any case`() throws {
        var request = try Request(url: "h")
        request.headers = [("x-a", "1"), ("X-B", "2"), ("X-A", "3"), ("Content-Length", "9")]
        let headers = try PreparedRequest(request, userAgent: "t").headers
        #expect(headers.map(\.name) == ["X-A", "X-B", "User-Agent"])
        #expect(headers.map(\.value) == ["3", "2", "t"])
    }

    @Test func `compresses no empty body, no GET and nothing coded already`() throws {
        var request = try Request(url: "h")
        request.compression = true
        func codings() throws -> [String] {
            try PreparedRequest(request, userAgent: "t").headers
                .filter { $0.name == "Content-Encoding" }.map(\.value)
        }
        #expect(try codings() == [])
        request.requestBody = .bytes([])
        #expect(try codings() == [])
        request.requestBody = .bytes([1])
        #expect(try codings() == ["gzip"])
        request.headers = [("Content-Encoding", "br")]
        #expect(try codings() == ["br"])
        request.headers = []
        request.requestType = .get
        #expect(try codings() == [])
    }
}
