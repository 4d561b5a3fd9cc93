/// The time limits for clients, in nanoseconds: generous, since a finding must be certain.
enum SimperiumSessionTimes {
    static let second: Int64 = 1_000_000_000
    static let page = 120 * second
    static let reindex = 300 * second
    static let entity = 120 * second
    static let reload = 60 * second
    static let idle = 60 * second
    static let dead = 90 * second
    static let reconnect = 300 * second
    static let remote = 60 * second
    static let log = 300 * second
}
