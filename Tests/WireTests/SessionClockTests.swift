import Testing
import Wire

@Suite struct SessionClockTests {
    @Test(
        arguments: [
            (784_111_776_999_999_999, 0, "Sun, 06 Nov 1994 08:49:36 GMT"),
            (784_111_776_999_999_999, 1, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (-2_000_000_000, 500_000_000, "Wed, 31 Dec 1969 23:59:58 GMT"),
        ] as [(Int64, Int64, String)])
    func `a session's clock tells the date`(started: Int64, passed: Int64, text: String) {
        let clock = SessionClock(startedUnixNanoseconds: started)
        #expect(clock.date(at: Instant(nanoseconds: passed)) == text)
    }

    @Test func `a clock that runs out says the last moment it can`() {
        let clock = SessionClock(startedUnixNanoseconds: .max)
        #expect(clock.unixSeconds(at: Instant(nanoseconds: .max)) == .max / 1_000_000_000)
    }
}
