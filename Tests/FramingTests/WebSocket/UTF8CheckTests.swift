import Framing
import Notation
import Testing

struct UTF8CheckTests {
    private func check(_ bytes: [UInt8], cuts: [Int] = []) -> UTF8Check {
        var check = UTF8Check()
        var position = 0
        for cut in cuts + [bytes.count] {
            check.consume(bytes.span.extracting(position..<cut))
            position = cut
        }
        return check
    }

    @Test(
        arguments: [
            ("", nil), ("61", nil), ("c3a4", nil), ("e0a080", nil), ("ed9fbf", nil),
            ("ee8080", nil),
            ("f0908080", nil), ("f48fbfbf", nil), ("00", nil), ("6161616161616161c3a461", nil),
            ("80", 0), ("61bf", 1), ("c080", 0), ("c1bf", 0), ("c328", 0), ("e09f80", 0),
            ("eda080", 0), ("edbfbf", 0), ("f08f8080", 0), ("f4908080", 0), ("f5808080", 0),
            ("ff", 0), ("6161616161616161e28261", 8), ("c3a4c3c3a4", 2), ("e282", nil),
        ] as [(String, Int64?)])
    func `finds the first ill-formed sequence`(hex: String, offset: Int64?) {
        #expect(check(WebSocketPlay.hex(hex)).firstInvalidOffset == offset)
    }

    @Test func `counts a character that does not end`() {
        let cut = check([0x61, 0xE2, 0x82])
        #expect(cut.firstInvalidOffset == nil && !cut.isComplete && !cut.isValid)
        #expect(cut.firstInvalidOffsetAtEnd == 1 && cut.count == 3)
        let whole = UTF8Check.isValid(Array("aä日🜁".utf8).span)
        let part = UTF8Check.isValid([0xC3].span)
        #expect(whole && !part)
    }

    @Test(arguments: 0..<500)
    func `agrees with the standard library, however it is cut`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var bytes = Array("abcdefgh aä日🜁 0:c:{}\u{7FF}\u{800}\u{FFFF}\u{10000}".utf8)
        bytes.shuffle(using: &random)
        bytes = Array(
            (0..<Int.random(in: 0...12, using: &random)).flatMap { _ -> [UInt8] in
                switch Int.random(in: 0..<5, using: &random) {
                case 0, 1: Array("aä日🜁12345678".utf8)
                case 2: Array(repeating: 0x61, count: Int.random(in: 0...80, using: &random))
                default: [bytes[Int(random.next() % UInt64(bytes.count))]]
                }
            })
        let whole = check(bytes)
        #expect(whole.isValid == (String(validating: bytes, as: UTF8.self) != nil))
        if let offset = whole.firstInvalidOffsetAtEnd {
            #expect(String(validating: bytes.prefix(Int(offset)), as: UTF8.self) != nil)
        }
        #expect(check(bytes, cuts: Array(0..<bytes.count)) == whole)
        let cut = Int.random(in: 0...bytes.count, using: &random)
        #expect(check(bytes, cuts: [cut]) == whole)
    }
}
