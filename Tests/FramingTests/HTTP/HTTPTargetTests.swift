import Framing
import Notation
import Testing

@Suite struct HTTPTargetTests {
    private func parse(_ text: String, _ method: String = "GET") throws -> HTTPTarget {
        try HTTPTarget.parse(Array(text.utf8).span, method: method)
    }

    @Test(
        arguments: [
            ("/", "/", nil), ("/a/b?c=d?e", "/a/b", "c=d?e"), ("/?", "/", ""),
            ("//x/y", "//x/y", nil),
            ("/a#f", "/a", nil), ("/%20?q#f", "/%20", "q"),
        ] as [(String, String, String?)])
    func `reads the origin form`(text: String, path: String, query: String?) throws {
        let target = try parse(text)
        #expect(target.form == .origin)
        #expect(target.path == path)
        #expect(target.query == query)
        #expect(target.authority == nil)
        #expect(target.scheme == nil)
        #expect(target.originStart == 0)
    }

    @Test(
        arguments: [
            ("http://A.Example/x?y", "http", "a.example", 80, "/x", "y", 16),
            ("HTTPS://a:8443/", "https", "a", 8443, "/", nil, 14),
            ("ws://a", "ws", "a", 80, "/", nil, 6),
            ("wss://a:/s", "wss", "a", 443, "/s", nil, 8),
            ("http://a?q", "http", "a", 80, "/", "q", 8),
            ("http://user:p%40ss@a:81/", "http", "a", 81, "/", nil, 23),
            ("http://u@v@a/", "http", "a", 80, "/", nil, 12),
            ("http://[2001:DB8::1]:8080/p", "http", "2001:db8::1", 8080, "/p", nil, 25),
            ("http://[::1]", "http", "::1", 80, "/", nil, 12),
            ("http://[fe80::1%25eth0]/", "http", "fe80::1%25eth0", 80, "/", nil, 23),
            ("ftp://a:21/x", "ftp", "a", 21, "/x", nil, 10),
            ("http://a_b-c.d~/", "http", "a_b-c.d~", 80, "/", nil, 15),
            ("http://a/http://b/", "http", "a", 80, "/http://b/", nil, 8),
        ] as [(String, String, String, Int, String, String?, Int)])
    func `reads the absolute form`(
        text: String, scheme: String, host: String, port: Int, path: String, query: String?,
        start: Int
    ) throws {
        let target = try parse(text)
        #expect(target.form == .absolute)
        #expect(target.scheme == scheme)
        #expect(target.authority == HTTPAuthority(host: host, port: port))
        #expect(target.path == path)
        #expect(target.query == query)
        #expect(target.originStart == start)
        #expect(target.lacksPath == !text.utf8.dropFirst(start).starts(with: "/".utf8))
    }

    @Test func `reads the other forms`() throws {
        #expect(try parse("*", "OPTIONS").form == .asterisk)
        let target = try parse("A.example:443", "CONNECT")
        #expect(target.form == .authority)
        #expect(target.authority == HTTPAuthority(host: "a.example", port: 443))
        #expect(target.path == "")
        #expect(try parse("[::1]:80", "CONNECT").authority?.description == "[::1]:80")
    }

    @Test(
        arguments: [
            ("", "GET", .empty), ("a", "GET", .form), ("a:80", "GET", .form),
            ("://a", "GET", .form),
            ("h ttp://a", "GET", .form), ("http:/a", "GET", .form), ("**", "GET", .form),
            ("http:///x", "GET", .host(offset: 7)), ("http://", "GET", .host(offset: 7)),
            ("http://:80/", "GET", .host(offset: 7)), ("http://a b/", "GET", .host(offset: 8)),
            ("http://u@/", "GET", .host(offset: 9)), ("http://a\u{E9}/", "GET", .host(offset: 8)),
            ("http://a:x/", "GET", .port(offset: 9)), ("http://a:65536/", "GET", .port(offset: 9)),
            ("http://a:99999999999999999999/", "GET", .port(offset: 9)),
            ("http://a:-1/", "GET", .port(offset: 9)), ("http://[::1/", "GET", .host(offset: 7)),
            ("http://[x::]/", "GET", .host(offset: 8)),
            ("http://[1.2.3.4]/", "GET", .host(offset: 8)),
            ("http://[::1]x/", "GET", .host(offset: 12)), ("http://[]/", "GET", .host(offset: 8)),
            ("gopher://a/", "GET", .scheme("gopher")), ("a", "CONNECT", .port(offset: 1)),
            ("a:", "CONNECT", .port(offset: 1)), ("/x", "CONNECT", .host(offset: 0)),
            ("http://a/", "CONNECT", .port(offset: 5)),
        ] as [(String, String, HTTPTargetError)])
    func `refuses`(text: String, method: String, expected: HTTPTargetError) {
        #expect(throws: expected) { try parse(text, method) }
        #expect(!expected.description.isEmpty)
    }

    @Test(
        arguments: [
            ("a", 80, "a:80"), ("A:1", 80, "a:1"), ("a:", 80, "a:80"), ("[::1]", 443, "[::1]:443"),
            ("127.0.0.1:0", nil, "127.0.0.1:0"), ("a:65535", nil, "a:65535"),
            ("a:00080", nil, "a:80"),
        ] as [(String, Int?, String)])
    func `reads an authority`(text: String, port: Int?, expected: String) throws {
        #expect(try HTTPAuthority.parse(text, defaultPort: port).description == expected)
    }

    @Test(arguments: 0..<300)
    func `never traps`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let alphabet = Array("http://a[::1]:80@%?#*/\u{E9} ".utf8)
        let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
            alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
        }
        for text in [bytes, Array("http://".utf8) + bytes] {
            for method in ["GET", "CONNECT"] {
                guard let target = try? HTTPTarget.parse(text.span, method: method) else {
                    continue
                }
                #expect(target.originStart <= text.count)
            }
        }
    }
}
