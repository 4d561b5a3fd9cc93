import Notation
import Simperium
import Testing
import Wire

struct JSONTransformTests {
    /// What is left of `local` over `remote`; checks that it can be applied.
    private func transform(
        _ local: String, _ remote: String, _ base: String, _ policy: DiffPolicy = .usual
    ) throws -> (left: String, result: String) {
        let base = try JSONValue(parsing: base)
        let remote = try JSONValue(parsing: remote)
        let left = try JSONDiff.transform(
            JSONValue(parsing: local), over: remote, base: base, policy: policy)
        let result = try JSONDiff.apply(left, to: JSONDiff.apply(remote, to: base))
        return (left.text(), result.text())
    }

    @Test(arguments: [
        // Only in one of them.
        (#"{"a":1}"#, #"{"b":{"o":"+","v":1}}"#, #"{"a":{"o":"-"}}"#, #"{"b":{"o":"+","v":1}}"#),
        (#"{"a":1}"#, "{}", #"{"a":{"o":"-"}}"#, "{}"),
        (#"{"a":1}"#, #"{"a":{"o":"-"}}"#, "{}", #"{"a":{"o":"-"}}"#),
        // + over +
        ("{}", #"{"a":{"o":"+","v":1}}"#, #"{"a":{"o":"+","v":1.0}}"#, "{}"),
        (
            "{}", #"{"a":{"o":"+","v":"ab"}}"#, #"{"a":{"o":"+","v":"ac"}}"#,
            #"{"a":{"o":"d","v":"=1\t-1\t+b"}}"#
        ),
        ("{}", #"{"a":{"o":"+","v":1}}"#, #"{"a":{"o":"+","v":"x"}}"#, #"{"a":{"o":"r","v":1}}"#),
        (
            "{}", #"{"a":{"o":"+","v":{"x":1}}}"#, #"{"a":{"o":"+","v":{"y":1}}}"#,
            #"{"a":{"o":"O","v":{"y":{"o":"-"},"x":{"o":"+","v":1}}}}"#
        ),
        // - over -
        (#"{"a":1}"#, #"{"a":{"o":"-"}}"#, #"{"a":{"o":"-"}}"#, "{}"),
        // A change over -
        (
            #"{"a":{"x":1}}"#, #"{"a":{"o":"O","v":{"x":{"o":"r","v":2}}}}"#, #"{"a":{"o":"-"}}"#,
            #"{"a":{"o":"+","v":{"x":2}}}"#
        ),
        (
            #"{"a":[1]}"#, #"{"a":{"o":"L","v":{"0":{"o":"-"}}}}"#, #"{"a":{"o":"-"}}"#,
            #"{"a":{"o":"+","v":[]}}"#
        ),
        (
            #"{"a":[1]}"#, #"{"a":{"o":"dL","v":"=2\t+2%0A"}}"#, #"{"a":{"o":"-"}}"#,
            #"{"a":{"o":"+","v":[1,2]}}"#
        ),
        (#"{"a":1}"#, #"{"a":{"o":"I","v":4}}"#, #"{"a":{"o":"-"}}"#, #"{"a":{"o":"+","v":5}}"#),
        (
            #"{"a":"x"}"#, #"{"a":{"o":"d","v":"=1\t+y"}}"#, #"{"a":{"o":"-"}}"#,
            #"{"a":{"o":"+","v":"xy"}}"#
        ),
        // O over O
        (
            #"{"a":{"x":1,"y":1}}"#, #"{"a":{"o":"O","v":{"x":{"o":"r","v":2}}}}"#,
            #"{"a":{"o":"O","v":{"y":{"o":"-"}}}}"#, #"{"a":{"o":"O","v":{"x":{"o":"r","v":2}}}}"#
        ),
        (
            #"{"a":{"x":1}}"#, #"{"a":{"o":"O","v":{"x":{"o":"-"}}}}"#,
            #"{"a":{"o":"O","v":{"x":{"o":"-"}}}}"#, "{}"
        ),
        // The local value wins.
        (
            #"{"a":1}"#, #"{"a":{"o":"r","v":2}}"#, #"{"a":{"o":"r","v":3}}"#,
            #"{"a":{"o":"r","v":2}}"#
        ),
        (#"{"a":1}"#, #"{"a":{"o":"r","v":2}}"#, #"{"a":{"o":"-"}}"#, #"{"a":{"o":"r","v":2}}"#),
        (#"{"a":1}"#, #"{"a":{"o":"-"}}"#, #"{"a":{"o":"r","v":2}}"#, #"{"a":{"o":"-"}}"#),
        (
            #"{"a":{}}"#, #"{"a":{"o":"-"}}"#, #"{"a":{"o":"O","v":{"x":{"o":"+","v":1}}}}"#,
            #"{"a":{"o":"-"}}"#
        ),
        (
            #"{"a":"x"}"#, #"{"a":{"o":"r","v":"z"}}"#, #"{"a":{"o":"d","v":"=1\t+y"}}"#,
            #"{"a":{"o":"r","v":"z"}}"#
        ),
        // Both count.
        (
            #"{"a":1}"#, #"{"a":{"o":"I","v":4}}"#, #"{"a":{"o":"I","v":4}}"#,
            #"{"a":{"o":"I","v":4}}"#
        ),
        (
            #"{"a":1}"#, #"{"a":{"o":"I","v":4}}"#, #"{"a":{"o":"r","v":9}}"#,
            #"{"a":{"o":"I","v":4}}"#
        ),
        // d over d
        (
            #"{"a":"q"}"#, #"{"a":{"o":"d","v":"=1\t+x"}}"#, #"{"a":{"o":"d","v":"=1\t+x"}}"#,
            #"{"a":{"o":"d","v":"=2\t+x"}}"#
        ),
        (
            #"{"a":"q"}"#, #"{"a":{"o":"d","v":"-1"}}"#, #"{"a":{"o":"d","v":"-1\t+😀"}}"#, "{}"
        ),
        // dL over dL
        (
            #"{"a":[1,2]}"#, #"{"a":{"o":"dL","v":"=4\t+3%0A"}}"#,
            #"{"a":{"o":"dL","v":"-2\t=2"}}"#,
            #"{"a":{"o":"dL","v":"=2\t+3%0A"}}"#
        ),
        (#"{"a":[1]}"#, #"{"a":{"o":"dL","v":"-2"}}"#, #"{"a":{"o":"dL","v":"-2"}}"#, "{}"),
        // Deltas within a line are taken as what they make of it.
        (
            #"{"a":[1,2]}"#, #"{"a":{"o":"dL","v":"=1\t+0\t=3"}}"#,
            #"{"a":{"o":"dL","v":"=3\t+0\t=1"}}"#, #"{"a":{"o":"dL","v":"-2\t+10%0A\t=3"}}"#
        ),
        (
            #"{"a":[{"b":1}]}"#, #"{"a":{"o":"dL","v":"=8\t+1%0A"}}"#,
            #"{"a":{"o":"dL","v":"=9\t+{\"b\": 2}%0A"}}"#, #"{"a":{"o":"dL","v":"=16\t+1%0A"}}"#
        ),
    ])
    func `rebases`(base: String, local: String, remote: String, expected: String) throws {
        #expect(try transform(local, remote, base).left == expected)
    }

    // What the reference would send as it was, and have refused.
    @Test(arguments: [
        (
            #"{"a":"abc"}"#, #"{"a":{"o":"d","v":"=3\t+!"}}"#, #"{"a":{"o":"r","v":"xabc"}}"#,
            #"{"a":"xabc!"}"#
        ),
        (
            #"{"a":"abc"}"#, #"{"a":{"o":"d","v":"=3\t+!"}}"#, #"{"a":{"o":"r","v":7}}"#,
            #"{"a":"abc!"}"#
        ),
        (
            #"{"a":{"x":1,"y":1}}"#, #"{"a":{"o":"O","v":{"x":{"o":"r","v":2}}}}"#,
            #"{"a":{"o":"r","v":{"x":1,"z":3}}}"#, #"{"a":{"x":2,"z":3}}"#
        ),
        (
            #"{"a":{"x":1}}"#, #"{"a":{"o":"O","v":{"x":{"o":"r","v":2}}}}"#,
            #"{"a":{"o":"r","v":null}}"#, #"{"a":{"x":2}}"#
        ),
        (
            #"{"a":[1,2]}"#, #"{"a":{"o":"L","v":{"2":{"o":"+","v":3}}}}"#,
            #"{"a":{"o":"r","v":[2]}}"#, #"{"a":[2,3]}"#
        ),
        (
            #"{"a":[1,2]}"#, #"{"a":{"o":"dL","v":"=4\t+3%0A"}}"#, #"{"a":{"o":"r","v":[2]}}"#,
            #"{"a":[2,3]}"#
        ),
        (
            #"{"a":[1,2]}"#, #"{"a":{"o":"dL","v":"=4\t+3%0A"}}"#,
            #"{"a":{"o":"L","v":{"0":{"o":"-"}}}}"#, #"{"a":[2,3]}"#
        ),
        (
            #"{"a":[1,2]}"#, #"{"a":{"o":"L","v":{"0":{"o":"-"}}}}"#,
            #"{"a":{"o":"dL","v":"=4\t+3%0A"}}"#, #"{"a":[2,3]}"#
        ),
        (
            #"{"a":[1]}"#, #"{"a":{"o":"L","v":{"0":{"o":"-"}}}}"#, #"{"a":{"o":"r","v":"x"}}"#,
            #"{"a":[]}"#
        ),
        (#"{"a":1}"#, #"{"a":{"o":"I","v":1}}"#, #"{"a":{"o":"r","v":"x"}}"#, #"{"a":2}"#),
        (
            #"{"a":1}"#, #"{"a":{"o":"I","v":1e308}}"#, #"{"a":{"o":"r","v":1.7e308}}"#,
            #"{"a":1e+308}"#
        ),
        (#"{"a":1}"#, #"{"a":{"o":"r","v":2}}"#, #"{"a":{"o":"r","v":2.0}}"#, #"{"a":2.0}"#),
    ])
    func `applies where the reference's does not`(
        base: String, local: String, remote: String, expected: String
    ) throws {
        #expect(try transform(local, remote, base).result == expected)
    }

    // By the text of each list: base, local, remote, what comes out with L, and with dL.
    @Test(arguments: [
        ("[1,2,3]", "[1,2,3,5]", "[1,2,3,4]", "[1,2,3,5,4]", "[1,2,3,4,5]"),
        ("[1,2,3]", "[1,2]", "[1,2,4]", "[1,2]", "[1,2,4]"),
        ("[1,2,3]", "[1,2,4]", "[1,2]", "[1,2,4]", "[1,2,4]"),
        ("[1,2,3]", "[1,2,3,4]", "[1,2,3,5]", "[1,2,3,4,5]", "[1,2,3,5,4]"),
        ("[1,2,3,4]", "[1,5,2,3,4]", "[1,6,7,2,3,4]", "[1,5,6,7,2,3,4]", "[1,6,7,5,2,3,4]"),
        ("[1,2,3,4]", "[1,6,7,2,3,4]", "[1,5,2,3,4]", "[1,6,7,5,2,3,4]", "[1,5,6,7,2,3,4]"),
        ("[1,2,3,4,5]", "[1,3,4,5]", "[1,2,3,4]", "[1,3,4]", "[1,3,4]"),
        ("[1,2,3]", "[2,3]", "[2,3]", "[2,3]", "[2,3]"),
        ("[1,2,3]", "[1,2,9]", "[2,3]", "[2,9]", "[2,9]"),
        (#"["ab",2]"#, #"["abc",2]"#, #"["xab",2,3]"#, #"["xabc",2,3]"#, #"["xab","abc",2,3]"#),
        (#"["ab"]"#, #"["abc"]"#, "[]", #"["abc"]"#, #"["abc"]"#),
        ("[]", "[1]", "[1]", "[1,1]", "[1,1]"),
        (
            "[0,1,2,3,4,5,6,7,8,9,10,11]", "[0,1,2,3,4,5,6,7,8,9,11]", "[0,1,3,4,5,6,7,8,9,10,11]",
            "[0,1,3,4,5,6,7,8,9,11]", "[0,1,3,4,5,6,7,8,9,11]"
        ),
        (
            #"[[1,2],{"a":1}]"#, #"[[1,2,3],{"a":2}]"#, #"[[1],{"a":1,"b":1}]"#,
            #"[[1,3],{"a":2,"b":1}]"#, ""
        ),
    ])
    func `merges lists`(
        base: String, local: String, remote: String, list: String, listText: String
    ) throws {
        for (lists, expected) in [(DiffPolicy.Lists.list, list), (.listText, listText)]
        where !expected.isEmpty {
            let policy = DiffPolicy(lists: lists)
            let object = try JSONValue(parsing: #"{"a":\#(base)}"#)
            let left = try JSONDiff.diff(
                object, JSONValue(parsing: #"{"a":\#(local)}"#), policy: policy)
            let right = try JSONDiff.diff(
                object, JSONValue(parsing: #"{"a":\#(remote)}"#), policy: policy)
            let result = try transform(left.text(), right.text(), object.text(), policy).result
            #expect(result == #"{"a":\#(expected)}"#)
        }
    }

    @Test func `arrays by index are rebased, too`() throws {
        let (left, result) = try transform(
            #"{"0":{"o":"-"},"2":{"o":"r","v":9}}"#, #"{"1":{"o":"+","v":5}}"#, "[1,2,3]")
        #expect(left == #"{"0":{"o":"-"},"3":{"o":"r","v":9}}"#)
        #expect(result == "[5,2,9]")
    }

    @Test func `what cannot be applied is refused`() throws {
        for (local, remote, base) in [
            (#"{"a":{"o":"-"}}"#, "{}", "{}"), ("{}", #"{"a":{"o":"-"}}"#, "{}"),
            ("[]", "{}", "{}"), ("{}", "[]", "{}"), ("{}", "{}", "1"),
            (#"{"9223372036854775807":{"o":"+","v":1}}"#, "{}", "[1]"),
            (#"{"a":{"o":"d","v":"=9"}}"#, "{}", #"{"a":"x"}"#),
        ] {
            #expect(throws: DiffError.self) { try transform(local, remote, base) }
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `always applies, and converges for changes of different keys`(seed: UInt64) throws {
        var documents = RandomDocuments(seed: seed)
        for _ in 0..<200 {
            let base = documents.object()
            let edits = [documents.edited(base), documents.edited(base)]
            guard edits.allSatisfy({ $0.kind == .object }) else { continue }
            let diffs = try edits.map { edit in
                let choice = documents.policy()
                return try JSONDiff.diff(
                    base, edit,
                    policy: DiffPolicy(
                        lists: DiffPolicy.Lists.allCases[choice.lists],
                        integers: DiffPolicy.Integers.allCases[choice.integers]))
            }
            let one = try JSONDiff.transform(diffs[0], over: diffs[1], base: base)
            let other = try JSONDiff.transform(diffs[1], over: diffs[0], base: base)
            // Not `edits`: those may be written otherwise, which a delta of lines would notice.
            let results = try diffs.map { try JSONDiff.apply($0, to: base) }
            _ = try JSONDiff.apply(one, to: results[1])
            _ = try JSONDiff.apply(other, to: results[0])
            // The same without the keys that the other touches, so that nothing meets.
            guard case .object(let ours) = diffs[0], case .object(let theirs) = diffs[1] else {
                continue
            }
            let taken = Set(theirs.members.map(\.key))
            let apart = JSONValue.object(
                JSONObject(ours.members.filter { !taken.contains($0.key) }))
            let remote = diffs[1]
            let left = try JSONDiff.transform(apart, over: remote, base: base)
            let right = try JSONDiff.transform(remote, over: apart, base: base)
            #expect(left == apart)
            #expect(right == remote)
            let first = try JSONDiff.apply(left, to: results[1])
            let second = try JSONDiff.apply(right, to: JSONDiff.apply(apart, to: base))
            #expect(first.isSame(as: second))
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `changes of lists apply after each other`(seed: UInt64) throws {
        var documents = RandomDocuments(seed: seed)
        for round in 0..<120 {
            let policy = DiffPolicy(lists: round % 2 == 0 ? .list : .listText)
            let list = JSONValue.array(
                (0..<documents.number(in: 0...6)).map { _ in .string(documents.text(most: 3)) })
            let base = JSONValue.object(JSONObject([.init("l", list)]))
            let diffs = try (0..<2).map { _ in
                let edit = JSONObject([.init("l", documents.edited(list))])
                return try JSONDiff.diff(base, .object(edit), policy: policy)
            }
            for (local, remote) in [(diffs[0], diffs[1]), (diffs[1], diffs[0])] {
                let left = try JSONDiff.transform(local, over: remote, base: base, policy: policy)
                let now = try JSONDiff.apply(remote, to: base)
                let result = try JSONDiff.apply(left, to: now)
                if JSONDiff.isEmpty(left) { #expect(result.isSame(as: now)) }
            }
        }
    }

    @Test func `deep objects are compared and rebased`() throws {
        func deep(_ value: String) throws -> JSONValue {
            let open = String(repeating: #"{"a":"#, count: 500)
            return try JSONValue(parsing: open + value + String(repeating: "}", count: 500))
        }
        let base = try deep(#""x""#)
        let local = try JSONDiff.diff(base, deep(#""xy""#))
        let remote = try JSONDiff.diff(base, deep(#""wx""#))
        let left = try JSONDiff.transform(local, over: remote, base: base)
        let result = try JSONDiff.apply(left, to: JSONDiff.apply(remote, to: base))
        #expect(try result == deep(#""wxy""#))
    }
}
