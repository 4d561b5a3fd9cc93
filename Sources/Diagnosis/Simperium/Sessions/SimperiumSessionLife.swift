import Notation
import Wire

/// The state that a client received of a bucket, over all of its connections in this session.
struct SimperiumSessionLife: Sendable {
    /// A bucket of a user as one client has it.
    struct Name: Hashable, Sendable {
        var app: String?
        var bucket: String
        var user: String
        var clientID: String
    }

    /// The number of such a bucket, in place of its name.
    struct ID: Hashable, Sendable {
        var number: Int
    }

    /// A complete reading of the index.
    struct Reading: Sendable {
        let connection: ConnectionID
        let current: String
        let bytes: Int
        let at: Instant
    }

    /// Changes that two connections send by turns.
    struct Turns: Sendable {
        var pair: Set<ConnectionID>
        var last: CommandEvidence
        var first: CommandEvidence
        var count: Int
    }

    /// Newest version of each object that it received.
    var versions: [SimperiumName: Int64] = [:]
    /// The version of each object whose data it received.
    private(set) var held: [SimperiumName: (version: Int64, at: Instant)] = [:]
    /// Until when it certainly had what was sent to it, on connections that ended.
    var certainUntil = Instant.zero
    /// First part of a key with dots, and the key.
    var firstParts: [SimperiumName: SimperiumName] = [:]
    /// Place of each change version among those it received, by fingerprint.
    private var orders: [UInt64: Int] = [:]
    private var ring: [UInt64] = []
    private var count = 0
    /// Whether some were dropped.
    private(set) var hasForgotten = false
    /// The last one received.
    private(set) var newest: (order: Int, cv: String, at: Instant)?
    /// The last of them that were received in this order, at most ``mostRecent``.
    private var recent: [(order: Int, cv: String, at: Instant)] = []
    /// The version that it must have stored.
    var stored: (order: Int, cv: String, at: Instant)?
    /// The last of those that came in another order than they were made: a page of the index may be
    /// older than a change that came before it.
    private(set) var unorderedUpTo = 0
    /// Whether that was long before its connection ended.
    var wasLong = false
    /// Whether it was in sync in this session.
    var wasSettled = false
    /// Whether it had a connection in this session before the one that is open.
    var connections = 0
    /// When the server or a fault ended a connection on which it was in sync.
    var cutAt: Instant?
    /// When a connection ended on which it was in sync and certainly had a cv.
    var leftAt: Instant?
    /// When one ended on which it was in sync.
    var endedAt: Instant?
    /// Connections in a row that began with the index although it had a cv.
    var needlessBeginnings = 0
    /// The answer that its change version is unknown, until the index is requested.
    var unknown: SimperiumSessionChannel.Unknown?
    /// When the client last sent something on the connection of that answer, once that has ended: one
    /// that sent nothing more may never have received it.
    var unknownSaidAt: Instant?
    /// The last complete reading of the index that had a cv.
    var reading: Reading?
    /// Readings without need, in a row.
    var needless = 0
    /// The end of the reading after which it was counted last.
    var countedReading: Instant?
    var turns: Turns?
    var open: Set<ConnectionID> = []

    private static let maxOrders = 16_384
    private static let maxKeys = 50_000
    private static let mostRecent = 16

    mutating func give(_ cv: String, at: Instant) {
        let print = FNV1a.hash(cv.utf8)
        count += 1
        if orders.updateValue(count, forKey: print) == nil {
            if ring.count < Self.maxOrders {
                ring.append(print)
            } else {
                let place = count % Self.maxOrders
                orders[ring[place]] = nil
                ring[place] = print
                hasForgotten = true
            }
        }
        newest = (count, cv, at)
        recent.append((count, cv, at))
        if recent.count > Self.mostRecent { recent.removeFirst() }
    }

    /// The last change version that was received before `instant`; nil where too many came since.
    func newest(before instant: Instant) -> (order: Int, cv: String, at: Instant)? {
        recent.last { $0.at < instant }
    }

    /// The client received the data of a version, or a change that leads to it.
    mutating func hold(
        _ key: SimperiumName, _ version: Int64, after source: Int64? = nil, at: Instant
    ) {
        guard held.count < Self.maxKeys || held[key] != nil else { return }
        held[key] = source == nil || held[key]?.version == source ? (version, at) : nil
    }

    /// The client no longer has an object, or it is not known at which version.
    mutating func drop(_ key: SimperiumName) { held[key] = nil }

    /// The client has shown which version it has: others that were sent to it before may be lost.
    mutating func begin() { recent = [] }

    /// What was received up to now is in no certain order.
    mutating func blur() { unorderedUpTo = count }

    func order(of cv: String) -> Int? { orders[FNV1a.hash(cv.utf8)] }

    mutating func tell(_ key: SimperiumName, _ version: Int64) {
        guard let known = versions[key] else {
            guard versions.count < Self.maxKeys else { return }
            versions[key] = version
            if let dot = key.string.utf8.firstIndex(of: 0x2E) {
                firstParts[SimperiumName(String(key.string[..<dot]))] = key
            }
            return
        }
        if version > known { versions[key] = version }
    }
}
