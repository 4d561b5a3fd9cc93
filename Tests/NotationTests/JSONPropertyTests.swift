import Notation
import Testing

struct JSONPropertyTests {
    @Test(arguments: 0..<40 as Range<UInt64>)
    func `agrees with Foundation on made documents`(block: UInt64) throws {
        for seed in block * 60..<(block + 1) * 60 {
            var maker = JSONMaker(seed: seed)
            let text = maker.document()
            let root = try JSONDocument.scan(Array(text.utf8)).root
            let oracle = try #require(JSONOracle.decode(Array(text.utf8)), "seed \(seed): \(text)")
            #expect(oracle.agrees(with: root), "seed \(seed): \(text)")
            #expect(Self.steppedOver(Array(text.utf8)) == text.utf8.count, "seed \(seed): \(text)")
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `refuses what Foundation refuses of damaged documents`(block: UInt64) {
        for seed in block * 60..<(block + 1) * 60 {
            var maker = JSONMaker(seed: seed)
            var bytes = Array(maker.document().utf8)
            var random = SplitMix64(seed: ~seed)
            let damage = Array("{}[]:,\"\\0eE.-+ \nux".utf8) + [0x80, 0xC3, 0xED, 0xF4, 0x1F]
            let place = Int.random(in: 0..<max(1, bytes.count), using: &random)
            let byte = damage.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<3, using: &random) {
            case 0 where place < bytes.count: bytes[place] = byte
            case 1 where place < bytes.count: bytes.remove(at: place)
            default: bytes.insert(byte, at: min(place, bytes.count))
            }
            let ours = try? JSONDocument.scan(bytes)
            #expect((Self.steppedOver(bytes) == bytes.count) == (ours != nil), "seed \(seed)")
            // What RFC 8259 allows and Foundation cannot hold.
            if let ours, exceedsFoundation(ours.root) { continue }
            #expect(
                (JSONOracle.decode(bytes) != nil) == (ours != nil),
                "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
        }
    }

    @Test(arguments: 0..<500 as Range<UInt64>)
    func `is the same after printing, compact and pretty`(seed: UInt64) throws {
        var maker = JSONMaker(seed: seed)
        let root = try JSONDocument.scan(Array(maker.document().utf8)).root
        let value = JSONValue(root)
        for text in [
            JSONText.compact(root), JSONText.pretty(root), value.text(), value.text(.python),
        ] {
            #expect(try JSONValue(parsing: text) == value)
        }
        #expect(
            try JSONText.compact(JSONDocument.scan(Array(JSONText.pretty(root).utf8)).root)
                == JSONText.compact(root))
        #expect(value.isSame(as: value))
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `gives an error inside of the bytes, or values inside of their parents`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let letters = Array("{}[]:,\"\\0123eE.-+ \nutrfalsn".utf8) + [0xC3, 0xA9, 0xF0, 0x80, 0]
        for _ in 0..<100 {
            let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                letters.randomElement(using: &random) ?? 0
            }
            do {
                let document = try JSONDocument.scan(bytes)
                check(document.root, inside: 0..<bytes.count)
            } catch {
                #expect((0...bytes.count).contains(error.offset))
            }
        }
    }

    /// Where stepping over one value and the white space around it ends.
    private static func steppedOver(_ bytes: [UInt8]) -> Int? {
        let end = bytes.count
        let start = JSONStep.space(bytes.span, at: 0, end: end)
        return JSONStep.value(bytes.span, at: start, end: end).map {
            JSONStep.space(bytes.span, at: $0, end: end)
        }
    }

    private func exceedsFoundation(_ node: JSONDocument.Node) -> Bool {
        node.hasLoneSurrogate || node.number.flatMap(Double.init)?.isInfinite == true
            || node.elements.contains { exceedsFoundation($0) }
            || node.members.contains {
                exceedsFoundation($0.key) || exceedsFoundation($0.value)
            }
    }

    private func check(_ node: JSONDocument.Node, inside range: Range<Int>) {
        #expect(range.lowerBound <= node.range.lowerBound)
        #expect(node.range.upperBound <= range.upperBound)
        for element in node.elements { check(element, inside: node.range) }
        for member in node.members {
            check(member.key, inside: node.range)
            check(member.value, inside: member.key.range.upperBound..<node.range.upperBound)
        }
        _ = (node.string, node.utf16, node.int, node.text)
    }
}
