import Foundation
import Notation
import Testing

@Suite struct CivilDateTests {
    @Test func `agrees with Foundation's calendar`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        // Foundation changes to the Julian calendar in 1582.
        for days in stride(from: -140_000, to: 2_932_000, by: 97) {
            let date = CivilDate(daysSince1970: days)
            let parts = calendar.dateComponents(
                [.year, .month, .day], from: Date(timeIntervalSince1970: Double(days) * 86_400))
            #expect([date.year, date.month, date.day] == [parts.year, parts.month, parts.day])
            #expect(date.daysSince1970 == days)
            #expect(date.isReal)
        }
    }

    @Test func `years before 1 count on`() {
        for days in stride(from: -2_000_000, to: 0, by: 101) {
            #expect(CivilDate(daysSince1970: days).daysSince1970 == days)
        }
    }

    @Test(arguments: [(2023, 2, 29), (1900, 2, 29), (2024, 13, 1), (2024, 4, 31), (2024, 1, 0)])
    func `knows days that are none`(year: Int, month: Int, day: Int) {
        #expect(!CivilDate(year: year, month: month, day: day).isReal)
    }
}

@Suite struct TimestampTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1_000_000, "1969-12-31T23:59:59.999Z"),
            (1_795_280_400_123_456_789, "2026-11-21T17:00:00.123Z"),
            (951_782_399_999_999_999, "2000-02-28T23:59:59.999Z"),
        ] as [(Int64, String)])
    func `writes a moment`(time: Int64, text: String) {
        let moment = Timestamp(unixNanoseconds: time)
        #expect(moment.text(digits: 3) == text)
        #expect(moment.unixNanoseconds == time)
        #expect(Timestamp(text)?.text(digits: 3) == text)
        #expect(Timestamp(moment.text(digits: 9)) == moment)
    }

    @Test func `writes what XML Schema has`() {
        let moment = Timestamp(unixSeconds: 951_827_696)
        #expect(moment.dayText == "2000-02-29")
        #expect(moment.text(digits: 0) == "2000-02-29T12:34:56Z")
        #expect(moment.text(digits: 6) == "2000-02-29T12:34:56.000000Z")
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00.000Z", 0), ("2026-02-03T12:00:00.000+02", 1_770_112_800),
            ("2026-02-03T12:00:00.000+02:00", 1_770_112_800),
            ("2026-02-03T04:30:00-05:30", 1_770_112_800),
            ("2026-02-03T10:00:00", 1_770_112_800), ("20260203T1000Z", 1_770_112_800),
        ] as [(String, Int64)])
    func `reads moments as phones write them`(text: String, seconds: Int64) {
        #expect(Timestamp(text, [.basicForm, .withoutZone])?.unixSeconds == seconds)
    }

    @Test(arguments: [
        "", "x", "2026-02-03", "2026-13-03T12:00:00Z", "2026-02-03T12:00:00+1",
        "2026-02-03T12:00Zx",
        "2026-02-03T12:00:00.Z",
    ])
    func `reads nothing else`(text: String) {
        #expect(Timestamp(text, [.basicForm, .withoutZone]) == nil)
    }

    @Test(arguments: [
        "2026-02-03T12:00:00", "20260203T120000Z", "2026-02-03T12:00Z", "2026-02-03T12:00:00,5Z",
        "2026-02-03T12:00:00+02", "2026-02-03T24:00:00Z",
    ])
    func `reads what RFC 3339 has unless asked otherwise`(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func `agrees with Foundation`() throws {
        var random = SplitMix64(seed: 3)
        let format = Date.ISO8601FormatStyle(timeZone: .gmt)
        for _ in 0..<2_000 {
            let seconds = Int64.random(in: -2_000_000_000..<9_000_000_000, using: &random)
            let text = format.format(Date(timeIntervalSince1970: Double(seconds)))
            #expect(Timestamp(unixSeconds: seconds).text(digits: 0) == text)
            #expect(Timestamp(text)?.unixSeconds == seconds)
        }
    }

    @Test func `a moment beyond 64 bits of nanoseconds has none`() {
        #expect(Timestamp("9999-12-31T23:59:59Z")?.unixNanoseconds == nil)
        #expect(Timestamp("9999-12-31T23:59:59Z")?.unixSeconds == 253_402_300_799)
    }
}
