import Testing

@testable import Filters

/// Something to judge, made of a table.
private struct Things: FilterSubjectValues {
    var subject: FilterSubject
    var values: [String: FilterValue]

    func value(of field: Field, name: String?) -> FilterValue? {
        values[field.rawValue + (name.map { ".\($0)" } ?? "")]
    }
}

private let restore = Things(
    subject: .exchange,
    values: [
        "id": .integer(7), "method": .text("GET"), "host": .text("www.example"),
        "path": .text("/a/demo/phone/restore/"), "status": .integer(202),
        "at": .integer(1_500_000_000), "duration": .integer(200_000_000),
        "api": .text("commcare.restore"), "size": .integer(10_240),
        "header.content-type": .several([.text("text/html"), .text("text/xml; charset=utf-8")]),
        "body": .several([.utf8(Array("<OpenRosaResponse>Größe OK</OpenRosaResponse>".utf8))]),
        "text": .several([.utf8(Array("<OpenRosaResponse>Größe OK</OpenRosaResponse>".utf8))]),
        "response.body": .bytes([0xFF, 0x41, 0x62]), "local": .integer(0),
        "key": .text("not ours"),
    ])

private let change = Things(
    subject: .command,
    values: [
        "command": .text("c"), "sender": .text("client"), "bucket": .text("notes"),
        "key": .several([.text("a.b"), .text("C")]), "error": .several([]),
        "host": .text("www.example"),
    ])

struct FilterMatchingTests {
    @Test(
        arguments: [
            ("", true), ("status:202", true), ("status:2xx", true), ("status:200", false),
            ("status>202", false), ("status>=202", true), ("status!=200", true),
            ("status!=202", false),
            ("status:{200,202}", true), ("status!={200,202}", false), ("not status:200", true),
            ("method:get", true), ("method:GET", true), ("method:ge*", true),
            ("method:post", false),
            ("host:WWW.Example", true), ("host:*.EXAMPLE", true), ("host:*.org", false),
            ("path:/a/*", true), ("path:/A/*", false), ("path:*/phone/*/", true),
            ("path:/a/*/demo/*", false), ("path:/a/demo/phone/restore", false),
            ("path=/a/*", false),
            ("path~PHONE", true), ("path~/^\\/a\\/[a-z]+\\//", true), ("path~/PHONE/", false),
            ("path~/PHONE/i", true), ("path!~x", true), ("path!~phone", false),
            ("at:1.5s..3s", true), ("at<1.5s", false), ("duration<=200ms", true),
            ("size>10KiB", false),
            ("size:10KiB", true), ("api:commcare.*", true), ("api:commcare.submit", false),
            ("header.Content-Type:text/html", true), ("header.content-type:text/xml*", true),
            ("header.content-type!=text/html", false), ("header.content-type:*json", false),
            ("has:header.x", false), ("header.x!=1", false), ("not header.x:1", true),
            ("body:openrosa", true), ("body:\"GRöße ok\"", true), ("body:open*ok*", true),
            ("body:ok*open", true), ("body:größe*gr", false), ("body~/<Open.*>$/", true),
            ("body:GRÖSSE", false),
            ("text:\"grosse ok\"", false), ("GRÖßE", true), ("gro*", true), ("\"größe ok\"", true),
            ("\"ok größe\"", false), ("openrosaresponse", true), ("openrosa", false),
            ("openrosa*", true),
            ("response.body:ab", true), ("response.body=Ab", false), ("has:response.body", true),
            ("local:false", true), ("local:true", false),
            ("query:*", false), ("not has:query", true), ("query!=a", false), ("not query:a", true),
            ("bucket:notes", false), ("not bucket:notes", true), ("key:*", false),
            ("kind:exchange", true), ("kind:command", false), ("kind~change", true),
            ("status:200 or api:*restore", true), ("status:200 api:*restore", false),
            ("id:7 not (status:200 or host:b)", true),
        ] as [(String, Bool)])
    func `judges an exchange`(text: String, expected: Bool) throws {
        #expect(try Filter.parse(text).matches(restore) == expected)
    }

    @Test(
        arguments: [
            ("command:c sender:client", true), ("command:C", false), ("sender:SERVER", false),
            ("bucket:Notes", false), ("key:a.b", true), ("key:C", true), ("key:c", false),
            ("key!=C", false), ("key!=D", true), ("not key:D", true), ("key:{D,C}", true),
            ("has:error", false), ("error!=400", false), ("not error:400", true),
            ("host:www.example", false), ("not host:www.example", true), ("kind:command", true),
        ] as [(String, Bool)])
    func `judges a command`(text: String, expected: Bool) throws {
        #expect(try Filter.parse(text).matches(change) == expected)
    }
}

struct GlobTests {
    @Test(
        arguments: [
            ("*", "", true), ("a*", "a", true), ("*a", "ba", true), ("a*a", "a", false),
            ("a*a", "aa", true),
            ("*b*", "abc", true), ("*b*b*", "abc", false), ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxc", false),
            ("*ab*ab", "abab", true), ("*ab*ab", "ab", false), ("\\**", "*x", true),
            ("\\**", "x", false),
            ("é*", "éa", true),
        ] as [(String, String, Bool)])
    func `matches`(pattern: String, text: String, expected: Bool) {
        let glob = Glob(pattern: pattern)
        #expect(glob.pattern == pattern)
        let found = Array(text.utf8).withUnsafeBytes { glob.matches($0, ignoringCase: false) }
        #expect(found == expected)
        let upper = Array(text.uppercased().utf8)
        #expect(
            upper.withUnsafeBytes { glob.matches($0, ignoringCase: true) }
                == (pattern == "é*" ? false : expected))
    }

    @Test func `writes itself for SQLite`() {
        let glob = Glob(["a*[?", "%_\\", ""])
        #expect(glob.sqliteGlob == "a[*][[][?]*%_\\*")
        #expect(glob.sqliteLike == "a*[?%\\%\\_\\\\%")
        #expect(glob.pattern == "a\\*[?*%_\\\\*")
        #expect(Glob(pattern: glob.pattern) == glob)
    }
}
