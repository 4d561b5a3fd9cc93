import Notation
import Testing
import Wire

@testable import OpenRosa

@Suite struct RetryAfterTests {
    @Test(arguments: [("5", 5), (" 0\t", 0), ("120", 120), ("007", 7)])
    func `seconds`(text: String, seconds: Int) {
        #expect(RetryAfter.parse(text) == .seconds(seconds))
    }

    @Test(arguments: [
        "", " ", "-1", "1.5", "5s", "+5", "99999999999999999999", "soon",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sun 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
    ]) func `neither`(text: String) { #expect(RetryAfter.parse(text) == nil) }

    @Test func `dates`() {
        guard case .date(let date)? = RetryAfter.parse("Sun, 06 Nov 1994 08:49:37 GMT") else {
            Issue.record("no date")
            return
        }
        #expect(date.text == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(date.unixSeconds == 784_111_777)
    }
}
