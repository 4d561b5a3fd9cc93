import Testing

@testable import Filters

struct WallClockTests {
    private static let second: Int64 = 1_000_000_000
    /// 2026-11-21T00:00:00Z.
    private static let day: Int64 = 1_795_219_200 * second

    private func clock(_ filter: String) throws -> WallClock {
        guard case .comparison(let comparison) = try Filter.parse(filter).root,
            case .clock(let clock) = comparison.test
        else { throw FilterError(.notAWallClock, 0..<0) }
        return clock
    }

    @Test(arguments: [
        ("at:2026-11-21T00:00:00Z", WallClock.Scale.utc, 0, 999_999_999),
        ("at:2026-11-21T02:00:00.5+02:00", .utc, 500_000_000, 599_999_999),
        ("at=2026-11-20T22:00:01-02:00", .utc, 1_000_000_000, 1_999_999_999),
        ("at:2026-11-21", .local, 0, 86_400 * second - 1),
        ("at:\"2026-11-21 00:00:03\"", .local, 3 * second, 4 * second - 1),
        ("at:2026-11-21T00:00..2026-11-21T00:01", .local, 0, 120 * second - 1),
    ])
    func `reads days and times with a day`(
        filter: String, scale: WallClock.Scale, low: Int64, high: Int64
    ) throws {
        #expect(try clock(filter) == WallClock(scale, Self.day + low...Self.day + high))
    }

    @Test(arguments: [
        ("at:14:03", 50_580 * second, 50_640 * second - 1),
        ("at:14:03:05", 50_585 * second, 50_586 * second - 1),
        ("at:14:03:05..", 50_585 * second, .max),
        ("at:..14:03:05.25", .min, 50_585 * second + 259_999_999),
        ("at>14:03", 50_640 * second, .max), ("at>=14:03", 50_580 * second, .max),
        ("at<14:03", .min, 50_580 * second - 1), ("at:<=14:03", .min, 50_640 * second - 1),
    ])
    func `reads times of day`(filter: String, low: Int64, high: Int64) throws {
        #expect(try clock(filter) == WallClock(.timeOfDay, low...high))
    }

    @Test(arguments: ["at:1s..3s", "at>200ms", "at:1.5s"])
    func `leaves times since the start`(filter: String) {
        #expect(throws: FilterError.self) { try clock(filter) }
    }

    @Test func `is refused in rules, which have no wall clock`() throws {
        let filter = try Filter.parse("status:503 at:14:03")
        #expect(throws: FilterError(.wallClockInLiveTraffic, 11..<13)) {
            try filter.validate(for: .responseHead)
        }
    }

    @Test func `takes the short signs of mitmproxy`() throws {
        #expect(try Filter.parse("a & b | !c") == Filter.parse("a and b or not c"))
        #expect(try Filter.parse("path:/a?b=1&c=2").mentions.count == 1)
    }
}
