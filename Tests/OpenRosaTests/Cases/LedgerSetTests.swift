import Notation
import Testing

@testable import OpenRosa

@Suite struct LedgerSetTests {
    private func balance(_ entries: [LedgerBlock.Entry], section: String? = "stock") -> LedgerBlock
    {
        LedgerBlock(
            .balance, entityID: "shop", sectionID: section, date: "2026-01-01", entries: entries)
    }

    @Test func `balances are set, transfers move`() throws {
        var set = CaseSet()
        try set.apply(balance([.init(id: "p", quantity: "7"), .init(id: "q", quantity: "-1")]))
        try set.apply(balance([.init(id: "p", quantity: "2", sectionID: "used")], section: nil))
        let transfer = LedgerBlock(
            .transfer, source: "shop", destination: "home", sectionID: "stock",
            date: "2026-01-01T00:00:00Z", entries: [.init(id: "p", quantity: "3")])
        try set.apply(transfer)
        #expect(set.ledgers["shop", "stock", "p"] == 4)
        #expect(set.ledgers["shop", "stock", "q"] == -1)
        #expect(set.ledgers["shop", "used", "p"] == 2)
        #expect(set.ledgers["home", "stock", "p"] == 3)
        #expect(set.ledgers["home", "stock", "x"] == 0)
        #expect(set.ledgers.entities == 2)
        var outward = transfer
        outward.destination = nil
        try set.apply(outward)
        #expect(set.ledgers["shop", "stock", "p"] == 1)
        #expect(set.cases.isEmpty)
    }

    static let refused: [(LedgerBlock, CaseProblem.Reason)] = [
        (LedgerBlock(.balance, entityID: "e", sectionID: "s"), .incompleteLedger(missing: "date")),
        (
            LedgerBlock(.balance, entityID: "e", sectionID: "s", date: "x"),
            .invalidDate(property: "date", value: "x")
        ),
        (
            LedgerBlock(.balance, sectionID: "s", date: "2026-01-01"),
            .incompleteLedger(missing: "entity-id")
        ),
        (
            LedgerBlock(.transfer, sectionID: "s", date: "2026-01-01"),
            .incompleteLedger(missing: "src or dest")
        ),
        (
            LedgerBlock(
                .balance, entityID: "e", date: "2026-01-01",
                entries: [.init(id: "p", quantity: "1")]), .incompleteLedger(missing: "section-id")
        ),
        (
            LedgerBlock(
                .balance, entityID: "e", sectionID: "s", date: "2026-01-01",
                entries: [.init(id: nil, quantity: "1")]),
            .incompleteLedger(missing: "id of an entry")
        ),
    ]

    @Test(arguments: refused)
    func `refuses`(block: LedgerBlock, reason: CaseProblem.Reason) throws {
        var set = CaseSet()
        let problem = #expect(throws: CaseProblem.self) { try set.apply(block) }
        #expect(problem?.reason == reason)
        #expect(set == CaseSet())
        #expect(try set.apply(block, .tolerant).map(\.reason) == [reason])
    }

    @Test(arguments: ["", "1.5", "x", " 1", "2147483648", "-2147483649"])
    func `refuses quantities that are no integers of 32 bits`(text: String) throws {
        var set = CaseSet()
        let block = balance([.init(id: "good", quantity: "1"), .init(id: "p", quantity: text)])
        let problem = #expect(throws: CaseProblem.self) { try set.apply(block) }
        #expect(problem?.reason == .invalidQuantity(text))
        #expect(set.ledgers.balances.isEmpty)
        try set.apply(block, .tolerant)
        #expect(set.ledgers["shop", "stock", "good"] == 1)
    }

    @Test func `a restore may have many ledgers`() throws {
        var restore = RestoreInProgress(.full, of: CaseSet())
        for place in 0..<30_000 {
            var block = balance([.init(id: "p", quantity: "\(place)")])
            block.entityID = "\(place)"
            try restore.apply(block)
        }
        let set = restore.finish()
        #expect(set.ledgers.balances.count == 30_000)
        #expect(set.ledgers["29999", "stock", "p"] == 29_999)
    }

    @Test func `what is moved between ledgers is neither lost nor made`() {
        for seed in 0..<2000 {
            var random = SplitMix64(seed: UInt64(seed))
            var ledgers = LedgerSet()
            let entities = ["a", "b", "é", "e\u{301}"]
            for entity in entities {
                ledgers.set(
                    .random(in: -100...100, using: &random),
                    for: .init(entity: entity, section: "s", entry: "p"))
            }
            let before = ledgers.balances.values.reduce(0, +)
            for _ in 0..<20 {
                ledgers.transfer(
                    .random(in: .min ... .max, using: &random), section: "s", entry: "p",
                    from: entities.randomElement(using: &random),
                    to: entities.randomElement(using: &random))
            }
            #expect(ledgers.balances.values.reduce(0, +) == before)
            #expect(ledgers.entities == 4)
        }
    }
}
