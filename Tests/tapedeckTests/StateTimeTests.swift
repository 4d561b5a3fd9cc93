import Testing
import Trace
import Wire

@testable import tapedeck

@Suite struct StateTimeTests {
    @Test(
        arguments: [
            ("12.5s", .time(nanoseconds: 12_500_000_000, session: nil)),
            ("0s", .time(nanoseconds: 0, session: nil)),
            ("0.000000s", .time(nanoseconds: 0, session: nil)),
            ("0", .time(nanoseconds: 0, session: nil)),
            ("0ms", .time(nanoseconds: 0, session: nil)),
            ("2m", .time(nanoseconds: 120_000_000_000, session: nil)),
            ("#12", .exchange(ExchangeID(12))), ("exchange:12", .exchange(ExchangeID(12))),
            ("c40", .command(CommandID(40))), ("command:40", .command(CommandID(40))),
            ("m7", .message(MessageID(7))), ("message:7", .message(MessageID(7))),
            ("1970-01-01T00:00:01Z", .clock(unixNanoseconds: 1_000_000_000)),
            ("1970-01-01t01:00:00.5+01:00", .clock(unixNanoseconds: 500_000_000)),
            (
                "2026-11-21T17:00:00.123456789Z",
                .clock(unixNanoseconds: 1_795_280_400_123_456_789)
            ),
        ] as [(String, StateMoment)])
    func `reads a moment`(text: String, moment: StateMoment) {
        #expect(StateTime(argument: text)?.moment == moment)
    }

    @Test(arguments: [
        "", "yesterday", "c", "c0", "c-1", "x12", "bucket:3", "command:x", "-1s",
        "2026-13-01T00:00:00Z", "2026-11-21T17:00:00", "2026-11-21T17:00:00.Z",
        "2026-11-21T17:00:00+1", "9999999999999999999s",
    ])
    func `refuses what is none`(text: String) {
        #expect(StateTime(argument: text) == nil)
    }
}
