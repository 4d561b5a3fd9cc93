import Testing
import Wire

@testable import Capturing

@Suite("TLS from somebody hostile", .timeLimit(.minutes(10)))
struct TLSHostileTests {
    @Test(arguments: 0..<3)
    func `means the same in pieces as at once, whatever was changed`(seed: Int) {
        var dice = Dice(seed: UInt64(seed))
        for vector in TLSVector.all where vector.stream(.server).count < 8000 {
            var steps = vector.records.map { ($0.sender, $0.bytes) }
            for _ in 0...dice.below(4) { change(&steps, &dice) }
            let keys = dice.below(5) == 0 ? KeyLog() : vector.keys
            var whole = TLSListener(keys)
            var pieces = TLSListener(keys, piece: 1 + dice.below(40))
            for (sender, bytes) in steps {
                if bytes.isEmpty {
                    let count = 1 + dice.below(100_000)
                    whole.miss(count, from: sender)
                    pieces.miss(count, from: sender)
                } else {
                    whole.hear(bytes, from: sender)
                    pieces.hear(bytes, from: sender)
                }
            }
            let events = whole.finish()
            #expect(pieces.finish() == events)
            for (time, content) in events.plainByTime where !content.isEmpty {
                // Whatever is decrypted was said, since it is authentic.
                #expect(
                    Peer.allCases.contains { vector.plain[$0]?.contains(content) == true },
                    "\(vector.name) at \(time)")
            }
        }
    }

    /// Changes a session as a capture, or somebody, may.
    private func change(_ steps: inout [(Peer, [UInt8])], _ dice: inout Dice) {
        let index = dice.below(steps.count)
        switch dice.below(7) {
        case 0: steps.remove(at: index)
        case 1: steps.insert(steps[index], at: dice.below(steps.count))
        case 2: steps[index].1 = []
        case 3: steps[index].1.removeLast(min(steps[index].1.count, 1 + dice.below(30)))
        case 4: steps[index].0 = steps[index].0.other
        default:
            for _ in 0...dice.below(3) where !steps[index].1.isEmpty {
                let place = dice.below(min(steps[index].1.count, 1 + dice.below(400)))
                steps[index].1[place] = UInt8(dice.below(256))
            }
        }
        if steps.isEmpty { steps.append((.client, [22])) }
    }

    @Test func `costs no more than its bounds where anything may be a record`() {
        let vector = TLSVector.named("1.3 TLS_AES_256_GCM_SHA384")
        var listener = TLSListener(vector.keys)
        for record in vector.records.prefix(8) {
            listener.hear(record.bytes, from: record.sender)
        }
        let flood = [UInt8](repeating: 0, count: 200_000).indices.map { index in
            [23, 3, 3, 64, 0][index % 5] as UInt8
        }
        for _ in 0..<4 {
            listener.miss(1 << 40, from: .server)
            listener.hear(flood, from: .server)
        }
        let events = listener.finish()
        let sealed = events.sealed.filter { $0.sender == .server }
        #expect(sealed.map(\.captured).reduce(0, +) == 800_000)
        #expect(sealed.map(\.missing).reduce(0, +) == 4 << 40)
    }

    @Test func `waits for a hello with bounded memory`() {
        let vector = TLSVector.named("1.3 TLS_AES_256_GCM_SHA384")
        var listener = TLSListener(vector.keys)
        listener.hear(vector.records[0].bytes, from: .client)
        let record: [UInt8] = [23, 3, 3, 64, 0] + Array(repeating: 7, count: 16384)
        for _ in 0..<15 { listener.hear(record, from: .client) }
        #expect(listener.events.isEmpty)
        for _ in 0..<2 { listener.hear(record, from: .client) }
        #expect(listener.events.sealed.count == 17)
        #expect(listener.stream[.client].heldCount == 0)
    }

    @Test func `may send hellos without end`() {
        var listener = TLSListener(KeyLog())
        let start: [UInt8] = [22, 3, 1, 64, 0, 1, 255, 255, 255]
        listener.hear(start + Array(repeating: 1, count: 16380), from: .client)
        for _ in 0..<100 {
            listener.hear([22, 3, 1, 64, 0] + Array(repeating: 1, count: 16384), from: .client)
        }
        #expect(listener.finish().facts.isEmpty)
    }
}

extension [UInt8] {
    /// Whether `other` stands somewhere in these bytes.
    fileprivate func contains(_ other: [UInt8]) -> Bool {
        guard other.count <= count else { return false }
        return (0...count - other.count).contains {
            self[$0..<$0 + other.count].elementsEqual(other)
        }
    }
}

/// Random numbers from a seed.
struct Dice {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    /// A number from 0 up to `bound`, which is not among them.
    mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % Swift.max(1, bound)
    }
}
