import Notation
import Testing
import Trace
import Wire

@Suite("A chunk changed where its peers had it") struct ChunkEditsTests {
    /// A chunk with patches and deliveries.
    private static func chunk(_ random: inout SplitMix64) -> Chunk {
        let bytes = (0..<Int.random(in: 1...40, using: &random)).map { UInt8($0) }
        var chunk = Chunk(
            connection: ConnectionID(1), leg: LegID(1), sender: .client, at: .zero, bytes: bytes)
        var position = 0
        while position < bytes.count, Int.random(in: 0..<4, using: &random) > 0 {
            let start = Int.random(in: position..<bytes.count, using: &random)
            let end = Int.random(in: start + 1...bytes.count, using: &random)
            let count = Int.random(in: 0...5, using: &random)
            chunk.patches.append(
                Patch(
                    offset: start, removed: end - start,
                    inserted: (0..<count).map { UInt8(100 + $0) },
                    reason: Int.random(in: 0..<3, using: &random) == 0 ? .host : .fault))
            position = end
        }
        position = 0
        while position < bytes.count, Int.random(in: 0..<3, using: &random) > 0 {
            let start = Int.random(in: position..<bytes.count, using: &random)
            let end = Int.random(in: start + 1...bytes.count, using: &random)
            chunk.deliveries.append(
                Delivery(
                    offset: start, count: end - start,
                    at: Bool.random(using: &random) ? nil : Instant(nanoseconds: Int64(start + 1))))
            position = end
        }
        return chunk
    }

    /// Ranges of `count` bytes that do not overlap, each with what comes there.
    private static func edits(
        _ count: Int, _ random: inout SplitMix64, size: (Int) -> Int
    ) -> [(range: Range<Int>, bytes: [UInt8])] {
        var edits: [(range: Range<Int>, bytes: [UInt8])] = []
        var position = 0
        while position < count, Int.random(in: 0..<3, using: &random) > 0 {
            let start = Int.random(in: position..<count, using: &random)
            let end = Int.random(in: start + 1...count, using: &random)
            edits.append((start..<end, [UInt8](repeating: 200, count: size(end - start))))
            position = end
        }
        return edits
    }

    private static func apply(
        _ edits: [(range: Range<Int>, bytes: [UInt8])], to bytes: [UInt8]
    ) -> [UInt8] {
        var bytes = bytes
        for edit in edits.reversed() { bytes.replaceSubrange(edit.range, with: edit.bytes) }
        return bytes
    }

    private static func isValid(_ chunk: Chunk) -> Bool {
        var position = 0
        for patch in chunk.patches {
            guard patch.offset >= position, patch.offset + patch.removed <= chunk.bytes.count
            else { return false }
            position = patch.offset + patch.removed
        }
        position = 0
        for delivery in chunk.deliveries {
            guard delivery.offset >= position, delivery.count > 0,
                delivery.offset + delivery.count <= chunk.bytes.count
            else { return false }
            position = delivery.offset + delivery.count
        }
        return true
    }

    @Test(arguments: 0..<400 as Range<UInt64>)
    func `gives each peer what was changed of what it had`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let chunk = Self.chunk(&random)
        var changing = ChunkEdits(of: chunk)
        #expect(changing.outcome().chunk == chunk || chunk.patches.contains { $0.inserted == [] })
        var expected: [[UInt8]] = []
        for peer in [Peer.client, .server] {
            let view = ChunkView(of: chunk, hadBy: peer)
            let edits = Self.edits(view.bytes.count, &random) { $0 + 1 + $0 % 3 }
            for edit in edits { changing.replace(edit.range, with: edit.bytes, hadBy: peer) }
            expected.append(Self.apply(edits, to: view.bytes))
        }
        let changed = changing.outcome()
        #expect(Self.isValid(changed.chunk))
        for peer in [Peer.client, .server] {
            #expect(
                ChunkView(of: changed.chunk, hadBy: peer).bytes == expected[peer.rawValue],
                "\(peer) \(chunk.patches) \(chunk.deliveries)")
        }
        var last = 0
        for offset in 0...chunk.bytes.count {
            guard let moved = changed.moves.offset(of: offset) else { continue }
            #expect(moved >= last && moved <= changed.chunk.bytes.count)
            last = moved
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `what has as many bytes stays where it is`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let chunk = Self.chunk(&random)
        var changing = ChunkEdits(of: chunk)
        for peer in [Peer.client, .server] {
            let count = ChunkView(of: chunk, hadBy: peer).bytes.count
            for edit in Self.edits(count, &random, size: { $0 }) {
                changing.replace(edit.range, with: edit.bytes, hadBy: peer)
            }
        }
        let changed = changing.outcome()
        #expect(changed.moves.isEmpty)
        #expect(changed.chunk.bytes.count == chunk.bytes.count)
        #expect(changed.chunk.deliveries == chunk.deliveries)
        #expect(changed.chunk.patches.map(\.offset) == chunk.patches.map(\.offset))
        #expect(changed.chunk.patches.map(\.inserted.count) == chunk.patches.map(\.inserted.count))
    }

    @Test func `what is taken out takes its patches and deliveries along`() {
        var chunk = Chunk(
            connection: ConnectionID(1), leg: LegID(1), sender: .server, at: .zero,
            bytes: Array("first|second|third".utf8))
        chunk.patches = [
            Patch(offset: 0, removed: 1, inserted: Array("F".utf8), reason: .fault),
            Patch(offset: 8, removed: 2, inserted: Array("xyz".utf8), reason: .fault),
            Patch(offset: 14, removed: 0, inserted: Array("H".utf8), reason: .fault),
        ]
        chunk.deliveries = [Delivery(offset: 5, count: 9, at: Instant(nanoseconds: 9))]
        var changing = ChunkEdits(of: chunk)
        // "second|", and "sexyznd|" as it was received.
        changing.replace(6..<13, with: [], hadBy: .server)
        changing.replace(6..<14, with: [], hadBy: .client)
        let changed = changing.outcome()
        #expect(changed.chunk.bytes == Array("first|third".utf8))
        #expect(changed.chunk.received == Array("First|tHhird".utf8))
        #expect(changed.chunk.patches.map(\.offset) == [0, 7])
        #expect(
            changed.chunk.deliveries == [
                Delivery(offset: 5, count: 2, at: Instant(nanoseconds: 9))
            ])
        #expect([0, 6, 12, 13, 17, 18].map(changed.moves.offset) == [0, nil, nil, 6, 10, 11])
    }

    @Test func `what no peer had can be changed, too`() {
        var chunk = Chunk(
            connection: ConnectionID(1), leg: LegID(1), sender: .client, at: .zero,
            bytes: Array("abcdef".utf8))
        chunk.patches = [Patch(offset: 1, removed: 2, inserted: [9], reason: .host)]
        chunk.deliveries = [Delivery(offset: 2, count: 4, at: nil)]
        var changing = ChunkEdits(of: chunk)
        var seen: [[UInt8]] = []
        changing.changeUnseen { bytes, reason in
            #expect(reason == .host)
            seen.append(bytes)
            bytes = bytes.map { $0 - 0x20 }
        }
        #expect(seen == [Array("bc".utf8)])
        #expect(changing.outcome().chunk.bytes == Array("aBCdef".utf8))
    }
}
