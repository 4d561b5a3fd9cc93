import Faults
import Testing
import Wire

/// Answers in the server's place that are no mistake of it.
@Suite struct AnswerTests {
    @Test(arguments: ["answer", "answer 404", "answer 503 retry-after=5", "answer forwarded=true"])
    func `an answer of one's own is not judged`(action: String) {
        var book = Playbook()
        let one = book.connect(0)
        book.exchange(1, on: one, 503, faults: action)
        book.exchange(2, on: one, 500, faults: "status 500")
        #expect(book.verdicts().map(\.fault) == [2])
    }

    @Test func `an answer of one's own can be what a client recovers with`() {
        var book = Playbook()
        let one = book.connect(0)
        book.exchange(1, on: one, 503, faults: "status 503")
        book.exchange(2, on: one, 200, faults: "answer body=x")
        #expect(book.outcomes() == [.recovered])
    }

    @Test func `a success is a mistake only where the protocol says what it is`() {
        var book = Playbook()
        let one = book.connect(0)
        book.exchange(1, on: one, 200, path: "/a", api: "http", faults: "status 200 body=x")
        book.exchange(2, on: one, 503, path: "/b", api: "http", faults: "status 503")
        book.exchange(3, on: one, 204, path: "/b", api: "http", faults: "status 204")
        #expect(book.verdicts().map(\.fault) == [2])
        #expect(book.outcomes() == [.recovered])
        // The page of a captive portal to a form, and a restore that is still made.
        book.submit(4, on: one, 200, "uuid:1", fault: "status 200 type=text/html body=page")
        book.exchange(5, on: one, 202, faults: "status 202")
        #expect(book.outcomes() == [.recovered, .notRecovered, .notRecovered])
        book.submit(6, on: one, 201, "uuid:1")
        book.exchange(7, on: one, 200)
        #expect(book.outcomes() == [.recovered, .recovered, .recovered])
    }
}
