/// The time limits for clients, in nanoseconds: generous, since a finding must be certain.
enum SimperiumSessionTimes {
    static let second: Int64 = 1_000_000_000
    static let page = 120 * second
    static let reindex = 60 * second
    /// Within it a command may have crossed an answer.
    static let crossing = 2 * second
    /// The same for a client that was seen to react at once, where nothing else happened.
    static let quickCrossing = second / 5
    /// After it a client has what was sent to it, unless its link is slow and full.
    static let long = 30 * second
    /// After it a client has what was sent to it, however slow its link is.
    static let longest = 60 * second
    /// After it a client has had time to react to an answer.
    static let reaction = 5 * second
    static let entity = 120 * second
    static let reload = 60 * second
    /// After it an answer does not count as what made a client read the index.
    static let pretext = 60 * second
    /// After it each client has sent a heartbeat: the slowest looks every 20 s and sends after 15.
    static let idle = 36 * second
    /// A heartbeat is due after 20 s without traffic; after this it was not sent in time.
    static let lateBeat = 22 * second
    static let dead = 90 * second
    /// After it a connection without an answer is in doubt.
    static let doubtful = 30 * second
    static let reconnect = 300 * second
    static let remote = 60 * second
    static let log = 300 * second
}
