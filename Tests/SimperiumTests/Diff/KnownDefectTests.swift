import Notation
import Simperium
import Testing
import Wire

/// What other implementations are known to get wrong.
struct KnownDefectTests {
    private func parse(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

    @Test func `an edit survives where no key is shared, and every shared key is rebased`() throws {
        let base = try parse(#"{"a":"x","b":"y","c":1}"#)
        let local = try parse(
            #"{"a":{"o":"d","v":"=1\t+1"},"b":{"o":"d","v":"=1\t+2"},"c":{"o":"-"}}"#)
        let remote = try parse(#"{"a":{"o":"d","v":"+3\t=1"},"b":{"o":"d","v":"+4\t=1"}}"#)
        let other = try parse(#"{"d":{"o":"+","v":1}}"#)
        #expect(try JSONDiff.transform(local, over: other, base: base) == local)
        #expect(
            try JSONDiff.transform(local, over: remote, base: base).text()
                == #"{"a":{"o":"d","v":"=2\t+1"},"b":{"o":"d","v":"=2\t+2"},"c":{"o":"-"}}"#)
    }

    @Test func `null is neither an empty object nor skipped`() throws {
        let diff = try JSONDiff.diff(parse("{}"), parse(#"{"a":null,"b":{"c":null}}"#))
        #expect(diff.text() == #"{"a":{"o":"+","v":null},"b":{"o":"+","v":{"c":null}}}"#)
        #expect(try JSONDiff.apply(diff, to: parse("{}")).text() == #"{"a":null,"b":{"c":null}}"#)
        let base = try parse(#"{"a":null}"#)
        let over = try JSONDiff.transform(
            parse(#"{"a":{"o":"r","v":1}}"#), over: parse(#"{"b":{"o":"+","v":null}}"#), base: base)
        #expect(over.text() == #"{"a":{"o":"r","v":1}}"#)
    }

    @Test func `an element is inserted, not replaced, and arrays in arrays stay arrays`() throws {
        let diff = try parse(#"{"a":{"o":"L","v":{"1":{"o":"+","v":[9,[8]]}}}}"#)
        #expect(
            try JSONDiff.apply(diff, to: parse(#"{"a":[[1],[2]]}"#)).text()
                == #"{"a":[[1],[9,[8]],[2]]}"#)
    }

    @Test func `rebased list operations stay list operations`() throws {
        let left = try JSONDiff.transform(
            parse(#"{"a":{"o":"L","v":{"1":{"o":"r","v":9}}}}"#),
            over: parse(#"{"a":{"o":"L","v":{"0":{"o":"+","v":0}}}}"#), base: parse(#"{"a":[1,2]}"#)
        )
        #expect(left.text() == #"{"a":{"o":"L","v":{"2":{"o":"r","v":9}}}}"#)
    }

    @Test func `indices are numbers: 10 comes after 2`() throws {
        let base = try parse("[0,1,2,3,4,5,6,7,8,9,10,11]")
        let new = try parse("[0,1,3,4,5,6,7,8,9,11,12]")
        let diff = try JSONDiff.diff(base, new)
        #expect(diff.text() == #"{"2":{"o":"-"},"10":{"o":"-"},"12":{"o":"+","v":12}}"#)
        #expect(try JSONDiff.apply(diff, to: base) == new)
    }

    @Test func `I and dL are known, and nested objects are rebased`() throws {
        let base = try parse(#"{"n":1,"l":[1],"o":{"p":{"t":"x"}}}"#)
        let local = try parse(
            #"{"n":{"o":"I","v":2},"l":{"o":"dL","v":"=2\t+2%0A"},"#
                + #""o":{"o":"O","v":{"p":{"o":"O","v":{"t":{"o":"d","v":"=1\t+y"}}}}}}"#)
        let remote = try parse(
            #"{"n":{"o":"I","v":5},"l":{"o":"dL","v":"+0%0A\t=2"},"#
                + #""o":{"o":"O","v":{"p":{"o":"O","v":{"t":{"o":"d","v":"+w\t=1"}}}}}}"#)
        let left = try JSONDiff.transform(local, over: remote, base: base)
        let result = try JSONDiff.apply(left, to: JSONDiff.apply(remote, to: base))
        #expect(result.text() == #"{"n":8,"l":[0,1,2],"o":{"p":{"t":"wxy"}}}"#)
    }

    @Test func `1 and 1_0 are one number, true and 1 are not`() throws {
        #expect(try JSONDiff.diff(parse(#"{"a":1}"#), parse(#"{"a":1.0}"#)).text() == "{}")
        #expect(
            try JSONDiff.diff(parse(#"{"a":1}"#), parse(#"{"a":true}"#)).text()
                == #"{"a":{"o":"r","v":true}}"#)
        #expect(
            try JSONDiff.diff(parse(#"{"a":[0]}"#), parse(#"{"a":[false]}"#)).text()
                == #"{"a":{"o":"r","v":[false]}}"#)
    }

    @Test func `differences within objects and lists are seen`() throws {
        let diff = try JSONDiff.diff(
            parse(#"{"a":{"b":[1,{"c":"x"}]}}"#), parse(#"{"a":{"b":[1,{"c":"y"}]}}"#),
            policy: DiffPolicy(lists: .list))
        #expect(
            diff.text()
                == #"{"a":{"o":"O","v":{"b":{"o":"L","v":{"1":{"o":"O","v":{"c":{"o":"d","v":"-1\t+y"}}}}}}}}"#
        )
    }

    @Test func `lengths are UTF-16 code units, neither code points nor bytes`() throws {
        #expect(StringDelta.diff(from: "ACD😀E", to: "ACD😀EF").text == "=6\t+F")
        for (delta, detail) in [("=5\t+F", "code points"), ("=8\t+F", "UTF-8 bytes")] {
            do {
                _ = try StringDelta(parsing: delta).apply(to: "ACD😀E")
                Issue.record("applied")
            } catch {
                #expect("\(error)".contains("the text has 6"))
                #expect("\(error)".contains("in \(detail) it would fit"))
            }
        }
    }

    @Test func `inserted text is escaped and no token is empty`() throws {
        let delta = StringDelta.diff(from: "a\tb", to: "a\t\tb 100%é")
        #expect(delta.text == "=2\t+%09\t=1\t+ 100%25%C3%A9")
        for (old, new) in [("", "x"), ("x", ""), ("x", "y"), ("ab", "b"), ("ab", "a")] {
            let text = StringDelta.diff(from: old, to: new).text
            #expect(!text.contains("=0") && !text.contains("-0") && !text.hasSuffix("+"))
        }
    }

    @Test func `pairs that share a half are not split`() {
        for (old, new) in [
            ("🙋🙋", "🙋🙌🙋"), ("@😀#", "@😁#"), ("😀", "😁"), ("a😀", "a🐀"), ("😀😁😂", "😂😁😀"),
        ] {
            let delta = StringDelta.diff(from: old, to: new)
            #expect(!delta.splitsPair(of: old))
            #expect(!delta.text.contains("%EF%BF%BD") && !delta.text.contains("%ED"))
        }
    }
}
