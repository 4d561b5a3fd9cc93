import Faults
import Testing
import Wire

@Suite struct RecoveryTests {
    @Test func `gives verdicts in the order of faults, whatever the order of time`() {
        var book = Playbook()
        let one = book.connect(0)
        book.fault(9, "reset", on: one)
        book.fault(5, "reset", on: one)
        book.fault(7, "nonsense that no plan has", on: one)
        let again = book.connect(6)
        book.exchange(8, on: again, 200, device: nil)
        #expect(book.verdicts().map(\.fault) == [1, 2, 3])
        #expect(book.outcomes() == [.notRecovered, .recovered, .recovered])
        #expect(book.outcomes(isRunning: true) == [.undecided, .recovered, .recovered])
    }

    @Test func `stays quick where nobody ever recovers`() {
        var book = Playbook()
        let one = book.connect(0)
        for number in 0..<20_000 {
            if number % 20 == 0 {
                book.exchange(Double(number), on: one, 503, faults: "status 503")
            } else {
                book.exchange(Double(number), on: one, 500)
            }
        }
        let verdicts = book.verdicts()
        #expect(verdicts.count == 1_000)
        #expect(verdicts.first?.tries == 19_999)
        #expect(verdicts.last?.tries == 19)
    }

    @Test func `is of one mind however the faults are ordered`() {
        var book = Playbook()
        let one = book.connect(0)
        for number in 0..<50 {
            let actions = ["status 503", "lose-answer", "reset", "latency 1s"]
            book.exchange(
                Double(number), on: one, number % 3 == 0 ? 200 : 503,
                faults: actions[number % actions.count])
        }
        #expect(book.verdicts().map(\.fault) == Array(1...50))
        #expect(book.verdicts() == book.verdicts())
    }
}
