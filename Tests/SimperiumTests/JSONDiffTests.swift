import Notation
import Simperium
import Testing
import Wire

struct JSONDiffTests {
    private func apply(_ diff: String, _ base: String) throws -> String {
        try JSONDiff.apply(JSONValue(parsing: diff), to: JSONValue(parsing: base)).text()
    }

    /// Proves: S-47.
    @Test(arguments: [
        (#"{"a":"b"}"#, #"{"a":{"o":"d","v":"-1\t+c"}}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":{"o":"r","v":7}}"#, #"{"a":7}"#),
        (#"{"a":"b"}"#, #"{"e":{"o":"+","v":"d"}}"#, #"{"a":"b","e":"d"}"#),
        (#"{"a":"b","e":"d"}"#, #"{"e":{"o":"-"}}"#, #"{"a":"b"}"#),
        (#"{"a":1}"#, #"{"a":{"o":"I","v":1}}"#, #"{"a":2}"#),
        (#"{"a":3}"#, #"{"a":{"o":"I","v":-1}}"#, #"{"a":2}"#),
        (#"{"a":1.5}"#, #"{"a":{"o":"I","v":1}}"#, #"{"a":2.5}"#),
        (#"{"a":1152921504606846976}"#, #"{"a":{"o":"I","v":1}}"#, #"{"a":1152921504606846977}"#),
        (
            #"{"a":{"b":{"c":1}}}"#,
            #"{"a":{"o":"O","v":{"b":{"o":"O","v":{"c":{"o":"I","v":1}}}}}}"#,
            #"{"a":{"b":{"c":2}}}"#
        ),
        (#"{"a":[1,2,3]}"#, #"{"a":{"o":"L","v":{"3":{"o":"+","v":4}}}}"#, #"{"a":[1,2,3,4]}"#),
        (#"{"a":[1,2,3,4]}"#, #"{"a":{"o":"L","v":{"3":{"o":"-"}}}}"#, #"{"a":[1,2,3]}"#),
        (
            #"{"a":[1,2,3,4]}"#,
            #"{"a":{"o":"L","v":{"0":{"o":"-"},"2":{"o":"-"},"3":{"o":"r","v":9}}}}"#,
            #"{"a":[2,9]}"#
        ),
        (
            #"{"a":[1,2,3]}"#,
            #"{"a":{"o":"L","v":{"1":{"o":"+","v":8},"2":{"o":"+","v":9}}}}"#,
            #"{"a":[1,8,9,2,3]}"#
        ),
        (
            #"{"a":[0,1,2,3,4,5,6,7,8,9,10,11]}"#,
            #"{"a":{"o":"L","v":{"10":{"o":"r","v":"x"},"2":{"o":"-"},"9":{"o":"-"}}}}"#,
            #"{"a":[0,1,3,4,5,6,7,8,"x",11]}"#
        ),
        (
            #"{"a":[{"d":1},"x",[1]]}"#,
            #"{"a":{"o":"L","v":{"0":{"o":"O","v":{"d":{"o":"I","v":1}}},"1":{"o":"d","v":"=1\t+y"},"#
                + #""2":{"o":"L","v":{"0":{"o":"-"}}}}}}"#,
            #"{"a":[{"d":2},"xy",[]]}"#
        ),
        (#"{"a":[1,2,3]}"#, #"{"a":{"o":"dL","v":"=6\t+4%0A"}}"#, #"{"a":[1,2,3,4]}"#),
        (#"{"a":[1,2,3,4]}"#, #"{"a":{"o":"dL","v":"=6\t-2"}}"#, #"{"a":[1,2,3]}"#),
        (
            #"{"a":[{"b":"é"}]}"#, #"{"a":{"o":"dL","v":"=10\t+1%0A"}}"#, #"{"a":[{"b":"é"},1]}"#
        ),
        (
            #"{"a":[{"b":"é"}]}"#, #"{"a":{"o":"dL","v":"=16\t+1%0A"}}"#, #"{"a":[{"b":"é"},1]}"#
        ),
        ("{}", #"{"a":{"o":"+","v":null},"b":{"o":"+","v":{}}}"#, #"{"a":null,"b":{}}"#),
        (#"{"a":null}"#, #"{"b":{"o":"+","v":1.0}}"#, #"{"a":null,"b":1.0}"#),
        (#"{"a":1,"b":2}"#, #"{"a":{"o":"+","v":3}}"#, #"{"a":3,"b":2}"#),
        (#"{"a":1,"a":2,"b":3}"#, #"{"a":{"o":"-"}}"#, #"{"b":3}"#),
        (#"{"a":1,"a":2}"#, #"{"a":{"o":"I","v":1}}"#, #"{"a":1,"a":3}"#),
        (#"{"a":1}"#, #"{"a":{"o":"r","v":2},"a":{"o":"r","v":3}}"#, #"{"a":3}"#),
        (#"{"a":1}"#, "{}", #"{"a":1}"#), ("[1]", #"{"0":{"o":"r","v":2}}"#, "[2]"),
        ("{\"\u{E9}\":1}", "{\"e\u{301}\":{\"o\":\"+\",\"v\":2}}", "{\"\u{E9}\":1,\"e\u{301}\":2}"),
    ])
    func `applies`(base: String, diff: String, expected: String) throws {
        #expect(try apply(diff, base).utf8.elementsEqual(expected.utf8))
    }

    @Test(
        arguments: [
            ("{}", "[]", "", .notAMap), ("1", "{}", "", .wrongKind(operation: "O", found: .number)),
            ("{}", #"{"a":1}"#, "a", .notAnOperation),
            ("{}", #"{"a":{"v":1}}"#, "a", .notAnOperation),
            ("{}", #"{"a":{"o":"x"}}"#, "a", .unknownOperation("x")),
            ("{}", #"{"a":{"o":"+"}}"#, "a", .badValue(operation: "+")),
            ("{}", #"{"a":{"o":"-"}}"#, "a", .nothingThere(operation: "-")),
            ("{}", #"{"a":{"o":"d","v":"+x"}}"#, "a", .nothingThere(operation: "d")),
            (
                #"{"a":1}"#, #"{"a":{"o":"d","v":"+x"}}"#, "a",
                .wrongKind(operation: "d", found: .number)
            ),
            (#"{"a":"x"}"#, #"{"a":{"o":"d","v":1}}"#, "a", .badValue(operation: "d")),
            (
                #"{"a":"x"}"#, #"{"a":{"o":"I","v":1}}"#, "a",
                .wrongKind(operation: "I", found: .string)
            ),
            (#"{"a":1}"#, #"{"a":{"o":"I","v":"1"}}"#, "a", .badValue(operation: "I")),
            (#"{"a":1e308}"#, #"{"a":{"o":"I","v":1e308}}"#, "a", .overflow),
            (
                #"{"a":[]}"#, #"{"a":{"o":"O","v":{}}}"#, "a",
                .wrongKind(operation: "O", found: .array)
            ),
            (
                #"{"a":{}}"#, #"{"a":{"o":"L","v":{}}}"#, "a",
                .wrongKind(operation: "L", found: .object)
            ),
            (#"{"a":[1]}"#, #"{"a":{"o":"L","v":{"x":{"o":"-"}}}}"#, "a", .badIndex("x", count: 1)),
            (
                #"{"a":[1]}"#, #"{"a":{"o":"L","v":{"-1":{"o":"-"}}}}"#, "a",
                .badIndex("-1", count: 1)
            ),
            (
                #"{"a":[1]}"#, #"{"a":{"o":"L","v":{"01":{"o":"-"}}}}"#, "a",
                .badIndex("01", count: 1)
            ),
            (
                #"{"a":[1]}"#, #"{"a":{"o":"L","v":{"1":{"o":"-"}}}}"#, "a[1]",
                .nothingThere(operation: "-")
            ),
            (
                #"{"a":[1]}"#, #"{"a":{"o":"L","v":{"1":{"o":"r","v":2}}}}"#, "a[1]",
                .badIndex("1", count: 1)
            ),
            (
                #"{"a":[1]}"#, #"{"a":{"o":"L","v":{"9":{"o":"+","v":2}}}}"#, "a[9]",
                .badIndex("9", count: 1)
            ),
            (
                #"{"a":[1]}"#, #"{"a":{"o":"dL","v":"=2\t+x%0A"}}"#, "a",
                .notAList(.invalidLiteral(offset: 0))
            ),
            (
                #"{"a":"abc"}"#, #"{"a":{"o":"d","v":"=2"}}"#, "a",
                .delta(.length(delta: 2, base: 3, fits: nil))
            ),
            (
                #"{"a":{"b c":["x"]}}"#,
                #"{"a":{"o":"O","v":{"b c":{"o":"L","v":{"0":{"o":"d","v":"*"}}}}}}"#,
                #"a["b c"][0]"#, .delta(.unknownToken(0x2A, offset: 0))
            ),
        ] as [(String, String, String, DiffError.Reason)])
    func `refuses`(base: String, diff: String, path: String, reason: DiffError.Reason) throws {
        let diff = try JSONValue(parsing: diff)
        let base = try JSONValue(parsing: base)
        do {
            _ = try JSONDiff.apply(diff, to: base)
            Issue.record("applied")
        } catch {
            #expect(error.reason == reason)
            #expect(error.path.description == path)
            #expect(!error.description.isEmpty)
        }
    }

    @Test func `many keys take linear time`() throws {
        let keys = 0..<50_000
        let base = JSONValue.object(
            JSONObject(keys.map { JSONObject.Member("key\($0)", .number("1")) }))
        let diff = JSONValue.object(
            JSONObject(
                keys.map {
                    JSONObject.Member(
                        "key\($0)",
                        .object(JSONObject([JSONObject.Member("o", .string("-"))])))
                }))
        #expect(try JSONDiff.apply(diff, to: base) == .object(JSONObject()))
    }
}
