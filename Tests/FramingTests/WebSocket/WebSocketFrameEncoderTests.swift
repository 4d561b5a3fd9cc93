import Notation
import Testing
import Wire

@testable import Framing

struct WebSocketFrameEncoderTests {
    @Test(
        arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 70_001], [nil, 0x3712_FA21] as [UInt32?])
    func `writes what the assembler reads`(count: Int, mask: UInt32?) throws {
        var random = SplitMix64(seed: UInt64(count))
        let payload = random.octets(count)
        let bytes = WebSocketFrameEncoder.encode(
            opcode: .binary, payload: payload, fin: false, rsv: 2, mask: mask)
        let events = WebSocketPlay.events(bytes)
        guard case .frame(let header)? = events.first else {
            Issue.record("no frame")
            return
        }
        let lengthSize = count < 126 ? 0 : count < 65_536 ? 2 : 8
        #expect(header.headerSize == 2 + lengthSize + (mask == nil ? 0 : 4))
        #expect(header.payloadSize == Int64(count) && header.isMinimal && !header.fin)
        #expect(header.rsv == 2 && header.mask == mask && header.opcode == .binary)
        #expect(WebSocketPlay.messages(events).first?.payload == payload)
    }

    @Test func `writes the masked example of RFC 6455`() {
        let bytes = WebSocketFrameEncoder.encode(
            opcode: .text, payload: Array("Hello".utf8), mask: 0x37FA_213D)
        #expect(bytes == WebSocketPlay.hex("81 85 37 fa 21 3d 7f 9f 4d 51 58"))
    }

    @Test(arguments: 0..<40)
    func `masks from any phase and any start as byte by byte`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let key = UInt32(truncatingIfNeeded: random.next())
        let keyBytes = (0..<4).map { UInt8(truncatingIfNeeded: key >> (24 - 8 * UInt32($0))) }
        let original = random.octets(Int.random(in: 0...60, using: &random))
        let start = Int.random(in: 0...original.count, using: &random)
        let phase = Int64.random(in: 0...(Int64.max - 100), using: &random)
        var masked = original
        WebSocketMask.apply(key, phase: phase, to: &masked, from: start)
        for index in original.indices {
            let place = Int((phase + Int64(max(0, index - start))) & 3)
            let expected = index < start ? original[index] : original[index] ^ keyBytes[place]
            #expect(masked[index] == expected)
        }
    }
}
