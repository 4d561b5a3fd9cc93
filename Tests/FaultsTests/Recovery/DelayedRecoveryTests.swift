import Faults
import Testing
import Wire

/// Faults that repeat, delay or reorder.
@Suite struct DelayedRecoveryTests {
    @Test(arguments: ["latency 1s", "repeat", "reorder", "compact", "slice 10", "bandwidth 100"])
    func `another command of the client shows nothing`(action: String) {
        var book = Playbook()
        let socket = opened(&book)
        book.command(1, .client, change("a1", "x1"), on: socket)
        book.fault(2, action, on: socket, sender: .server, came: acknowledgement("a1", "x1"))
        book.command(3, .client, "h:1", on: socket)
        book.command(4, .client, "0:e:b2.1", on: socket)
        #expect(book.outcomes() == [.notRecovered])
    }

    @Test(arguments: ["repeat", "reorder", "latency 1s"])
    func `an edit that does not fit the server's object shows a mistake`(action: String) {
        var book = Playbook()
        let socket = opened(&book)
        let foreign = acknowledgement("a1", "y1", ev: 5, by: "you")
        book.command(2, .server, foreign, on: socket, fault: action)
        #expect(book.outcomes() == [.recovered])
        book.command(3, .client, change("a1", "x1"), on: socket)
        book.command(4, .server, refusal("a1", "x1", 440), on: socket)
        #expect(book.outcomes() == [.notRecovered])
    }

    @Test func `a refusal that a fault made is no mistake`() {
        var book = Playbook()
        let socket = opened(&book)
        let foreign = acknowledgement("a1", "y1", ev: 5, by: "you")
        book.command(2, .server, foreign, on: socket, fault: "repeat")
        book.command(3, .client, change("a1", "x1"), on: socket, fault: "error 440")
        book.command(3, .server, refusal("a1", "x1", 440), on: socket)
        #expect(book.outcomes() == [.recovered, .notRecovered])
    }

    @Test func `what overtook a change on its own object has to be requested`() {
        var book = Playbook()
        let socket = opened(&book)
        let first = acknowledgement("a1", "y1", ev: 5, by: "you")
        book.fault(1, "reorder", on: socket, sender: .server, came: first)
        book.command(2, .server, acknowledgement("a1", "y2", ev: 6, by: "you"), on: socket)
        book.command(2.1, .server, first, on: socket)
        #expect(book.outcomes() == [.notRecovered])
        book.command(3, .client, "0:e:a1.6", on: socket)
        book.command(4, .server, "0:e:a1.6\n{\"data\":{}}", on: socket)
        #expect(book.outcomes() == [.recovered])
    }

    @Test func `a late cv is answered by changes or an index`() {
        var book = Playbook()
        let socket = opened(&book)
        book.fault(1, "latency 1s", on: socket, sender: .client, came: "0:cv:57")
        book.command(2, .client, "h:1", on: socket)
        #expect(book.outcomes() == [.notRecovered])
        book.command(3, .server, "0:c:[]", on: socket)
        #expect(book.outcomes() == [.recovered])
    }

    @Test func `a blackout is over when something comes after it`() {
        var book = Playbook()
        let socket = opened(&book)
        let other = opened(&book)
        book.fault(1, "blackout 2s", on: socket)
        book.command(2, .server, "h:1", on: socket)
        book.command(4, .server, "h:1", on: other)
        #expect(book.outcomes() == [.notRecovered])
        book.command(5, .server, "h:1", on: socket)
        #expect(book.outcomes() == [.recovered])
    }

    @Test(arguments: ["latency 1s", "repeat", "drop"])
    func `with a control frame nothing is lost`(action: String) {
        var book = Playbook()
        let socket = opened(&book)
        book.fault(1, action, on: socket, sender: .client, came: "\u{3}", isControl: true)
        #expect(book.outcomes() == [])
    }

    @Test func `a page of an index that is too large to be kept is one`() {
        var book = Playbook()
        let socket = opened(&book)
        book.fault(1, "cv-unknown", on: socket, sender: .server, came: "0:cv:57")
        book.command(2, .client, "0:i:1:::100", on: socket)
        let start = #"0:i:{"current":"5","index":[{"id":""#
        let rest = String(repeating: "a", count: (1 << 20) - start.utf8.count)
        book.command(3, .server, start + rest, on: socket)
        #expect(book.outcomes() == [.recovered])
    }

    @Test(arguments: ["repeat", "answer-twice"])
    func `a form that was accepted once is enough`(action: String) {
        var book = Playbook()
        let one = book.connect(0)
        book.submit(1, on: one, 201, "uuid:1", fault: action)
        #expect(book.outcomes() == [.recovered])
    }

    @Test func `a second answer is no reason to send a form again`() {
        var book = Playbook()
        let one = book.connect(0)
        book.submit(1, on: one, 201, "uuid:1", fault: "answer-twice")
        book.submit(2, on: one, 201, "uuid:1")
        #expect(book.outcomes() == [.notRecovered])
    }
}
