/// How much of a ``FireWorld`` there is, and what goes wrong in it.
public struct FirePlan: Sendable {
    /// How many clients.
    public var clients = 8
    /// The buckets, which every client opens.
    public var buckets = ["notes", "tags", "places"]
    /// How many edits are made before there is calm.
    public var edits = 2000
    /// Whether objects are removed, too.
    public var removes = true
    /// What refuses changes that the server has not made; each is recovered from.
    public var codes = [400, 401, 405, 413, 440, 500, 503]
    /// Whether authors are told at times that a change cannot be applied that was made.
    public var lies = false
    /// Whether the app gives up what was refused for good; it stays different otherwise.
    public var givesUp = true
    /// In how many of a hundred steps a client closes its connection, and in how many it is killed.
    ///
    /// At most 20; what the line does comes on top.
    public var cuts = 1
    /// Nanoseconds of silence after which clients send a heartbeat, to leave a connection that stays
    /// silent; nil where they send none.
    public var heartbeatIdle: Int64?
    /// Nanoseconds that calm lasts at least, for whoever has to notice a silence.
    public var silence: Int64 = 0

    /// How long messages are on their way.
    public var link = Link.any

    /// A kind of link.
    public enum Link: Sendable {
        /// Any time, though sockets open at once.
        case any
        /// No time but what the line holds back: everything has come before time passes.
        case quick
        /// Any time, and a second to begin.
        case slow
    }

    /// The usual plan.
    public init() {}
}
