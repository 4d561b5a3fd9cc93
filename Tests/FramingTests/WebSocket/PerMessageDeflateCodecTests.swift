import Notation
import Testing
import Wire

@testable import Framing

struct PerMessageDeflateCodecTests {
    private func texts(_ random: inout SplitMix64) -> [[UInt8]] {
        (0..<20).map { index in
            switch index % 4 {
            case 0: Array(#"0:c:{"o":"M","id":"note\#(random.next() % 5)","v":{}}"#.utf8)
            case 1: []
            case 2: random.octets(Int.random(in: 0...3000, using: &random))
            default:
                [UInt8](
                    repeating: UInt8(truncatingIfNeeded: random.next()),
                    count: Int.random(in: 0...40_000, using: &random))
            }
        }
    }

    @Test(arguments: 8...15, [true, false])
    func `inflates what it deflates, within the window`(bits: Int, takeover: Bool) throws {
        for level in [-1, 0, 1, 9] {
            var random = SplitMix64(seed: UInt64(bits))
            let deflater = try #require(
                MessageDeflater(level: level, windowBits: bits, contextTakeover: takeover))
            // Refuses what refers further back than was agreed.
            let inflater = MessageInflater(contextTakeover: takeover, windowBits: Int32(bits))
            for text in texts(&random) {
                let deflated = deflater.deflate(text.span)
                #expect(try inflater.inflate(deflated.span) == text)
                if text.isEmpty { #expect(deflated == [0]) }
            }
        }
    }

    @Test func `deflates better with the context taken over`() throws {
        let text = Array(#"0:c:{"clientid":"sjs-2013","id":"note","o":"M"}"#.utf8)
        let deflater = try #require(MessageDeflater())
        let first = deflater.deflate(text.span)
        let second = deflater.deflate(text.span)
        #expect(second.count * 3 < first.count)
        let forgetful = try #require(MessageDeflater(contextTakeover: false))
        #expect(forgetful.deflate(text.span) == forgetful.deflate(text.span))
    }

    @Test func `makes the examples of RFC 7692`() throws {
        let deflater = try #require(MessageDeflater())
        let hello = Array("Hello".utf8)
        #expect(deflater.deflate(hello.span) == WebSocketPlay.hex("f2 48 cd c9 c9 07 00"))
        #expect(deflater.deflate(hello.span) == WebSocketPlay.hex("f2 00 11 00 00"))
    }

    @Test(arguments: [
        ("ff", MessageInflateError.invalid(reason: "invalid block type", produced: 0)),
        ("f2 48", .truncated(produced: 1)),
        ("00 05 00 fa 00 41", .invalid(reason: "invalid stored block lengths", produced: 0)),
    ])
    func `says why it cannot inflate`(hex: String, error: MessageInflateError) {
        #expect(throws: error) { try MessageInflater().inflate(WebSocketPlay.hex(hex).span) }
    }

    @Test func `stops at the limit`() throws {
        let deflater = try #require(MessageDeflater())
        let bomb = deflater.deflate([UInt8](repeating: 0, count: 1_000_000).span)
        #expect(throws: MessageInflateError.tooLarge(limit: 999_999)) {
            try MessageInflater().inflate(bomb.span, limit: 999_999)
        }
        #expect(try MessageInflater().inflate(bomb.span, limit: 1_000_000).count == 1_000_000)
    }

    @Test func `gives up a bomb and goes on with what is not compressed`() throws {
        let sample = try #require(WebSocketSample.odd.first { $0.name == "bomb with takeover" })
        let messages = WebSocketPlay.messages(
            WebSocketPlay.events(
                sample.bytes + WebSocketPlay.hex("81 02 68 69"), compression: sample.compression,
                limits: sample.limits))
        #expect(messages.map(\.isCompressed) == [true, true, false])
        #expect(messages[0].size == 100_000 && messages[0].payload.count == 1000)
        #expect(messages[0].problem == "inflates to more than 100000 bytes")
        #expect(messages[1].problem?.contains("earlier message") == true)
        #expect(messages[1].payload.count == Int(messages[1].wireSize))
        #expect(messages[2].payload == Array("hi".utf8) && messages[2].problem == nil)
    }

    @Test func `takes an empty compressed message for an empty one`() {
        let messages = WebSocketPlay.messages(
            WebSocketPlay.events(
                WebSocketPlay.hex("c1 00 c1 07 f2 48 cd c9 c9 07 00"),
                compression: PerMessageDeflate()))
        #expect(messages.map(\.payload) == [[], Array("Hello".utf8)])
    }
}
