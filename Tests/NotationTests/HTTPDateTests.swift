import Foundation
import Testing

@testable import Notation

@Suite struct HTTPDateTests {
    @Test(
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (.max, "Fri, 31 Dec 9999 23:59:59 GMT"), (.min, "Sat, 01 Jan 1600 00:00:00 GMT"),
        ] as [(Int64, String)])
    func `a moment is written with its day of the week`(seconds: Int64, text: String) {
        #expect(HTTPDate(unixSeconds: seconds).text == text)
    }

    @Test func `seconds since 1970 agree with Foundation`() {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
        var random = SplitMix64(seed: 3)
        for _ in 0..<500 {
            let date = HTTPDate(
                year: 1600 + Int(random.next() % 2400), month: 1 + Int(random.next() % 12),
                day: 1 + Int(random.next() % 28),
                hour: Int(random.next() % 24), minute: Int(random.next() % 60),
                second: Int(random.next() % 60))
            let parts = DateComponents(
                year: date.year, month: date.month, day: date.day, hour: date.hour,
                minute: date.minute, second: date.second)
            #expect(HTTPDate(unixSeconds: date.unixSeconds) == date)
            #expect(HTTPDate.parse(date.text) == date)
            #expect(
                calendar.date(from: parts).map { Int64($0.timeIntervalSince1970) }
                    == date.unixSeconds)
        }
    }
}
