import Replaying
import Testing

struct MeaningTests {
    private static let type = "multipart/form-data; boundary="

    private static func multipart(_ boundary: String, _ parts: [(String, String)]) -> String {
        parts.map { "--\(boundary)\r\n\($0.0)\r\n\r\n\($0.1)\r\n" }.joined()
            + "--\(boundary)--\r\n"
    }

    @Test(arguments: [
        ("", ""),
        (#"{"a":1,"b":[true,null]}"#, "{ \"b\" : [true, null],\n\"a\":1.0 }"),
        (#"{"a":100}"#, #"{"a":1e2}"#),
        (#"{"a":1,"a":2}"#, #"{"a":2}"#),
        (#"["\u00e9"]"#, #"["é"]"#),
        (#"{"token":"a","x":1}"#, #"{"token":"b","x":1}"#),
        (
            "<a x='1' y='2'><b/></a>",
            "<?xml version='1.0'?>\n<a y=\"2\" x=\"1\">\n  <b></b>\n</a>\n"
        ),
        ("<p:a xmlns:p='u'/>", "<a xmlns='u'/>"),
        ("<a>&lt;<![CDATA[b]]></a>", "<a>&lt;b</a>"),
        ("<a><!-- one --><b/></a>", "<a><b/><?two?></a>"),
        (
            "<f><meta><instanceID>1</instanceID><timeEnd>2</timeEnd></meta></f>",
            "<f><meta><instanceID>7</instanceID><timeEnd>8</timeEnd></meta></f>"
        ),
        (
            "<r><Sync><restore_id>a</restore_id></Sync></r>",
            "<r><Sync><restore_id>b</restore_id></Sync></r>"
        ),
        (
            "<r><Registration><date>2026-01-31</date></Registration></r>",
            "<r><Registration><date>2026-02-01</date></Registration></r>"
        ),
        (
            "<f><case date_modified='1' case_id='c'/></f>",
            "<f><case case_id='c' date_modified='2'/></f>"
        ),
        ("<data id='v' instanceID='1'><a/></data>", "<data id='v' instanceID='2'><a/></data>"),
    ])
    func `is the same`(a: String, b: String) {
        #expect(Meaning(bytes(a)).isSame(as: Meaning(bytes(b))))
        #expect(Meaning(bytes(b)).isSame(as: Meaning(bytes(a))))
    }

    @Test(arguments: [
        ("", "x"), ("{}", "[]"), (#"{"a":1}"#, #"{"a":"1"}"#), (#"{"a":null}"#, "{}"),
        ("[1,2]", "[2,1]"), (#"{"token":"a"}"#, "{}"), ("<a/>", "<b/>"),
        ("<a xmlns='u'/>", "<a xmlns='v'/>"), ("<a> x</a>", "<a>x</a>"),
        ("<a><b/><c/></a>", "<a><c/><b/></a>"), ("<a>1<b/></a>", "<a>2<b/></a>"),
        ("<f><instanceID>1</instanceID></f>", "<f><instanceID>2</instanceID></f>"),
        ("<f><meta><instanceID>1</instanceID></meta></f>", "<f><meta/></f>"),
        ("<f instanceID='1'/>", "<f/>"),
        ("<f><a instanceID='1'/></f>", "<f><a instanceID='2'/></f>"),
        ("1234567890123456789012", "1234567890123456789013"),
        ("[1234567890123456789012]", "[1234567890123456789013]"),
    ])
    func `is another`(a: String, b: String) {
        #expect(!Meaning(bytes(a)).isSame(as: Meaning(bytes(b))))
        #expect(!Meaning(bytes(b)).isSame(as: Meaning(bytes(a))))
    }

    @Test func `forms are fields in any order`() {
        let type = "application/x-www-form-urlencoded; charset=utf-8"
        func meaning(_ text: String) -> Meaning { Meaning(bytes(text), contentType: type) }
        #expect(meaning("a=1&b=x+y").isSame(as: meaning("b=x%20y&a=%31")))
        #expect(meaning("a=1&a=2&since=q").isSame(as: meaning("since=r&a=1&a=2")))
        #expect(!meaning("a=1&a=2").isSame(as: meaning("a=2&a=1")))
        #expect(!meaning("a=%zz").isSame(as: meaning("a=")))
        #expect(!meaning("since=1").isSame(as: meaning("")))
    }

    @Test func `multipart bodies are their parts`() {
        let head = "Content-Disposition: form-data; name=\"xml_submission_file\"; filename="
        func body(_ boundary: String, _ file: String, _ id: String, _ photo: String) -> Meaning {
            let text = Self.multipart(
                boundary,
                [
                    (
                        head + "\"\(file)\"\r\nContent-Type: text/xml",
                        "<f><meta><instanceID>\(id)</instanceID></meta></f>"
                    ),
                    (
                        "content-disposition: form-data; name=\"p\"; filename=\"1.jpg\"\r\n"
                            + "Content-Type: image/jpeg", photo
                    ),
                ])
            return Meaning(bytes(text), contentType: Self.type + "\"\(boundary)\"")
        }
        #expect(
            body("abc", "one.xml", "1", "\u{1}\r\n").isSame(
                as: body("--x", "2.xml", "2", "\u{1}\r\n")))
        #expect(!body("abc", "a", "1", "\u{1}").isSame(as: body("abc", "a", "1", "\u{1}\n")))
        let cut = Meaning(bytes("--a\r\n\r\nx"), contentType: Self.type + "a")
        guard case .bytes = cut else {
            Issue.record("a body without closing delimiter is bytes")
            return
        }
    }

    @Test(arguments: [
        "{", "<a>", "<a><b></a></b>", "<!DOCTYPE a><a/>", "{\"a\":}", "\u{0}",
        String(repeating: "[", count: 400) + String(repeating: "]", count: 400),
        String(repeating: "<a>", count: 400) + String(repeating: "</a>", count: 400),
    ])
    func `what cannot be read is bytes`(text: String) {
        guard case .bytes(let body) = Meaning(bytes(text), contentType: nil) else {
            Issue.record("read as structure")
            return
        }
        #expect(body == bytes(text))
    }

    @Test func `rules leave out altogether`() throws {
        let rules = try [
            "json:/objects/*/at", "xml:/r/stamp", "xml://@when", "query:nonce", "/both/x",
        ].map { try IgnoreRule(parsing: $0) }
        let leftOut = LeftOut(rules: rules)
        func isSame(_ a: String, _ b: String, _ type: String? = nil) -> Bool {
            Meaning(bytes(a), contentType: type, without: leftOut)
                .isSame(as: Meaning(bytes(b), contentType: type, without: leftOut))
        }
        #expect(isSame(#"{"objects":[{"at":1},{"b":2}]}"#, #"{"objects":[{},{"b":2,"at":3}]}"#))
        #expect(!isSame(#"{"objects":[{"b":1}]}"#, #"{"objects":[{"b":2}]}"#))
        #expect(isSame("<r><stamp>1</stamp><a when='2'/></r>", "<r><a/></r>"))
        #expect(isSame("<both><x/></both>", "<both/>"))
        #expect(isSame(#"{"both":{"x":1}}"#, #"{"both":{}}"#))
        #expect(isSame("a=1&nonce=2", "a=1", "application/x-www-form-urlencoded"))
        #expect(!isSame("a=1&nonce=2", "a=2", "application/x-www-form-urlencoded"))
    }

    @Test func `the volatile is compared where asked`() {
        let all = LeftOut(keepsVolatile: true)
        #expect(
            !Meaning(bytes(#"{"token":1}"#), without: all)
                .isSame(as: Meaning(bytes(#"{"token":2}"#), without: all)))
        #expect(!all.leavesOut(header: "date"))
        #expect(LeftOut.usual.leavesOut(header: "date"))
    }
}
