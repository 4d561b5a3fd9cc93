import Notation
import Testing

@testable import Simperium

@Suite struct SameNumberTests {
    @Test func `are named where they are written in two ways and make no change`() throws {
        let old = try JSONValue(parsing: #"{"a":1,"b":{"c":[2,{"d":3e0}]},"e":4,"f":"1","g":5}"#)
        let new = try JSONValue(
            parsing: #"{"a":1.0,"b":{"c":[2.00,{"d":3}]},"e":4,"f":1,"g":5.5,"h":6}"#)
        let found = JSONDiff.sameNumbers(old, new)
        #expect(
            found.map { "\($0.path) \($0.old) \($0.new)" } == [
                "a 1 1.0", "b.c[0] 2 2.00", "b.c[1].d 3e0 3",
            ])
        let diff = try JSONDiff.diff(old, new)
        #expect(diff["a"] == nil)
        #expect(diff["b"] == nil)
    }
}
