import Framing
import Notation
import Testing
import Wire

struct WebSocketChunkingTests {
    @Test(
        arguments: WebSocketSample.wellFormed + WebSocketSample.odd + WebSocketSample.failing)
    func `gives the same events however the stream is cut`(sample: WebSocketSample) {
        let difference = WebSocketPlay.firstDifference(
            sample.bytes, sender: sample.sender, compression: sample.compression,
            limits: sample.limits, seeds: 0..<200)
        #expect(difference == nil)
    }

    @Test func `gives the same events however a stream of all samples is cut`() {
        let samples = WebSocketSample.wellFormed + WebSocketSample.odd
        let difference = WebSocketPlay.firstDifference(
            samples.flatMap(\.bytes), sender: .server, compression: PerMessageDeflate(),
            limits: WebSocketLimits(maxStoredPayload: 2000, maxInflated: 50_000), seeds: 0..<50)
        #expect(difference == nil)
    }

    /// Garbage, and samples with some bytes changed.
    @Test(arguments: 0..<400)
    func `neither traps on anything nor depends on cuts`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var bytes: [UInt8]
        if seed % 2 == 0 {
            bytes = random.octets(Int.random(in: 0...400, using: &random))
        } else {
            let samples = WebSocketSample.wellFormed + WebSocketSample.odd
            let sample = samples[Int.random(in: 0..<samples.count, using: &random)]
            bytes = Array(sample.bytes.prefix(3000))
            for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8(
                    truncatingIfNeeded: random.next())
            }
        }
        let compression: PerMessageDeflate? =
            switch seed % 3 {
            case 0: nil
            case 1: PerMessageDeflate()
            default: PerMessageDeflate(serverNoContextTakeover: true)
            }
        let difference = WebSocketPlay.firstDifference(
            bytes, sender: seed % 5 == 0 ? .client : .server, compression: compression,
            limits: WebSocketLimits(
                maxStoredPayload: Int.random(in: 0...200, using: &random),
                maxInflated: Int64.random(in: 0...20_000, using: &random)),
            seeds: seed..<(seed + 5))
        #expect(difference == nil)
    }
}
