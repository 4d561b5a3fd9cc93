import Testing

@testable import Dissection

@Suite("Responses are given to requests only where that is certain") struct PairingTests {
    @Test func `follows the order as long as nothing is missing`() {
        var pairing = Pairing()
        #expect(pairing.plan(waiting: 3) == [0, 1, 2])
        #expect(pairing.respond(waiting: 3) == 0)
        #expect(pairing.respond(waiting: 0) == nil)
        #expect(pairing.isInOrder)
    }

    @Test func `gives a response to the last request of a client that waits`() {
        var pairing = Pairing()
        pairing.lose(waiting: 1, isFirstLost: true)
        #expect(pairing.isAlternating)
        #expect(pairing.respond(waiting: 2) == 1)
        #expect(pairing.isInOrder)
    }

    @Test(
        arguments: [(3, true, [nil, 2]), (3, false, [nil, nil, 2]), (2, true, [1])]
            as [(Int, Bool, [Int?])])
    func `counts where several wait`(waiting: Int, isFirstLost: Bool, plan: [Int?]) {
        var pairing = Pairing()
        pairing.lose(waiting: waiting, isFirstLost: isFirstLost)
        #expect(pairing.plan(waiting: waiting) == plan)
        for answer in plan { #expect(pairing.respond(waiting: waiting) == answer) }
        #expect(pairing.isInOrder)
    }

    @Test func `counts for a client that was seen not to wait`() {
        var pairing = Pairing()
        pairing.overlap()
        pairing.lose(waiting: 0, isFirstLost: false)
        #expect(pairing.plan(waiting: 2) == [nil, 1])
    }

    @Test func `begins anew with another connection to the server`() {
        var pairing = Pairing()
        pairing.lose(waiting: 3, isFirstLost: true)
        pairing.restart()
        #expect(pairing.plan(waiting: 1) == [0])
    }
}
