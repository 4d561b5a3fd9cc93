import Dissection
import Faults
import Testing
import Wire

@Suite struct ExchangeRecoveryTests {
    @Test(arguments: ["status 503 retry-after=30", "status 429", "status 500", "status 202"])
    func `a later good answer to the same request is recovery`(action: String) throws {
        var book = Playbook()
        let one = book.connect(0)
        book.exchange(1, on: one, 503, retryAfter: "30", faults: action)
        book.exchange(20, on: one, 503)
        let good = book.exchange(40, on: one, 200)
        let verdict = try #require(book.verdicts().first)
        #expect(verdict.outcome == .recovered)
        #expect(verdict.exchange == good)
        #expect(verdict.tries == 2)
        #expect(verdict.afterNanoseconds == 39_500_000_000)
    }

    @Test func `says whether the client waited as long as it was told`() {
        for (retry, words) in [
            (32.0, "tried again after 31 s, Retry-After was 30"),
            (3.0, "tried again after 2 s, before Retry-After 30 had elapsed"),
        ] {
            var book = Playbook()
            let one = book.connect(0)
            book.exchange(1, on: one, 503, retryAfter: "30", faults: "status 503 retry-after=30")
            book.exchange(retry, on: one, 200)
            #expect(book.verdicts()[0].how == "exchange 2 answered 200; \(words)")
        }
    }

    @Test func `an answer that is itself a fault's is none`() {
        var book = Playbook()
        let one = book.connect(0)
        book.exchange(1, on: one, 503, faults: "status 503")
        book.exchange(2, on: one, 200, faults: "status 200 body=x")
        #expect(book.outcomes() == [.notRecovered, .notRecovered])
        // What is only late or has another header is one all the same.
        book.exchange(3, on: one, 200, faults: "latency 1s", "set-header A b")
        #expect(book.outcomes() == [.recovered, .recovered, .recovered, .recovered])
    }

    @Test func `near misses are none`() {
        var book = Playbook()
        let one = book.connect(0)
        book.exchange(1, on: one, 503, faults: "status 503")
        book.exchange(2, on: one, 200, device: "d2")
        book.exchange(3, on: one, 200, path: "/other/")
        book.exchange(4, on: one, 202)
        book.exchange(5, on: one, 200, method: "POST")
        book.exchange(6, on: one, 200, outcome: .responseCut)
        #expect(book.outcomes() == [.notRecovered])
        #expect(book.verdicts()[0].how == "tried 2 times, never with success")
        #expect(book.outcomes(isRunning: true) == [.undecided])
    }

    @Test func `what came before the fault does not count`() {
        var book = Playbook()
        let one = book.connect(0)
        book.exchange(1, on: one, 200)
        book.exchange(2, on: one, 503, faults: "status 503")
        #expect(book.outcomes() == [.notRecovered])
        #expect(book.verdicts()[0].how == "no later event shows a recovery")
    }

    @Test func `a form is told by its instanceID`() {
        var book = Playbook()
        let one = book.connect(0)
        book.submit(1, on: one, 503, "uuid:1", fault: "status 503")
        book.submit(2, on: one, 201, "uuid:2")
        #expect(book.outcomes() == [.notRecovered])
        book.submit(3, on: one, 201, "uuid:1")
        #expect(book.outcomes() == [.recovered])
    }

    @Test func `a form with a processing failure must not come again`() {
        var book = Playbook()
        let one = book.connect(0)
        book.submit(1, on: one, 422, "uuid:1", fault: "status 422")
        #expect(book.outcomes(isRunning: true) == [.undecided])
        book.submit(2, on: one, 201, "uuid:2")
        #expect(book.outcomes() == [.recovered])
        book.submit(3, on: one, 201, "uuid:1")
        #expect(book.outcomes() == [.notRecovered])
        #expect(book.verdicts()[0].how == "the form was sent again, as exchange 3")
    }

    @Test func `a form with a 422 of another nature has to come again`() {
        var book = Playbook()
        let one = book.connect(0)
        book.submit(1, on: one, 422, "uuid:1", fault: "status 422 body=later")
        book.submit(2, on: one, 201, "uuid:2")
        #expect(book.outcomes() == [.notRecovered])
        book.submit(3, on: one, 201, "uuid:1")
        #expect(book.outcomes() == [.recovered])
    }

    @Test(arguments: ["lose-answer", "lose-answer stall", "repeat", "answer-twice"])
    func `after a lost answer the same form comes again`(action: String) {
        var book = Playbook()
        let one = book.connect(0)
        book.submit(1, on: one, nil, "uuid:1", outcome: .noResponse, fault: action)
        #expect(book.outcomes() == [.notRecovered])
        book.submit(2, on: one, 500, "uuid:1")
        book.submit(3, on: one, 201, "uuid:2")
        #expect(book.outcomes() == [.notRecovered])
        book.submit(4, on: one, 201, "uuid:1")
        #expect(book.outcomes() == [.recovered])
    }

    @Test func `after the lost answer of an unknown protocol the client goes on`() {
        var book = Playbook()
        let one = book.connect(0)
        book.exchange(
            1, on: one, nil, path: "/x", api: "http", outcome: .noResponse, faults: "lose-answer")
        book.exchange(2, on: one, 200, path: "/y", api: "http")
        #expect(book.outcomes() == [.recovered])
    }

    @Test(arguments: [
        "latency 2s", "bandwidth 1000", "slice 10", "set-header A b", "remove-header A",
    ]) func `an exchange that completes all the same is recovery`(action: String) {
        var book = Playbook()
        let one = book.connect(0)
        book.exchange(1, on: one, 200, faults: action)
        #expect(book.outcomes() == [.recovered])
        book.exchange(2, on: one, nil, path: "/x", outcome: .noResponse, faults: action)
        #expect(book.outcomes() == [.recovered, .notRecovered])
        book.exchange(3, on: one, 200, path: "/x")
        #expect(book.outcomes() == [.recovered, .recovered])
    }

    @Test func `a connection that is slow from its start is judged by its first exchange`() {
        var book = Playbook()
        let one = book.connect(0)
        let first = book.exchange(1, on: one, 200)
        book.fault(0, "latency 1s", on: one, exchange: first)
        #expect(book.outcomes() == [.recovered])
    }

    @Test(arguments: [
        "truncate 10", "corrupt", "length -1", "content-type text/html", "cut-xml", "drop",
    ]) func `a damaged answer calls for another`(action: String) {
        var book = Playbook()
        let one = book.connect(0)
        book.exchange(1, on: one, 200, faults: action)
        #expect(book.outcomes() == [.notRecovered])
        book.exchange(2, on: one, 200)
        #expect(book.outcomes() == [.recovered])
    }

    @Test(arguments: [
        "close", "reset", "stall", "cut 100", "blackout for=10s", "half-close", "refuse",
        "tls-failure", "expired-certificate", "close-code 1011",
    ]) func `a broken connection calls for a later one`(action: String) {
        var book = Playbook()
        let one = book.connect(0)
        book.exchange(1, on: one, 200)
        book.fault(2, action, on: one)
        book.exchange(3, on: one, 200)
        let other = book.connect(3.5, from: "192.0.2.2")
        book.exchange(4, on: other, 200, device: "d2")
        let again = book.connect(5)
        book.exchange(6, on: again, 503)
        #expect(book.outcomes() == [.notRecovered])
        book.exchange(7, on: again, 200)
        #expect(book.outcomes() == [.recovered])
        #expect(book.verdicts()[0].how == "back on connection 3: exchange 5 answered 200")
    }

    @Test func `a client that never said who it is is told by its address`() {
        var book = Playbook()
        let refused = book.connect(1)
        book.fault(1, "refuse", on: refused)
        let other = book.connect(2, from: "192.0.2.9")
        book.exchange(3, on: other, 200, device: nil)
        #expect(book.outcomes() == [.notRecovered])
        let again = book.connect(4)
        book.exchange(5, on: again, 200, device: nil)
        #expect(book.outcomes() == [.recovered])
    }
}
