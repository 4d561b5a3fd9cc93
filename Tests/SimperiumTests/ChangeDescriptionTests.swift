import Notation
import Simperium
import Testing
import Wire

struct ChangeDescriptionTests {
    private func describe(_ diff: String, _ base: String?) throws -> [String] {
        try ChangeDescription.describe(
            JSONValue(parsing: diff), base: base.map { try JSONValue(parsing: $0) })
    }

    @Test(arguments: [
        (#"{"title":{"o":"d","v":"=2\t-1\t+d"}}"#, #"{"title":"abc"}"#, [#"title: "abc" → "abd""#]),
        (#"{"count":{"o":"I","v":1}}"#, #"{"count":3}"#, ["count: 3 → 4"]),
        (#"{"tags":{"o":"r","v":["b"]}}"#, #"{"tags":["a"]}"#, [#"tags: ["a"] → ["b"]"#]),
        (#"{"a":{"o":"+","v":null}}"#, "{}", ["a: added null"]),
        (#"{"a":{"o":"+","v":2}}"#, #"{"a":1}"#, ["a: 1 → 2"]),
        (#"{"a":{"o":"-"}}"#, #"{"a":"x"}"#, [#"a: removed, was "x""#]),
        (
            #"{"a":{"o":"O","v":{"b":{"o":"r","v":2},"c d":{"o":"-"}}}}"#,
            #"{"a":{"b":1,"c d":0}}"#,
            ["a.b: 1 → 2", #"a["c d"]: removed, was 0"#]
        ),
        (
            #"{"t":{"o":"L","v":{"2":{"o":"+","v":"n"},"0":{"o":"-"}}}}"#, #"{"t":["x","y"]}"#,
            [#"t[0]: removed, was "x""#, #"t[2]: added "n""#]
        ),
        (#"{"t":{"o":"dL","v":"=2\t+2%0A"}}"#, #"{"t":[1]}"#, ["t: [1] → [1,2]"]),
        (
            #"{"t":{"o":"d","v":"=5\t+F"}}"#, #"{"t":"ACD😀E"}"#,
            [
                "t: the delta is for 5 UTF-16 code units, the text has 6 (1 too few)"
                    + "; counted in code points it would fit (delta =5 +F)"
            ]
        ),
        (
            #"{"t":{"o":"d","v":"+x"}}"#, "{}",
            ["t: text changed that does not exist (delta +x)"]
        ),
        ("{}", "{}", ["nothing changes"]), ("[]", "{}", ["not a map of operations"]),
    ])
    func `with the base`(diff: String, base: String, lines: [String]) throws {
        #expect(try describe(diff, base) == lines)
    }

    @Test(arguments: [
        (#"{"title":{"o":"d","v":"=2\t-1\t+d"}}"#, ["title: text changed (delta =2 -1 +d)"]),
        (#"{"title":{"o":"d","v":"+a%20b"}}"#, [#"title: text changed (delta +"a b")"#]),
        (#"{"count":{"o":"I","v":1}}"#, ["count: +1"]),
        (#"{"count":{"o":"I","v":-2}}"#, ["count: -2"]),
        (#"{"tags":{"o":"r","v":["b"]}}"#, [#"tags: replaced by ["b"]"#]),
        (#"{"a":{"o":"-"}}"#, ["a: removed"]), (#"{"a":{"o":"+","v":"x"}}"#, [#"a: added "x""#]),
        (#"{"a":{"o":"O","v":{"b":{"o":"-"}}}}"#, ["a.b: removed"]),
        (
            #"{"a":{"o":"L","v":{"x":{"o":"-"},"1":{"o":"-"}}}}"#,
            ["a: no index: \"x\"", "a[1]: removed"]
        ),
        (#"{"a":{"o":"dL","v":"=2"}}"#, ["a: list changed (delta =2)"]),
        (#"{"a":{"o":"d","v":"*"}}"#, ["a: unknown token at byte 0 of the delta"]),
        (#"{"a":{"o":"z"}}"#, [#"a: unknown operation "z""#]),
        (#"{"a":1}"#, ["a: not an operation"]),
        (#"{"a":{"o":"+"}}"#, ["a: the value of + is missing or of the wrong kind"]),
        (#"{"a":{"o":"r","v":"line\n"}}"#, [#"a: replaced by "line\n""#]),
    ])
    func `without the base`(diff: String, lines: [String]) throws {
        #expect(try describe(diff, nil) == lines)
    }

    @Test func `long texts are shown around the difference`() throws {
        let before = String(repeating: "lorem ipsum ", count: 20)
        let after = String(repeating: "dolor sit am ", count: 20)
        let base = "{\"content\":\"\(before)old\(after)\"}"
        let diff =
            "{\"content\":{\"o\":\"d\",\"v\":\"=\(before.utf16.count)\\t-3\\t+new\\t=\(after.utf16.count)\"}}"
        #expect(
            try describe(diff, base)
                == [#"content: "…lorem ipsum olddolor sit am…" → "…lorem ipsum newdolor sit am…""#])
    }

    @Test func `long values and many lines are cut`() throws {
        let long = String(repeating: "x", count: 5_000)
        let line = try #require(try describe("{\"a\":{\"o\":\"+\",\"v\":\"\(long)\"}}", nil).first)
        #expect(line.count < 100)
        #expect(line.hasSuffix("…\""))
        let rewritten = try describe(
            "{\"a\":{\"o\":\"r\",\"v\":\"\(long)\"}}", "{\"a\":\"\(long.uppercased())\"}")
        #expect(rewritten[0].count < 300)
        let members = (0..<1_000).map { "\"k\($0)\":{\"o\":\"-\"}" }.joined(separator: ",")
        let lines = try describe("{\(members)}", nil)
        #expect(lines.count == ChangeDescription.maxLines + 1)
        #expect(lines.last == "… and 800 more")
    }

    @Test func `a whole change`() throws {
        func lines(_ text: String, from sender: Peer, base: String?) throws -> [String] {
            guard case .changes(let changes) = read(text, from: sender).body else {
                throw Unexpected()
            }
            return try ChangeDescription.describe(
                changes[0], in: Array(text.utf8), base: base.map { try JSONValue(parsing: $0) })
        }
        #expect(
            try lines(
                #"0:c:{"id":"k","o":"M","v":{"a":{"o":"r","v":1}},"d":{"a":1},"ccid":"x"}"#,
                from: .client, base: nil)
                == ["a: replaced by 1", "whole object sent, 7 bytes"])
        #expect(
            try lines(#"0:c:{"id":"k","o":"-","ccid":"x"}"#, from: .client, base: nil) == [
                "removed"
            ])
        #expect(
            try lines(#"0:c:[{"id":"k","error":440,"ccids":["x"]}]"#, from: .server, base: nil)
                == ["refused: 440 invalid diff"])
        #expect(
            try lines(#"0:c:{"id":"b","o":"EMPTY","ccid":"x"}"#, from: .client, base: nil)
                == ["all objects removed"])
    }
}
