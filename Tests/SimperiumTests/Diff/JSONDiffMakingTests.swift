import Notation
import Simperium
import Testing
import Wire

struct JSONDiffMakingTests {
    private static let list = DiffPolicy(lists: .list)
    private static let counted = DiffPolicy(lists: .list, integers: .increment)
    private static let listText = DiffPolicy(members: [ExactText("a"): DiffPolicy(lists: .listText)]
    )
    private static let mixed = DiffPolicy(
        lists: .list,
        members: [
            ExactText("a"): DiffPolicy(
                lists: .list,
                members: [
                    ExactText("d"): DiffPolicy(integers: .increment),
                    ExactText("e"): DiffPolicy(strings: .replace),
                ])
        ])

    @Test(
        arguments: [
            (#"{"a":"b"}"#, #"{"a":"c"}"#, .usual, #"{"a":{"o":"d","v":"-1\t+c"}}"#),
            (#"{"a":"b"}"#, #"{"a":7}"#, .usual, #"{"a":{"o":"r","v":7}}"#),
            (#"{"a":"b"}"#, #"{"a":"b","e":"d"}"#, .usual, #"{"e":{"o":"+","v":"d"}}"#),
            (#"{"a":"b","e":"d"}"#, #"{"a":"b"}"#, .usual, #"{"e":{"o":"-"}}"#),
            (#"{"a":1}"#, #"{"a":2}"#, .usual, #"{"a":{"o":"r","v":2}}"#),
            (#"{"a":1}"#, #"{"a":2}"#, counted, #"{"a":{"o":"I","v":1}}"#),
            (#"{"a":3}"#, #"{"a":2}"#, counted, #"{"a":{"o":"I","v":-1}}"#),
            (#"{"a":3}"#, #"{"a":2.5}"#, counted, #"{"a":{"o":"r","v":2.5}}"#),
            (
                #"{"a":-9223372036854775808}"#, #"{"a":9223372036854775807}"#, counted,
                #"{"a":{"o":"r","v":9223372036854775807}}"#
            ),
            (
                #"{"a":{"b":{"c":1}}}"#, #"{"a":{"b":{"c":2}}}"#, counted,
                #"{"a":{"o":"O","v":{"b":{"o":"O","v":{"c":{"o":"I","v":1}}}}}}"#
            ),
            (
                #"{"a":{"b":{"c":[1]}}}"#, #"{"a":{"b":{"c":[2]}}}"#, counted,
                #"{"a":{"o":"O","v":{"b":{"o":"O","v":{"c":{"o":"L","v":{"0":{"o":"I","v":1}}}}}}}}"#
            ),
            (
                #"{"a":[{"d":1},1,{"e":"y"}]}"#, #"{"a":[{"d":2},2,{"e":"x"}]}"#, mixed,
                #"{"a":{"o":"L","v":{"0":{"o":"O","v":{"d":{"o":"I","v":1}}},"1":{"o":"r","v":2},"#
                    + #""2":{"o":"O","v":{"e":{"o":"r","v":"x"}}}}}}"#
            ),
            (#"{"a":[1,2,3]}"#, #"{"a":[1,2,3,4]}"#, .usual, #"{"a":{"o":"r","v":[1,2,3,4]}}"#),
            (
                #"{"a":[1,2,3]}"#, #"{"a":[1,2,3,4]}"#, list,
                #"{"a":{"o":"L","v":{"3":{"o":"+","v":4}}}}"#
            ),
            (#"{"a":[1,2,3,4]}"#, #"{"a":[1,2,3]}"#, list, #"{"a":{"o":"L","v":{"3":{"o":"-"}}}}"#),
            (
                #"{"a":[1,2,3]}"#, #"{"a":[8,9,1,3,"x"]}"#, list,
                #"{"a":{"o":"L","v":{"0":{"o":"+","v":8},"1":{"o":"+","v":9},"3":{"o":"-"},"#
                    + #""5":{"o":"+","v":"x"}}}}"#
            ),
            (
                #"{"a":[1,2,3]}"#, #"{"a":[1,2,3,4]}"#, listText,
                #"{"a":{"o":"dL","v":"=6\t+4%0A"}}"#
            ),
            (#"{"a":[1,2,3,4]}"#, #"{"a":[1,2,3]}"#, listText, #"{"a":{"o":"dL","v":"=6\t-2"}}"#),
            (#"{"a":["😀"]}"#, #"{"a":[]}"#, listText, #"{"a":{"o":"dL","v":"-5"}}"#),
            ("[1,2]", "[1]", .usual, #"{"1":{"o":"-"}}"#),
            (
                "{}", #"{"a":null,"b":{}}"#, .usual,
                #"{"a":{"o":"+","v":null},"b":{"o":"+","v":{}}}"#
            ),
            (#"{"a":null}"#, #"{"a":{}}"#, .usual, #"{"a":{"o":"r","v":{}}}"#),
            (#"{"a":1}"#, #"{"a":null}"#, .usual, #"{"a":{"o":"r","v":null}}"#),
            (#"{"a":true}"#, #"{"a":1}"#, .usual, #"{"a":{"o":"r","v":1}}"#),
            (
                #"{"a":1152921504606846976}"#, #"{"a":1152921504606846977}"#, .usual,
                #"{"a":{"o":"r","v":1152921504606846977}}"#
            ),
            (#"{"a":1}"#, #"{"a":1.50}"#, .usual, #"{"a":{"o":"r","v":1.50}}"#),
            (
                "{\"é\":1}", "{\"e\u{301}\":1}", .usual,
                "{\"é\":{\"o\":\"-\"},\"e\u{301}\":{\"o\":\"+\",\"v\":1}}"
            ),
        ] as [(String, String, DiffPolicy, String)])
    func `makes`(old: String, new: String, policy: DiffPolicy, expected: String) throws {
        let base = try JSONValue(parsing: old)
        let diff = try JSONDiff.diff(base, JSONValue(parsing: new), policy: policy)
        #expect(diff.text().utf8.elementsEqual(expected.utf8))
        #expect(!JSONDiff.isEmpty(diff))
        #expect(try JSONDiff.apply(diff, to: base).isSame(as: JSONValue(parsing: new)))
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":1.0}"#), (#"{"a":10}"#, #"{"a":1e1}"#),
        (#"{"a":[1,{"b":2,"c":3}]}"#, #"{"a":[1.0,{"c":3,"b":2}]}"#),
        (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#), (#"{"a":1,"a":2}"#, #"{"a":2}"#),
        (#"{"a":2}"#, #"{"a":1,"a":2}"#), (#"{"a":{"x":null}}"#, #"{"a":{"x":null}}"#),
        (#"{"a":"\u00e9"}"#, #"{"a":"é"}"#), ("[1]", "[1.0]"),
    ])
    func `what means the same needs no operation`(old: String, new: String) throws {
        for lists in DiffPolicy.Lists.allCases {
            for integers in DiffPolicy.Integers.allCases {
                let policy = DiffPolicy(lists: lists, integers: integers)
                let diff = try JSONDiff.diff(
                    JSONValue(parsing: old), JSONValue(parsing: new), policy: policy)
                #expect(diff.text() == "{}")
                #expect(JSONDiff.isEmpty(diff))
            }
        }
    }

    @Test func `only objects and arrays are compared`() throws {
        let values: [JSONValue] = [.object(JSONObject()), .array([]), .string("a"), .null]
        for (place, old) in values.enumerated() {
            for (other, new) in values.enumerated() where place != other || place > 1 {
                #expect(throws: DiffError.self) { try JSONDiff.diff(old, new) }
            }
        }
    }

    @Test func `operations without effect are seen`() throws {
        for text in [
            "{}", #"{"a":{"o":"O","v":{}}}"#, #"{"a":{"o":"L","v":{}}}"#,
            #"{"a":{"o":"d","v":"=5"}}"#,
            #"{"a":{"o":"d","v":""}}"#, #"{"a":{"o":"O","v":{"b":{"o":"dL","v":"=2"}}}}"#,
        ] { #expect(JSONDiff.isEmpty(try JSONValue(parsing: text))) }
        for text in ["[]", #"{"a":{"o":"-"}}"#, #"{"a":{"o":"d","v":"=5\t+x"}}"#, #"{"a":1}"#] {
            #expect(!JSONDiff.isEmpty(try JSONValue(parsing: text)))
        }
    }

    @Test func `finds duplicate keys`() throws {
        let value = try JSONValue(parsing: #"{"a":[{"b":1,"b":2,"b":3}],"c":{},"c":{"d":0,"d":0}}"#)
        #expect(
            JSONDiff.duplicateKeys(in: value).map(\.description) == ["a[0].b", "c", "c.d"])
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `applied to the old value, gives the new one`(seed: UInt64) throws {
        var documents = RandomDocuments(seed: seed)
        for _ in 0..<150 {
            let old = documents.object()
            let new =
                documents.number(in: 0...4) > 0
                ? documents.edited(old, depth: 4) : documents.object()
            guard case .object = new else { continue }
            let choice = documents.policy()
            let policy = DiffPolicy(
                lists: DiffPolicy.Lists.allCases[choice.lists],
                integers: DiffPolicy.Integers.allCases[choice.integers])
            let diff = try JSONDiff.diff(old, new, policy: policy)
            #expect(try JSONDiff.apply(diff, to: old).isSame(as: new))
            #expect(JSONDiff.isEmpty(diff) == old.isSame(as: new))
            let again = try JSONValue(parsing: diff.text())
            #expect(again == diff)
        }
    }
}
