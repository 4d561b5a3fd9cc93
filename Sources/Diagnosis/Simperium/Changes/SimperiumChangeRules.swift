/// Rules about what clients send in `c`, and how they handle the answers.
enum SimperiumChangeRules {
    static let all: [Rule] = ofForm + ofVersions + ofAnswers + ofDiffs + ofEdits

    /// The maximum number of changes of a client within a second.
    static let maxPerSecond = 250
    /// Changes refused with 401 in a row after which a client should have stopped.
    static let maxUnpermitted = 5
    /// Changes with the whole object refused in a row after which another is a loop.
    static let maxWhole = 4
    /// Changes of other objects after which one without any is stuck.
    static let leastElsewhere = 3
    /// Nanoseconds after which a client that goes on with other objects could have sent again what
    /// is not answered, where it sends two changes or more.
    static let leastPause: Int64 = 5_000_000_000
    /// Nanoseconds after which it could, however slow its timers are.
    static let longPause: Int64 = 20_000_000_000

    /// Nanoseconds after which a client that sends other changes has sent again what a server error
    /// refused: half a minute, doubled with each refusal.
    static func retryPause(after times: Int) -> Int64 {
        30_000_000_000 << Int64(min(max(times - 1, 0), 5))
    }
}
