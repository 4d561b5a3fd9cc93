import Notation
import Testing
import Wire

@testable import Dissection

@Suite("Wherever HTTP lacks bytes, what they do not touch is decoded as ever")
struct HTTPGapPropertyTests {
    /// What of an exchange may not change, apart from numbers, places and times.
    private struct Seen: Equatable {
        var method: String
        var status: Int?
        var outcome: ExchangeRow.Outcome
        var problem: String?
        var bodies: [[UInt8]]
        var sizes: [Int64]

        init(_ row: ExchangeRow, _ rows: [DerivedRow]) {
            method = row.method
            status = row.status
            outcome = row.outcome
            problem = row.problem
            let mine = rows.bodies.filter { $0.exchange == row.id }
            bodies = mine.flatMap { [$0.head, $0.content] }
            sizes = mine.flatMap { [$0.size, $0.wireSize] } + [row.requestSize, row.responseSize]
        }
    }

    private func seen(_ rows: [DerivedRow]) -> [String: [Seen]] {
        Dictionary(grouping: rows.exchanges, by: \.path).mapValues { list in
            list.map { Seen($0, rows) }
        }
    }

    private func check(seed: UInt64, batch: Int) {
        var dice = SplitMix64(seed: seed)
        let dialogue = Dialogue.http(exchanges: 8, batch: batch, dice: &dice)
        var whole = Stage(mode: .capture)
        dialogue.play(on: &whole, without: nil, longest: 1460, dice: &dice)
        let expected = seen(whole.finish())
        #expect(expected.count == 8)

        let sender: Peer = Bool.random(using: &dice) ? .client : .server
        let size = dialogue.size(sender)
        let start = Int.random(in: 0..<size, using: &dice)
        let most = [3, 60, 1460][Int.random(in: 0..<3, using: &dice)]
        let hole = Dialogue.Hole(
            sender: sender, range: start..<min(size, start + Int.random(in: 1...most, using: &dice))
        )
        let touched = dialogue.touched(by: hole)
        var found: [[String: [Seen]]] = []
        for longest in [1460, 1, 37] {
            var stage = Stage(mode: .capture)
            dialogue.play(on: &stage, without: hole, longest: longest, dice: &dice)
            found.append(seen(stage.finish()))
        }
        #expect(found[0] == found[1] && found[0] == found[2], "cuts change nothing: \(seed)")
        for unit in 0..<8 {
            let path = "/\(unit)"
            let mine = found[0][path] ?? []
            let ideal = expected[path] ?? []
            for exchange in mine where exchange.status != nil {
                let named = exchange.bodies.contains { body in
                    String(decoding: body, as: UTF8.self).contains("X-Unit: \(unit)\r\n")
                }
                #expect(named, "the response of another: \(seed) \(path)")
            }
            if touched.contains(unit) {
                #expect(mine.allSatisfy { $0.problem != nil }, "touched: \(seed) \(path) \(mine)")
            } else if batch == 1 {
                #expect(mine == ideal, "untouched: \(seed) \(path)")
            } else {
                // Which responses of several at a time are missing may stay open.
                #expect(
                    mine == ideal || mine.first?.problem != nil,
                    "untouched: \(seed) \(path)")
            }
        }
        #expect(found[0].values.allSatisfy { $0.count == 1 }, "nothing is made up: \(seed)")
    }

    @Test(arguments: 0..<12) func `for clients that wait for each response`(block: UInt64) {
        for seed in 0..<8 { check(seed: block * 25 + UInt64(seed), batch: 1) }
    }

    @Test(arguments: 0..<12) func `for clients that send several requests at a time`(block: UInt64)
    {
        for seed in 0..<8 { check(seed: 10_000 + block * 25 + UInt64(seed), batch: 3) }
    }
}
