import Notation
import Testing
import Wire

@testable import OpenRosa

@Suite struct CaseSetPropertyTests {
    private func blocks(for id: String, others: [String], _ random: inout SplitMix64) -> [CaseBlock]
    {
        let words = ["é", "e\u{301}", "😀", "x", ""]
        var blocks = [
            CaseBlock.of(
                id,
                create: .init(
                    caseType: "t", caseName: words.randomElement(using: &random), ownerID: "o"))
        ]
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let update = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                CaseBlock.Property(
                    ["p", "q", "case_name", "owner_id"].randomElement(using: &random) ?? "p",
                    words.randomElement(using: &random) ?? "")
            }
            let target = others.filter { $0 != id }.randomElement(using: &random)
            blocks.append(
                .of(
                    id, update: Bool.random(using: &random) ? update : nil,
                    close: Int.random(in: 0..<8, using: &random) == 0,
                    indices: target.map {
                        [
                            .init(
                                name: ["i", "j"].randomElement(using: &random) ?? "i",
                                relationship: [nil, "child", "extension"].randomElement(
                                    using: &random) ?? nil,
                                target: Int.random(in: 0..<4, using: &random) == 0 ? "" : $0)
                        ]
                    } ?? []))
        }
        return blocks
    }

    @Test func `the order of blocks of different cases does not matter, and the hash keeps up`()
        throws
    {
        for seed in 0..<2000 {
            var random = SplitMix64(seed: UInt64(seed))
            let ids = (0..<Int.random(in: 1...12, using: &random)).map { "\(seed)-é-\($0)" }
            var queues = ids.map { blocks(for: $0, others: ids, &random) }
            var straight = CaseSet()
            for block in queues.joined() { try straight.apply(block, from: .restore) }
            var mixed = CaseSet()
            while let place = queues.indices.filter({ !queues[$0].isEmpty }).randomElement(
                using: &random)
            {
                try mixed.apply(queues[place].removeFirst(), from: .restore)
                if Int.random(in: 0..<10, using: &random) == 0 {
                    let known = mixed.cases.keys.randomElement(using: &random)
                    if let known, let state = mixed.remove(known.string) {
                        #expect(
                            mixed.stateHash
                                == CaseStateHash(caseIDs: mixed.cases.keys.map(\.string)))
                        mixed.put(state)
                    }
                }
                #expect(mixed.stateHash == CaseStateHash(caseIDs: mixed.cases.keys.map(\.string)))
            }
            #expect(mixed == straight, "seed \(seed)")
            #expect(mixed.hashValue == straight.hashValue)
        }
    }

    @Test func `applying a restore twice changes nothing`() throws {
        for seed in 0..<500 {
            var random = SplitMix64(seed: UInt64(seed) &+ 10_000)
            let ids = (0..<6).map { "\($0)" }
            let all = ids.flatMap { blocks(for: $0, others: ids, &random) }
            var once = RestoreInProgress(.full, of: CaseSet())
            for block in all { try once.apply(block) }
            let set = once.finish()
            var twice = RestoreInProgress(.full, of: set)
            for block in all { try twice.apply(block) }
            #expect(twice.finish() == set)
        }
    }
}
