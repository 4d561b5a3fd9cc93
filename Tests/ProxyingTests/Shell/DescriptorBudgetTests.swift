import Testing

@testable import Proxying

@Suite struct DescriptorBudgetTests {
    /// Clients have to be told apart by what they are.
    private final class Client {}

    private let clients = (0..<40).map { _ in Client() }

    private func id(_ number: Int) -> ObjectIdentifier { ObjectIdentifier(clients[number]) }

    @Test func `serves as many as both legs have descriptors for, and refuses the rest`() {
        let budget = DescriptorBudget(limit: 64, used: 20)
        #expect(budget.capacity == 20)
        for number in 0..<10 {
            #expect(budget.admit(id(number)).verdict == .serve)
            #expect(!budget.takeRefusal(of: id(number)))
        }
        #expect(budget.admit(id(10)) == (.refuse, 1))
        #expect(budget.takeRefusal(of: id(10)))
        #expect(!budget.takeRefusal(of: id(10)))
        #expect(!budget.leave(.serve))
        #expect(budget.admit(id(11)).verdict == .serve)
        #expect(budget.refused == 1)
    }

    @Test func `the gate shuts while so many are refused, and opens when one has gone`() {
        let budget = DescriptorBudget(limit: 40, used: 30)
        #expect(budget.admit(id(0)).verdict == .serve)
        for number in 1..<DescriptorBudget.refusedAtOnce {
            #expect(budget.admit(id(number)).verdict == .refuse)
            #expect(!budget.shutGateIfFull())
        }
        #expect(budget.admit(id(20)).verdict == .refuse)
        #expect(budget.shutGateIfFull())
        #expect(!budget.openGate())
        #expect(budget.leave(.refuse))
        #expect(budget.openGate())
        #expect(!budget.leave(.refuse))
    }

    @Test func `further servers of a connection take what is left`() {
        let budget = DescriptorBudget(limit: 64, used: 35)
        #expect(budget.capacity == 5)
        #expect(budget.admit(id(0)).verdict == .serve)
        #expect(budget.admit(id(1)).verdict == .serve)
        #expect(budget.takeOne())
        #expect(!budget.takeOne())
        #expect(budget.admit(id(2)).verdict == .refuse)
        budget.giveOne()
        #expect(budget.takeOne())
    }
}
