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
        book.exchange(11, on: one, 500)
        book.exchange(31, on: one, 500)
        book.exchange(32, on: one, 500, path: "/a/demo/phone/keys/", api: "commcare.keys")
        #expect(book.outcomes(ended: 68) == [.undecided])
        #expect(book.outcomes(ended: 72) == [.notRecovered])
    }

    @Test(arguments: [400, 406, 413]) func `other statuses are no reason to wait`(code: Int) {
        var book = Playbook()
        let one = book.connect(0)
        book.submit(1, on: one, code, "uuid:1", fault: "status \(code)")
        #expect(book.outcomes(ended: 2) == [.undecided], "the client does nothing")
        book.exchange(1.8, on: one, 200)
        let isWrong = code != 406
        #expect(book.outcomes(ended: 2) == [isWrong ? .recovered : .notRecovered])
    }

    @Test(arguments: [200, 302, 401])
    func `a page of somebody else's passes, and a person signs in`(
        code: Int
    ) {
        var book = Playbook()
        let one = book.connect(0)
        book.submit(1, on: one, code, "uuid:1", fault: "status \(code)")
        #expect(book.outcomes(ended: 6) == [.undecided])
        #expect(book.outcomes(ended: 70) == [.notRecovered])
    }

    @Test func `a client that is back has not sent again what was lost`() {
        for (sender, text) in [
            (Peer.client, change("a1", "x1")), (.server, acknowledgement("a1", "x1")),
        ] {
            var book = Playbook()
            let socket = opened(&book)
            if sender == .server { book.command(1, .client, change("a1", "x1"), on: socket) }
            book.command(1.5, sender, text, on: socket, fault: "drop close=true")
            _ = opened(&book, 2)
            #expect(book.outcomes(ended: 6) == [.undecided])
            #expect(book.outcomes(ended: 30) == [.notRecovered])
        }
    }

    @Test func `a fault takes each answer to a change that is sent again`() {
        var book = Playbook()
        let socket = opened(&book)
        for second in [1.0, 8, 15, 22, 70] {
            book.command(second, .client, change("a1", "x1"), on: socket)
            book.command(
                second + 0.5, .server, acknowledgement("a1", "x1"), on: socket, fault: "drop")
        }
        #expect(Set(book.outcomes(ended: 75)) == [.undecided])
        #expect(book.outcomes(ended: 150).last == .notRecovered)
        #expect(
            book.verdicts(ended: 150)[0].how
                == "tried 4 times; a fault met the last of them as well")
    }

    @Test(arguments: ["bandwidth 20480", "latency 12ms"])
    func `a fault takes the first answer on a connection that is slowed`(action: String) {
        var book = Playbook()
        let one = book.connect(0)
        book.fault(1, action, on: one)
        book.submit(2, on: one, nil, "uuid:1", fault: "lose-answer how=reset")
        #expect(Set(book.outcomes(ended: 6)) == [.undecided])
        #expect(
            book.verdicts(ended: 6)[0].how == "another fault met what the client sent last")
        #expect(Set(book.outcomes(ended: 70)) == [.notRecovered])
    }

    @Test(arguments: ["close", "reset", "cut 100", "refuse", "close-code 1012"])
    func `a client pauses before it connects again`(action: String) {
        var book = Playbook()
        let one = book.connect(0)
        book.fault(2, action, on: one)
        #expect(book.outcomes(ended: 4) == [.undecided])
        #expect(book.outcomes(ended: 70) == [.notRecovered])
    }

    @Test func `the fault itself takes its time, and silence is noticed late`() {
        for (action, early, late) in [
            ("blackout for=30s", 31.0, 63.0), ("stall", 61.0, 63.0),
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
        #expect(book.outcomes(ended: 70) == [.notRecovered])
        var refused = Playbook()
        let other = opened(&refused)
        refused.command(1, .client, change("a1", "x1"), on: other, fault: "error 440")
        #expect(refused.outcomes(ended: 2) == [.undecided], "the client does nothing")
        refused.command(3, .client, "h:1", on: other)
        #expect(refused.outcomes(ended: 4) == [.notRecovered])
    }

    @Test func `what did not work for good is not undecided`() {
        var book = Playbook()
        let one = book.connect(0)
        book.submit(1, on: one, 422, "uuid:1", fault: "status 422")
        book.submit(2, on: one, 201, "uuid:1")
        #expect(book.outcomes(ended: 2.5) == [.notRecovered])
    }
}
