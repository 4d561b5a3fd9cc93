import Notation
import Testing

struct JSONTextTests {
    private func root(_ text: String) throws -> JSONDocument.Node {
        try JSONDocument.scan(Array(text.utf8)).root
    }

    @Test func `lays out one member and element per line`() throws {
        let node = try root(#"{"b":[1.0,{"c":"\u00e9"},[]],"a":{},"b":null}"#)
        #expect(
            JSONText.pretty(node, indent: 2) == #"""
                {
                  "b": [
                    1.0,
                    {
                      "c": "\u00e9"
                    },
                    []
                  ],
                  "a": {},
                  "b": null
                }
                """#)
    }

    @Test(arguments: [
        ("{ }", "{}"), ("[ ]", "[]"), (" 1e5 ", "1e5"),
        (
            #"{"a" : [ ], "b":[ [ ] , 1 ]}"#,
            #"{"a":[],"b":[[],1]}"#
        ), (#""x""#, #""x""#),
    ])
    func `compact leaves out space alone`(text: String, expected: String) throws {
        #expect(JSONText.compact(try root(text)) == expected)
    }

    @Test func `prints a part of a document`() throws {
        let node = try root(#"{"a":{"b":[1]},"c":2}"#)
        #expect(JSONText.compact(try #require(node["a"])) == #"{"b":[1]}"#)
        #expect(JSONText.pretty(try #require(node["a"]?["b"]), indent: 1) == "[\n 1\n]")
    }

    @Test func `ends at the limit`() throws {
        let deep = String(repeating: "[1,", count: 500) + "2" + String(repeating: "]", count: 500)
        let text = JSONText.pretty(try root(deep), indent: 8, limit: 10_000)
        #expect(text.hasSuffix("…") || text.contains("…"))
        #expect(text.utf8.count < 2_000_000)
    }
}
