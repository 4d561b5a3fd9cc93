import Notation
import Wire

/// How the bytes of one sender are slowed down and cut.
struct ShapingLane {
    /// A delay for everything.
    struct Delay {
        let nanoseconds: Int64
        let jitter: Int64
        var draws: SplitMix64
    }

    /// A place at which the connection is cut.
    struct Cut {
        let firing: Firing
        var remaining: Int
        let isReset: Bool
    }

    var delays: [Delay] = []
    /// Bytes each second, at least 1.
    var rate: Int64?
    var sliceSize: Int?
    var slicePause: Int64 = 0
    var cut: Cut?
    var isStalled = false
    /// Spans of the session in which nothing moves, in nanoseconds.
    var blackouts: [Range<Int64>] = []
    /// When the line is free again, for the rate and the pauses between slices.
    var freeAt: Int64 = 0

    /// Whether bytes pass as they arrive.
    var isIdle: Bool {
        delays.isEmpty && rate == nil && sliceSize == nil && cut == nil && !isStalled
            && blackouts.isEmpty
    }

    /// When bytes received at `at` may be forwarded, apart from rate and slices.
    mutating func release(_ at: Instant) -> Int64 {
        var release = at.nanoseconds
        for index in delays.indices {
            var delay = delays[index].nanoseconds
            let jitter = delays[index].jitter
            if jitter > 0 {
                delay += Int64.random(in: -jitter...jitter, using: &delays[index].draws)
            }
            release += max(0, delay)
        }
        // One blackout may end within the next.
        for span in blackouts.sorted(by: { $0.lowerBound < $1.lowerBound })
        where span.contains(release) {
            release = span.upperBound
        }
        return release
    }

    /// How many bytes are forwarded at once.
    var pieceSize: Int {
        var size = sliceSize ?? .max
        // A twentieth of a second, so that a slow line flows and does not hop.
        if let rate { size = min(size, Int(max(1, rate / 20))) }
        return max(1, size)
    }

    /// When a piece of `count` bytes that is released at `release` may be forwarded.
    mutating func book(_ count: Int, release: Int64) -> Int64 {
        let start = max(release, freeAt)
        var taken: Int64 = 0
        if let rate {
            taken = Int64((Double(count) * 1e9 / Double(rate)).rounded(.up))
        }
        if sliceSize != nil { taken = max(taken, slicePause) }
        freeAt = start + taken
        // What is sent at a rate has arrived when its last byte has.
        return rate == nil ? start : freeAt
    }
}
