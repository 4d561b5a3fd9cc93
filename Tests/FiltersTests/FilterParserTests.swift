import Testing

@testable import Filters

struct FilterParserTests {
    @Test(
        arguments: [
            ("", "all"),
            ("  \t\n ", "all"),
            ("*", "all"),
            ("status:200", "status=200"),
            ("status = 200", "status=200"),
            ("status==200", "status=200"),
            ("Status: 200", "status=200"),
            ("status:\"200\"", "status=200"),
            ("status!=200", "(and status? (not status=200))"),
            ("status<400", "status[..399]"),
            ("status <= 400", "status[..400]"),
            ("status>400", "status[401..]"),
            ("status>=400", "status[400..]"),
            ("status:>=400", "status[400..]"),
            ("status:<400", "status[..399]"),
            ("status:400..499", "status[400..499]"),
            ("status:400..", "status[400..]"),
            ("status:..499", "status[..499]"),
            ("status:4xx", "status[400..499]"),
            ("status:5XX", "status[500..599]"),
            ("status:*", "status?"),
            ("has:status", "status?"),
            ("HAS:Header.X-Id", "header.x-id?"),
            ("status:{200,404}", "(or status=200 status=404)"),
            ("status:{ 200 , 4xx, 500.. }", "(or status=200 status[400..499] status[500..])"),
            ("status in (200, 404)", "(or status=200 status=404)"),
            ("status IN {200}", "status=200"),
            ("status!={200,404}", "(and status? (not (or status=200 status=404)))"),
            ("sv:-1", "sv=-1"),
            ("method:get", "method='get'"),
            ("host:*.example", "host*'*.example'"),
            ("host=*.example", "host='*.example'"),
            ("host:\"*.example\"", "host='*.example'"),
            ("host:\\*.example", "host='*.example'"),
            ("path:/a\\ b/*", "path*'/a b/*'"),
            ("path:/a:b=c,d{e}", "path='/a:b=c,d{e}'"),
            ("path:\"/a b\\\"\\\\\\n\"", "path='/a b\"\\\n'"),
            ("key:{a,b*,\"c,d\"}", "(or key='a' key*'b*' key='c,d')"),
            ("query:\"\"", "query=''"),
            ("path~Sync", "path~'sync'"),
            ("path ~ \"a b\"", "path~'a b'"),
            ("path!~Sync", "(and path? (not path~'sync'))"),
            ("path~/^\\/a(b|c)$/", "path/^/a(b|c)$/"),
            ("path~/x/i", "path/(?i)x/"),
            ("path=~/x y/", "path/x y/"),
            ("path=~\"a\\d\\\"/\"", "path/a\\d\"//"),
            ("path!~/x/", "(and path? (not path/x/))"),
            ("body:Foo", "body~'foo'"),
            ("body~\"Foo Bar\"", "body~'foo bar'"),
            ("body:foo*bar*", "body*'*foo*bar*'"),
            ("body=x", "body='x'"),
            ("request.body:{a,b}", "(or request.body~'a' request.body~'b')"),
            ("header.Content-Type:text/*", "header.content-type*'text/*'"),
            (
                "request.header.x:1 response.header.y~2",
                "(and request.header.x='1' response.header.y~'2')"
            ),
            ("at:1.5s..3s", "at[1500000000..3000000000]"),
            ("at:1h30m", "at=5400000000000"),
            ("at:0..2d", "at[0..172800000000000]"),
            ("duration>200ms", "duration[200000001..]"),
            ("duration<=1.000001s", "duration[..1000001000]"),
            ("duration<3µs", "duration[..2999]"),
            ("size>10KiB", "size[10241..]"),
            ("size:1.5MB", "size=1500000"),
            ("size:>0.5kib", "size[513..]"),
            ("size=512", "size=512"),
            ("size:1GiB", "size=1073741824"),
            ("local:true", "local=1"),
            ("local:NO", "local=0"),
            ("sender:CLIENT", "sender='client'"),
            ("sender:c*", "sender*'c*'"),
            ("kind:{command,exchange}", "(or kind='command' kind='exchange')"),
            ("outcome:*Cut", "outcome*'*cut'"),
            ("opcode:ping", "opcode=9"),
            ("command:?", "command='?'"),
            ("operation:-", "operation='-'"),
            ("operation=*", "operation='*'"),
            ("sync", "text:\"sync\""),
            ("\"to be\"", "text:\"to be\""),
            ("text:\"Grüße an Änne\"", "text:\"gruße an anne\""),
            ("foo-bar/baz", "text:\"foo bar baz\""),
            ("resto*", "text:\"resto\" *"),
            ("text:resto*", "text:\"resto\" *"),
            ("text:*", "text?"),
            ("404", "text:\"404\""),
            ("\"and\"", "text:\"and\""),
        ] as [(String, String)])
    func `reads`(text: String, expected: String) throws {
        #expect(outline(try Filter.parse(text).root) == expected)
    }

    @Test(
        arguments: [
            ("a b", "(and A B)"),
            ("a and b", "(and A B)"),
            ("a AND b && c", "(and A B C)"),
            ("a or b", "(or A B)"),
            ("a || b OR c", "(or A B C)"),
            ("a b or c d", "(or (and A B) (and C D))"),
            ("a and b or c and d", "(or (and A B) (and C D))"),
            ("a or b c", "(or A (and B C))"),
            ("(a or b) c", "(and (or A B) C)"),
            ("(a or b)(c or d)", "(and (or A B) (or C D))"),
            ("((a))", "A"),
            ("not a b", "(and (not A) B)"),
            ("not a or b", "(or (not A) B)"),
            ("not (a or b)", "(not (or A B))"),
            ("not(a)", "(not A)"),
            ("!a", "(not A)"),
            ("!(a b)", "(not (and A B))"),
            ("-a b", "(and (not A) B)"),
            ("not not a", "(not (not A))"),
            ("a not b", "(and A (not B))"),
            ("a and not b or !c", "(or (and A (not B)) (not C))"),
            ("\"a\"or\"b\"", nil),
            ("a\nor\tb", "(or A B)"),
        ] as [(String, String?)])
    func `binds not before and before or`(text: String, expected: String?) throws {
        guard let expected else {
            #expect(throws: FilterError.self) { try Filter.parse(text) }
            return
        }
        var shown = outline(try Filter.parse(text).root)
        for letter in ["a", "b", "c", "d"] {
            shown = String(
                shown.split(separator: "text:\"\(letter)\"", omittingEmptySubsequences: false)
                    .joined(separator: letter.uppercased()))
        }
        #expect(shown == expected)
    }

    @Test(arguments: Field.all) func `knows every field`(field: Field) throws {
        let name = field.isFamily ? "\(field).x-y" : field.rawValue
        #expect(
            outline(try Filter.parse("has:\(name)").root) == "\(name)?")
        let filter = try Filter.parse(" \(name.uppercased()):*")
        #expect(filter.fields == [field])
        #expect(
            filter.mentions == [
                Filter.Mention(
                    field: field, name: field.isFamily ? "x-y" : nil,
                    range: 1..<1 + name.unicodeScalars.count)
            ])
        #expect(!field.details.subjects.isEmpty)
        #expect(
            (field.details.since != nil) == field.details.subjects.contains(.exchange)
                || field.details.subjects.contains(.message))
        #expect(field.details.sentence.hasSuffix("."))
    }

    @Test func `takes a long filter and refuses a longer one`() throws {
        let long = String(repeating: " ", count: FilterError.maximumLength - 1) + "a"
        #expect(outline(try Filter.parse(long).root) == "text:\"a\"")
        #expect(throws: FilterError(.tooLong, 16_384..<16_385)) { try Filter.parse(long + "a") }
    }

    @Test(arguments: ["(", "not ", "!", "-", "(not "]) func `bounds its depth`(part: String) {
        let count = part.utf8.count
        let text = String(repeating: part, count: 16_000 / count)
        let place = 100 / (part == "(not " ? 2 : 1) * count
        #expect(throws: FilterError(.tooDeep, place..<place + 1)) {
            try Filter.parse(text + "a")
        }
        #expect(throws: FilterError.self) {
            try Filter.parse(String(repeating: part, count: 100_000))
        }
    }

    @Test func `takes a hundred parentheses`() throws {
        let text =
            String(repeating: "(", count: 100) + "a" + String(repeating: ")", count: 100)
        #expect(outline(try Filter.parse(text).root) == "text:\"a\"")
    }

    @Test func `bounds the number of comparisons`() throws {
        let elements = (1...1000).map(String.init).joined(separator: ",")
        _ = try Filter.parse("id:{\(elements)}")
        #expect(throws: FilterError.self) { try Filter.parse("id:{\(elements),1001}") }
        #expect(throws: FilterError.self) {
            try Filter.parse(String(repeating: "a ", count: 1001))
        }
    }

    @Test func `is equal whatever the spacing`() throws {
        #expect(try Filter.parse("status:200 a") == Filter.parse(" status = 200 and  a"))
        #expect(try Filter.parse("status:200") != Filter.parse("status:201"))
    }

    @Test(arguments: 0..<2_000) func `survives anything`(seed: UInt64) {
        var random = Seeded(seed)
        let pieces = [
            "status", "host", ":", "=", "!=", "~", "=~", "<", ">", "..", "(", ")", "{", "}", ",",
            "\"", "/", "\\", "*", " ", "and", "or", "not", "!", "-", "in", "1", "4xx", "ms", "é",
            "header.", "x", "\n", "[", "&", "|", "has", "body", "at", "\u{0}", "🎉",
        ]
        let text = (0..<Int.random(in: 1...12, using: &random))
            .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
        do throws(FilterError) {
            let filter = try Filter.parse(text)
            for subject in FilterSubject.allCases {
                let condition = filter.sql(for: subject)
                let marks = condition.text.utf8.count { $0 == UInt8(ascii: "?") }
                #expect(marks == condition.arguments.count)
            }
        } catch {
            let count = text.unicodeScalars.count
            #expect(error.range.lowerBound >= 0 && error.range.upperBound <= count, "\(text)")
            #expect(error.report(in: text).contains("^"), "\(text)")
        }
    }
}
