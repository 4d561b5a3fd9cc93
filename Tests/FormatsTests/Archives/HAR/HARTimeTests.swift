import Foundation
import Notation
import Testing

@testable import Formats

@Suite("Times of HTTP archives") struct HARTimeTests {
    @Test(
        "are read as exporters write them",
        arguments: [
            ("1970-01-01T00:00:00Z", 0),
            // Chrome, Safari, Insomnia: JavaScript's toJSON.
            ("2024-02-29T23:59:59.007Z", 1_709_251_199_007_000_000),
            // Firefox and Charles: with the offset of the machine.
            ("2024-03-01T01:29:59.007+01:30", 1_709_251_199_007_000_000),
            ("2024-02-29T13:59:59.007-1000", 1_709_251_199_007_000_000),
            // mitmproxy: Python's isoformat.
            ("2024-02-29T23:59:59.007000+00:00", 1_709_251_199_007_000_000),
            // Programs in .NET and Go.
            ("2024-02-29T23:59:59.0070001Z", 1_709_251_199_007_000_100),
            ("2024-02-29T23:59:59.007000123Z", 1_709_251_199_007_000_123),
            ("2024-02-29T23:59:59.00700012399999Z", 1_709_251_199_007_000_123),
            ("2024-02-29 23:59:59", 1_709_251_199_000_000_000),
            ("20240229T235959Z", 1_709_251_199_000_000_000),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000_000_000),
        ] as [(String, Int64)])
    func read(text: String, expected: Int64) {
        #expect(HARTime.parse(text) == expected)
    }

    @Test(
        "are nothing where they cannot be",
        arguments: [
            "", "now", "2024-13-01T00:00:00Z", "2024-01-01", "2024-01-01T00:00:00Zulu",
            "1969-12-31T23:59:59Z", "2200-01-01T00:00:00Z", "2024-01-01T25:00:00Z",
            "2024-01-01T00:00:00.Z", "1970-01-01T00:00:00+01:00", "9999999999999-01-01T00:00:00Z",
        ])
    func refused(text: String) {
        #expect(HARTime.parse(text) == nil)
    }

    @Test("come back to the microsecond, as Foundation writes them") func roundTrip() throws {
        var random = SplitMix64(seed: 7)
        let format = Date.ISO8601FormatStyle(timeZone: .gmt)
        for _ in 0..<2_000 {
            let moment = Int64.random(in: 0..<7_000_000_000_000_000_000, using: &random)
            let text = HARTime.write(moment)
            #expect(HARTime.parse(text) == moment / 1_000 * 1_000)
            let date = Date(timeIntervalSince1970: TimeInterval(moment / 1_000_000_000))
            #expect(text.prefix(19) == format.format(date).prefix(19))
        }
    }

    @Test("and durations keep their digits") func durations() {
        #expect(HARNumber.text(1_234_567_890_123_456_789, places: 9) == "1234567890.123456789")
        #expect(HARNumber.text(1_500_000, places: 6) == "1.5")
        #expect(HARNumber.text(0, places: 6) == "0")
        #expect(HARNumber.text(7, places: 6) == "0.000007")
    }

    @Test(
        "of cookies become ISO 8601",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37.000Z"),
            ("Sun, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37.000Z"),
            ("tomorrow", nil), ("Sun, 06 Nov 1994", nil), ("", nil),
            ("Sun, 06 Nov 1994 99:49:37 GMT", nil),
        ] as [(String, String?)])
    func cookies(text: String, expected: String?) {
        #expect(HARCookies.date(text) == expected)
    }
}
