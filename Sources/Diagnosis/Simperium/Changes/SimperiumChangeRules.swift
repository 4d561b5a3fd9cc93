/// Rules about what clients send in `c`, and how they handle the answers.
enum SimperiumChangeRules {
    static let all: [Rule] = ofForm + ofVersions + ofAnswers + ofDiffs

    /// The maximum number of changes of a client within a second.
    static let maxPerSecond = 250
    /// Changes refused with 401 in a row after which a client should have stopped.
    static let maxUnpermitted = 5
    /// Changes with the whole object refused in a row after which another is a loop.
    static let maxWhole = 4
    /// Changes of other objects after which one without any is stuck.
    static let leastElsewhere = 3
}
