import Testing

@testable import Proxying

@Suite struct MemoryBudgetTests {
    @Test func `above the limit those stop that hold more than their share`() {
        let budget = MemoryBudget(limit: 1000)
        for _ in 0..<4 { budget.join() }
        budget.change(by: 900)
        #expect(!budget.isExceeded(by: 900))
        budget.change(by: 200)
        #expect(budget.total == 1100)
        #expect(budget.isExceeded(by: 900))
        #expect(!budget.isExceeded(by: 200))
        #expect(!budget.isExceeded(by: 250))
        budget.leave(holding: 900)
        #expect(!budget.isExceeded(by: 200))
        #expect(budget.total == 200)
    }

    @Test(arguments: 1...50) func `somebody always stops, and who holds nothing never does`(
        count: Int
    ) {
        let budget = MemoryBudget(limit: 1000)
        for _ in 0..<count { budget.join() }
        let each = 1000 / count + 1
        budget.change(by: each * count)
        #expect(budget.isExceeded(by: each))
        #expect(!budget.isExceeded(by: 0))
    }
}
