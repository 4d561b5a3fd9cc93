import Filters
import SyncServers
import Testing

@testable import tapedeck

@Suite struct HintTests {
    @Test(arguments: [
        ("method=POST and url contains x", "'url', 'contains' and 'x' were searched for as words"),
        ("restor", "'restor' was searched for as a word"),
    ])
    func `names the words that were searched for`(text: String, part: String) throws {
        let hint = try #require(EmptyResult.hint(text, Filter.parse(text)))
        #expect(hint.contains(part), "\(hint)")
    }

    @Test(arguments: ["status:404", "text:hello", "\"some words\" status:200", "*"])
    func `says nothing where words were meant`(text: String) throws {
        #expect(try EmptyResult.hint(text, Filter.parse(text)) == nil)
    }

    @Test(
        arguments: [
            (["ls", "app.tape", "-status:200"], "not status:200"),
            (["tail", "a", "-header.x-a~b"], "not header.x-a~b"),
            (["ls", "app.tape", "-l", "3"], nil), (["ls", "a", "--", "-status:200"], nil),
            (["ls", "a", "-x:1"], nil), (["record", "a", "-status:1"], nil), (["ls"], nil),
        ] as [([String], String?)])
    func `knows a negated filter`(arguments: [String], instead: String?) {
        let failure = NegationHint.failure(arguments)
        #expect((failure == nil) == (instead == nil))
        if let failure, let instead { #expect(failure.detail.contains("'\(instead)'")) }
    }

    @Test func `estimates what is left`() {
        let start = ContinuousClock.now
        let estimate = ProgressEstimate(from: start)
        func text(_ share: Double, after seconds: Double) -> String {
            estimate.text(share: share, at: start + .seconds(seconds))
        }
        #expect(text(0.5, after: 0.5) == "")
        #expect(text(0.01, after: 5) == "")
        #expect(text(0.25, after: 10) == ", 30 s left")
        #expect(text(0.1, after: 20) == ", 3 min left")
        #expect(text(1, after: 20) == "")
    }

    @Test func `says what is served and what was asked`() {
        let style = ListStyle(columns: 40, hasColour: false)
        let lines = ServedLines(isTerminal: false, style: style)
        let request = ServedEvent.request(
            method: "GET", target: "/a/demo/phone/restore/?version=2.0&x=1234567890", status: 404,
            nanoseconds: 3_000_000)
        lines.add(request)
        lines.add(.socket(target: "/sock/1/app/websocket"))
        #expect(lines.summary == "1 request, 1 failed, 1 WebSocket")
        let line = ServedLines.line(request, style)
        #expect(line.hasPrefix("GET    404 /a/demo") && line.hasSuffix("  3 ms"), "\(line)")
        #expect(TextWidth.of(line) <= 40)
        let places = ServedLines.places("127.0.0.1:8000", isOpen: true, token: "t0")
        #expect(places.joined(separator: "\n").contains("ws://127.0.0.1:8000/sock/1/APP/websocket"))
        #expect(places.count == 3)
        #expect(ServedLines.places("h:1", isOpen: false, token: "").count == 2)
    }

    @Test(
        arguments: [
            (1, "entry", "1 entry"), (2, "entry", "2 entries"), (0, "case", "0 cases"),
            (3, "duty", "3 duties"), (2, "byte", "2 bytes"),
        ] as [(Int64, String, String)])
    func `counts`(number: Int64, noun: String, text: String) {
        #expect(Summary.count(number, noun) == text)
    }
}
