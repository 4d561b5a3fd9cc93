import Notation
import Testing
import Wire

@Suite struct TextTableTests {
    @Test func `gives the same text the same number`() {
        var random = SplitMix64(seed: 7)
        var table = TextTable()
        var numbers: [String: UInt32] = [:]
        for _ in 0..<20_000 {
            let text =
                String(repeating: "é", count: Int.random(in: 0...3, using: &random))
                + String(Int.random(in: 0..<5_000, using: &random))
            let number = table.intern(text)
            if let known = numbers[text] {
                #expect(known == number)
            } else {
                #expect(number == numbers.count)
                numbers[text] = number
            }
        }
        #expect(table.count == numbers.count)
        for (text, number) in numbers {
            #expect(table[number] == text && table.find(text) == number)
        }
        #expect(table.find("nothing") == nil)
    }

    @Test func `keeps texts longer than a block, and none at all`() {
        var table = TextTable()
        let texts = [
            "", String(repeating: "a", count: 300_000), "b", String(repeating: "c", count: 262_144),
        ]
        #expect(texts.map { table.intern($0) } == [0, 1, 2, 3])
        #expect(texts.map { table.find($0) } == [0, 1, 2, 3])
        #expect((0..<4).map { table[$0] } == texts)
        #expect(table[4].isEmpty)
    }

    @Test func `knows the newest again where not all are to be known`() {
        var table = TextTable(knowing: 48)
        let few = (0..<2_000).map { table.intern("few \($0 % 9)") }
        #expect(Set(few).count == 9 && table.count == 9)
        let many = (0..<2_000).map { table.intern("many \($0)") }
        #expect(Set(many).count == 2_000)
        for (number, place) in many.enumerated() { #expect(table[place] == "many \(number)") }
        let again = table.intern("few 3")
        #expect(table[again] == "few 3" && table.intern("few 3") == again)
        #expect((0..<9).allSatisfy { table[few[$0]] == "few \($0)" })
    }

    @Test func `copies are apart`() {
        var one = TextTable()
        _ = one.intern("a")
        var other = one
        _ = other.intern("b")
        #expect(one.find("b") == nil && other.find("b") == 1 && one.count == 1)
    }

    @Test(arguments: [nil, 48]) func `many at once are one after the other`(newest: Int?) {
        var random = SplitMix64(seed: 9)
        func table() -> TextTable { newest.map { TextTable(knowing: $0) } ?? TextTable() }
        var (many, single) = (table(), table())
        for _ in 0..<200 {
            let texts = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                "é \(Int.random(in: 0..<2_000, using: &random))"
            }
            var bytes: [UInt8] = []
            let places = texts.map { text in
                bytes += text.utf8
                return bytes.count - text.utf8.count..<bytes.count
            }
            let numbers = bytes.withUnsafeBytes { bytes in
                many.intern(places.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) })
            }
            #expect(numbers.map { many[$0] } == texts)
            guard newest == nil else { continue }
            #expect(numbers == texts.map { single.intern($0) })
        }
        #expect(many.intern([UnsafeRawBufferPointer]()).isEmpty)
        guard newest == nil else { return }
        #expect(many.count == single.count)
    }
}
