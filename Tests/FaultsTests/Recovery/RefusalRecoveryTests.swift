import Faults
import Testing
import Wire

@Suite struct RefusalRecoveryTests {
    @Test func `with a new token the change of a 401 is sent again`() {
        var book = Playbook()
        let socket = opened(&book)
        book.command(0.5, .server, "0:auth:me@example.org", on: socket)
        book.command(1, .client, change("a1", "x1"), on: socket, fault: "error 401")
        book.command(1, .server, refusal("a1", "x1", 401), on: socket)
        let again = book.connect(2)
        open(&book, 2, again, token: "u")
        #expect(book.outcomes() == [.notRecovered], "a token alone is not enough")
        book.command(2.5, .server, "0:auth:me@example.org", on: again)
        book.command(3, .client, change("a1", "x1"), on: again)
        #expect(book.outcomes() == [.notRecovered])
        let shown = book.command(3.5, .server, acknowledgement("a1", "x1"), on: again)
        #expect(book.outcomes() == [.recovered])
        #expect(book.verdicts()[0].how == "acknowledged by command c\(shown)")
    }

    @Test func `without a new token the change of a 401 must not come again`() {
        var book = Playbook()
        let socket = opened(&book)
        book.command(0.5, .server, "0:auth:me@example.org", on: socket)
        book.command(1, .client, change("a1", "x1"), on: socket, fault: "error 401")
        book.command(2, .client, change("a1", "x1"), on: socket)
        book.command(3, .server, acknowledgement("a1", "x1"), on: socket)
        #expect(book.outcomes() == [.notRecovered])
    }

    @Test func `a client may leave out what it must not change`() {
        var book = Playbook()
        let socket = opened(&book)
        book.command(1, .client, change("a1", "x1"), on: socket, fault: "error 401")
        book.command(2, .client, "h:1", on: socket)
        #expect(book.outcomes() == [.notRecovered])
        book.command(3, .client, change("b2", "x2"), on: socket)
        #expect(book.outcomes() == [.recovered])
    }

    /// A client that follows the specification after 409: it requests what the server has.
    private func falselyKnown(_ code: Int, data: String) -> Playbook {
        var book = Playbook()
        let socket = opened(&book)
        book.command(1, .client, change("a1", "x1"), on: socket, fault: "error \(code)")
        book.command(1, .server, refusal("a1", "x1", code), on: socket)
        book.command(2, .client, "0:cv:57", on: socket)
        book.command(3, .server, "0:c:[]", on: socket)
        book.command(4, .client, "0:e:a1.1", on: socket)
        book.command(5, .server, "0:e:a1.1\n{\"data\":\(data)}", on: socket)
        book.command(6, .client, "h:1", on: socket)
        return book
    }

    @Test(arguments: [409, 412])
    func `an edit that the server was said to have and has not is lost`(code: Int) {
        let book = falselyKnown(code, data: #"{"b":2}"#)
        #expect(book.outcomes() == [.notRecovered])
        #expect(
            book.verdicts()[0].how
                == "nothing shows the edit on the server, and the client did not send it again")
    }

    @Test(arguments: [409, 412]) func `an edit that the server shows is there`(code: Int) {
        #expect(falselyKnown(code, data: #"{"a":1,"b":2}"#).outcomes() == [.recovered])
    }

    @Test(arguments: [409, 412]) func `a change that the server accepted before is there`(code: Int)
    {
        var book = Playbook()
        let socket = opened(&book)
        book.command(1, .client, change("a1", "x1"), on: socket)
        book.command(2, .server, acknowledgement("a1", "x1"), on: socket)
        book.command(3, .client, change("a1", "x1"), on: socket, fault: "error \(code)")
        book.command(3, .server, refusal("a1", "x1", code), on: socket)
        #expect(book.outcomes() == [.recovered])
        book.command(4, .client, change("a1", "x1"), on: socket)
        #expect(book.outcomes() == [.notRecovered])
    }

    @Test(arguments: [409, 412])
    func `an edit that is sent again is there once it is acknowledged`(code: Int) {
        var book = falselyKnown(code, data: #"{"b":2}"#)
        let socket = ConnectionID(1)
        book.command(7, .client, change("a1", "x2", #"{"c":{"o":"+","v":3}}"#), on: socket)
        book.command(8, .server, acknowledgement("a1", "x2"), on: socket)
        #expect(book.outcomes() == [.notRecovered], "another edit is not this one")
        book.command(9, .client, change("a1", "x3"), on: socket)
        #expect(book.outcomes() == [.notRecovered])
        book.command(10, .server, acknowledgement("a1", "x3", ev: 3), on: socket)
        #expect(book.outcomes() == [.recovered])
    }

    @Test(arguments: [
        (#"{"t":{"o":"d","v":"=2\t+cd"}}"#, #"{"t":"abcd"}"#, true),
        (#"{"t":{"o":"d","v":"=2\t+cd"}}"#, #"{"t":"ab"}"#, false),
        (#"{"t":{"o":"d","v":"=2\t-1"}}"#, #"{"t":"ab"}"#, false),
        (#"{"t":{"o":"-"}}"#, #"{"u":1}"#, true), (#"{"t":{"o":"-"}}"#, #"{"t":1}"#, false),
        (#"{"t":{"o":"O","v":{"u":{"o":"r","v":1}}}}"#, #"{"t":{"u":1}}"#, true),
        (#"{"t":{"o":"O","v":{"u":{"o":"r","v":1}}}}"#, #"{"t":{"u":2}}"#, false),
        (#"{"t":{"o":"I","v":1}}"#, #"{"t":1}"#, false),
    ]) func `an edit is found by its result`(operations: String, data: String, isThere: Bool) {
        var book = Playbook()
        let socket = opened(&book)
        let sent = change("a1", "x1", operations)
        book.command(1, .client, sent, on: socket, fault: "error 412")
        book.command(2, .server, "0:e:a1.1\n{\"data\":\(data)}", on: socket)
        #expect(book.outcomes() == [isThere ? .recovered : .notRecovered])
    }

    @Test func `a removal that the server was said to have had`() {
        var book = Playbook()
        let socket = opened(&book)
        let removal = #"0:c:{"id":"a1","o":"-","ccid":"x1"}"#
        book.command(1, .client, removal, on: socket, fault: "error 412")
        book.command(2, .server, "0:e:a1.1\n{\"data\":{}}", on: socket)
        #expect(book.outcomes() == [.notRecovered])
    }
}
