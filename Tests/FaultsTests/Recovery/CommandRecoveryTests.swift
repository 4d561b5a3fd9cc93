import Faults
import Testing
import Wire

@Suite struct CommandRecoveryTests {
    @Test(arguments: ["error 440", "error 404", "error 405 as=string", "error 500"])
    func `a refused change is made good by a later one`(action: String) throws {
        var book = Playbook()
        let socket = opened(&book)
        book.command(1, .client, change("a1", "x1"), on: socket, fault: action)
        book.command(1, .server, refusal("a1", "x1", 440), on: socket)
        book.command(2, .client, change("b2", "x2"), on: socket)
        book.command(2.5, .server, acknowledgement("b2", "x2"), on: socket)
        #expect(book.outcomes() == [.notRecovered])
        book.command(3, .client, change("a1", "x3"), on: socket)
        book.command(3.5, .server, acknowledgement("a1", "y9", by: "other"), on: socket)
        book.command(3.6, .server, refusal("a1", "x3", 440), on: socket)
        #expect(book.outcomes() == [.notRecovered])
        book.command(4, .client, change("a1", "x4"), on: socket)
        let shown = book.command(4.5, .server, acknowledgement("a1", "x4"), on: socket)
        let verdict = try #require(book.verdicts().first)
        #expect(verdict.outcome == .recovered)
        #expect(verdict.command == shown)
        #expect(verdict.tries == 2)
        #expect(verdict.how == "a later change of a1 was acknowledged by command c\(shown)")
    }

    @Test func `the same change again and known to the server is recovery`() {
        var book = Playbook()
        let socket = opened(&book)
        book.command(1, .client, change("a1", "x1"), on: socket, fault: "error 503 forwarded=true")
        book.command(2, .client, change("a1", "x1"), on: socket)
        book.command(3, .server, refusal("a1", "x1", 409), on: socket)
        #expect(book.outcomes() == [.recovered])
    }

    @Test(arguments: ["400", "409 forwarded=true", "412 forwarded=true", "413"])
    func `what must not come again`(refusal: String) {
        var book = Playbook()
        let socket = opened(&book)
        book.command(1, .client, change("a1", "x1"), on: socket, fault: "error \(refusal)")
        #expect(book.outcomes(isRunning: true) == [.undecided])
        book.command(2, .client, "h:1", on: socket)
        #expect(book.outcomes() == [.recovered])
        book.command(3, .client, change("a1", "x1"), on: socket)
        #expect(book.outcomes() == [.notRecovered])
        #expect(
            book.verdicts()[0].how
                == "the change was sent again under the same ccid, in command c4")
    }

    @Test(arguments: ["cv-unknown", "change-unknown"])
    func `an unknown change version calls for a new index`(action: String) {
        var book = Playbook()
        let socket = opened(&book)
        book.command(1, .client, "0:cv:57", on: socket, fault: action)
        book.command(1, .server, "0:cv:?", on: socket)
        book.command(2, .client, "0:i:1::100:", on: socket)
        book.command(
            3, .server, #"0:i:{"current":"57","index":[],"mark":"m"}"#, on: socket)
        #expect(book.outcomes() == [.notRecovered])
        book.command(4, .client, "0:i:1:m:100:", on: socket)
        book.command(5, .server, #"0:i:{"current":"57","index":[]}"#, on: socket)
        #expect(book.outcomes() == [.recovered])
        #expect(book.verdicts()[0].tries == 2)
    }

    @Test func `a request in an init counts as one`() {
        var book = Playbook()
        let socket = book.connect(0)
        func opening(_ request: String) -> String {
            #"0:init:{"name":"notes","clientid":"me","token":"t","app_id":"a","cmd":"\#(request)"}"#
        }
        book.command(1, .client, opening("cv:57"), on: socket, fault: "cv-unknown")
        book.command(1, .server, "0:auth:me@example.org", on: socket)
        book.command(1, .server, "0:cv:?", on: socket)
        #expect(book.outcomes() == [.notRecovered])
        let again = book.connect(2)
        book.command(2, .client, opening("i:1:::100"), on: again)
        book.command(3, .server, "0:auth:me@example.org", on: again)
        book.command(3, .server, #"0:i:{"current":"57","index":[]}"#, on: again)
        #expect(book.outcomes() == [.recovered])
        #expect(book.verdicts()[0].tries == 1)
    }

    @Test func `an entity that is not there must not be asked for for ever`() {
        var book = Playbook()
        let socket = opened(&book)
        book.command(1, .client, "0:e:a1.3", on: socket, fault: "entity-unknown")
        book.command(1, .server, "0:e:a1.3\n?", on: socket)
        book.command(2, .client, "h:1", on: socket)
        #expect(book.outcomes() == [.recovered])
        for second in 3...6 { book.command(Double(second), .client, "0:e:a1.3", on: socket) }
        #expect(book.outcomes() == [.notRecovered])
    }

    @Test(arguments: ["auth-failure", "auth-expired"])
    func `a refused authorisation calls for one that is not`(action: String) {
        var book = Playbook()
        let socket = book.connect(0)
        book.command(
            1, .client, #"0:init:{"name":"notes","clientid":"me","token":"t","app_id":"a"}"#,
            on: socket, fault: action)
        book.command(1, .server, "0:auth:expired", on: socket)
        book.command(1, .server, #"0:auth:{"msg":"Token invalid","code":401}"#, on: socket)
        let other = book.connect(2)
        open(&book, 2, other, client: "you")
        book.command(3, .server, "0:auth:you@example.org", on: other)
        #expect(book.outcomes() == [.notRecovered])
        let again = book.connect(4)
        open(&book, 4, again)
        book.command(5, .server, "0:auth:me@example.org", on: again)
        #expect(book.outcomes() == [.recovered])
        #expect(book.verdicts()[0].tries == 1)
    }

    @Test(arguments: ["drop", "foreign-ccids"])
    func `a lost acknowledgement is made good by the same ccid`(action: String) {
        for answer in [acknowledgement("a1", "x1"), refusal("a1", "x1", 409)] {
            var book = Playbook()
            let socket = opened(&book)
            book.command(1, .client, change("a1", "x1"), on: socket)
            book.fault(
                2, action, on: socket, sender: .server, came: acknowledgement("a1", "x1"))
            book.command(3, .client, change("a1", "x2"), on: socket)
            book.command(4, .server, acknowledgement("a1", "x2", ev: 3), on: socket)
            #expect(book.outcomes() == [.notRecovered])
            book.command(5, .client, change("a1", "x1"), on: socket)
            book.command(6, .server, answer, on: socket)
            #expect(book.outcomes() == [.recovered])
            #expect(book.verdicts()[0].tries == 1)
        }
    }

    @Test(arguments: ["latency 1s", "repeat", "reorder"])
    func `an acknowledgement that comes late or twice is enough`(action: String) {
        var book = Playbook()
        let socket = opened(&book)
        book.command(1, .client, change("a1", "x1"), on: socket)
        book.fault(2, action, on: socket, sender: .server, came: acknowledgement("a1", "x1"))
        #expect(book.outcomes() == [.notRecovered])
        book.command(3, .server, acknowledgement("a1", "x1"), on: socket)
        #expect(book.outcomes() == [.recovered])
    }

    @Test(arguments: ["drop", "version-gap", "malformed-delta"])
    func `a damaged change of others has to be asked for`(action: String) {
        let change = acknowledgement("a1", "y1", ev: 5, by: "you")
        var book = Playbook()
        let socket = opened(&book)
        book.command(2, .server, change, on: socket, fault: action)
        // The next one is of no use without it, and an older entity neither.
        book.command(3, .server, acknowledgement("a1", "y2", ev: 6, by: "you"), on: socket)
        book.command(4, .client, "0:e:a1.4", on: socket)
        book.command(4.5, .server, "0:e:a1.4\n{\"data\":{}}", on: socket)
        #expect(book.outcomes() == [.notRecovered])
        var entity = book
        entity.command(5, .server, "0:e:a1.5\n{\"data\":{}}", on: socket)
        #expect(entity.outcomes() == [.recovered])
        var replay = book
        replay.command(5, .client, "0:cv:51", on: socket)
        replay.command(6, .server, change, on: socket)
        #expect(replay.outcomes() == [.recovered])
        #expect(replay.verdicts()[0].tries == 2)
        book.command(5, .client, "0:i:1::100:", on: socket)
        book.command(6, .server, #"0:i:{"current":"57","index":[]}"#, on: socket)
        #expect(book.outcomes() == [.recovered])
    }

    @Test func `a client's change that was lost comes again`() {
        var book = Playbook()
        let socket = opened(&book)
        book.fault(1, "drop", on: socket, sender: .client, came: change("a1", "x1"))
        #expect(book.outcomes() == [.notRecovered])
        book.command(2, .client, change("a1", "x1"), on: socket)
        book.command(3, .server, acknowledgement("a1", "x1"), on: socket)
        #expect(book.outcomes() == [.recovered])
    }

    @Test func `a lost page of the index calls for a complete one`() {
        var book = Playbook()
        let socket = opened(&book)
        book.fault(
            1, "drop", on: socket, sender: .server, came: #"0:i:{"current":"5","index":[]}"#)
        book.command(2, .client, "0:i:1::100:", on: socket)
        #expect(book.outcomes() == [.notRecovered])
        book.command(3, .server, #"0:i:{"current":"5","index":[]}"#, on: socket)
        #expect(book.outcomes() == [.recovered])
    }

    @Test func `heartbeats have to be answered rightly, or the client comes back`() {
        for action in ["drop", "wrong-heartbeat"] {
            var book = Playbook()
            let socket = opened(&book)
            book.command(1, .client, "h:1", on: socket)
            book.command(1, .server, "h:2", on: socket, fault: action)
            book.command(2, .server, "h:4", on: socket)
            #expect(book.outcomes() == [.notRecovered])
            var answered = book
            answered.command(3, .client, "h:3", on: socket)
            answered.command(4, .server, "h:4", on: socket)
            #expect(answered.outcomes() == [.recovered])
            let again = opened(&book, 5)
            book.command(6, .server, "0:auth:me@example.org", on: again)
            #expect(book.outcomes() == [.recovered])
        }
    }

    @Test func `a client that goes on has got over something sent out of turn`() {
        var book = Playbook()
        let socket = opened(&book)
        book.fault(
            1, "send 0:index", on: socket, sender: .server,
            came: #"0:i:{"current":"5","index":[]}"#)
        book.command(2, .server, "0:c:[]", on: socket)
        #expect(book.outcomes() == [.notRecovered])
        book.command(3, .client, "0:cv:5", on: socket)
        #expect(book.outcomes() == [.recovered])
    }

    @Test(arguments: ["unknown-channel", "move-current"])
    func `a page with another channel or current calls for more than going on`(action: String) {
        var book = Playbook()
        let socket = opened(&book)
        book.fault(
            1, action, on: socket, sender: .server, came: #"0:i:{"current":"5","index":[]}"#)
        book.command(2, .client, "h:1", on: socket)
        #expect(book.outcomes() == [.notRecovered])
        book.command(3, .client, "0:i:1::100:", on: socket)
        book.command(4, .server, #"0:i:{"current":"5","index":[]}"#, on: socket)
        #expect(book.outcomes() == [.recovered])
    }

    @Test func `a broken socket calls for another that is authorised`() {
        var book = Playbook()
        let socket = opened(&book)
        book.command(1, .client, change("a1", "x1"), on: socket, fault: "reset")
        let again = opened(&book, 2)
        book.command(3, .server, #"0:auth:{"msg":"no","code":401}"#, on: again)
        #expect(book.outcomes() == [.notRecovered])
        book.command(4, .server, "0:auth:me@example.org", on: again)
        #expect(book.outcomes() == [.recovered])
    }

    @Test func `bytes that are no command are judged by what the client does next`() {
        var book = Playbook()
        let socket = opened(&book)
        book.fault(1, "drop", on: socket, sender: .server, came: "\u{1}\u{2}")
        #expect(book.outcomes() == [.notRecovered])
        book.command(2, .client, "h:0", on: socket)
        #expect(book.outcomes() == [.recovered])
    }
}
