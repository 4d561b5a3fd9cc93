import Testing

@testable import Fleet

/// Sets of numbers as ranges, against sets of numbers.
struct NumberRangesTests {
    @Test func `text and back`() throws {
        var ranges = NumberRanges()
        for number in [1, 2, 3, 7, 9, 10] as [Int64] { ranges.append(number) }
        #expect(ranges.description == "1-3,7,9-10")
        #expect(NumberRanges("1-3,7,9-10") == ranges)
        #expect(NumberRanges("") == NumberRanges())
        #expect(try #require(NumberRanges("5-9223372036854775807")).last == Int64.max)
        for wrong in ["a", "3-1", "1,1", "2,1", "1-2-3"] { #expect(NumberRanges(wrong) == nil) }
    }

    @Test func `subtraction is that of sets`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let sets = (0..<2).map { _ in
                Set(
                    (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                        Int64.random(in: 1...20, using: &generator)
                    })
            }
            var ranges = Self.ranges(sets[0])
            ranges.subtract(Self.ranges(sets[1]))
            #expect(ranges == Self.ranges(sets[0].subtracting(sets[1])))
        }
    }

    @Test func `the end stays open`() {
        var open = NumberRanges(1...Int64.max)
        open.subtract(NumberRanges(1...5))
        var some = NumberRanges()
        some.append(8)
        open.subtract(some)
        #expect(open.description == "6-7,9-9223372036854775807")
        open.subtract(NumberRanges(1...Int64.max))
        #expect(open.isEmpty)
    }

    private static func ranges(_ numbers: Set<Int64>) -> NumberRanges {
        var ranges = NumberRanges()
        for number in numbers.sorted() { ranges.append(number) }
        return ranges
    }
}
