import Wire

/// What a client had received when it sent something.
extension ConnectionView {
    /// Nanoseconds after which messages have not crossed on a link that is quick.
    static let crossingNanoseconds: Int64 = 900_000_000
    /// The way there and back of such a link, and the time to react, at most.
    private static let quickNanoseconds: Int64 = 500_000_000

    /// Whether the client was seen to react within half a second, and nothing is held back on purpose:
    /// what was delivered to it 0.9 s before it sent something, it had.
    var isQuick: Bool {
        !isHeldBack && (openingNanoseconds.map { $0 <= Self.quickNanoseconds } ?? false)
    }

    /// Whether a client that sends something at `now` had what was delivered to it at `at`.
    func had(at: Instant, by now: Instant) -> Bool {
        isQuick && now.nanoseconds - at.nanoseconds > Self.crossingNanoseconds
    }
}
