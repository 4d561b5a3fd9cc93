import Faults
import Testing
import Wire

/// Sessions that end before the client had to act.
@Suite struct UndecidedTests {
    @Test func `Retry-After has not elapsed`() {
        var book = Playbook()
        let one = book.connect(0)
        book.exchange(1, on: one, 503, retryAfter: "60", faults: "status 503 retry-after=60")
        #expect(book.outcomes(ended: 50) == [.undecided])
        #expect(
            book.verdicts(ended: 31.5)[0].how
                == "the recording ended 30.5 s into the 60 s of Retry-After")
        #expect(book.outcomes(ended: 62) == [.notRecovered])
        // The next answer has a pause of its own.
        book.exchange(70, on: one, 503, retryAfter: "60")
        #expect(book.outcomes(ended: 100) == [.undecided])
        #expect(
            book.verdicts(ended: 100)[0].how
                == "tried once; the recording ended 29.5 s into the 60 s of Retry-After")
        #expect(book.outcomes(ended: 131) == [.notRecovered])
    }

    @Test func `a client pauses before it tries again, twice as long at most`() {
        var book = Playbook()
        let one = book.connect(0)
        book.exchange(1, on: one, 500, faults: "status 500")
        #expect(book.outcomes(ended: 10) == [.undecided])
        #expect(book.outcomes(ended: 20) == [.notRecovered])
        book.exchange(11, on: one, 500)
        book.exchange(31, on: one, 500)
        #expect(book.outcomes(ended: 68) == [.undecided])
        #expect(book.outcomes(ended: 72) == [.notRecovered])
    }

    @Test(arguments: [400, 401, 406, 413]) func `other statuses are no reason to wait`(code: Int) {
        var book = Playbook()
        let one = book.connect(0)
        book.submit(1, on: one, code, "uuid:1", fault: "status \(code)")
        #expect(book.outcomes(ended: 2) == [.notRecovered])
    }

    @Test(arguments: ["close", "reset", "cut 100", "refuse", "close-code 1012"])
    func `a client pauses before it connects again`(action: String) {
        var book = Playbook()
        let one = book.connect(0)
        book.fault(2, action, on: one)
        #expect(book.outcomes(ended: 4) == [.undecided])
        #expect(book.outcomes(ended: 20) == [.notRecovered])
    }

    @Test func `the fault itself takes its time, and silence is noticed late`() {
        for (action, early, late) in [
            ("blackout for=30s", 31.0, 33.0), ("stall", 61.0, 63.0),
        ] {
            var book = Playbook()
            let one = book.connect(0)
            book.fault(2, action, on: one)
            #expect(book.outcomes(ended: early) == [.undecided])
            #expect(book.outcomes(ended: late) == [.notRecovered])
        }
    }

    @Test func `a change that the server cannot take is sent again after a pause`() {
        var book = Playbook()
        let socket = opened(&book)
        book.command(1, .client, change("a1", "x1"), on: socket, fault: "error 503")
        #expect(book.outcomes(ended: 5) == [.undecided])
        #expect(book.outcomes(ended: 20) == [.notRecovered])
        var refused = Playbook()
        let other = opened(&refused)
        refused.command(1, .client, change("a1", "x1"), on: other, fault: "error 440")
        #expect(refused.outcomes(ended: 2) == [.notRecovered])
    }

    @Test func `what did not work for good is not undecided`() {
        var book = Playbook()
        let one = book.connect(0)
        book.submit(1, on: one, 422, "uuid:1", fault: "status 422")
        book.submit(2, on: one, 201, "uuid:1")
        #expect(book.outcomes(ended: 2.5) == [.notRecovered])
    }
}
