import Dissection
import Simperium
import Wire

/// A connection of a client, as far as rules about sessions follow it.
struct SimperiumSessionSocket: Sendable {
    let openedAt: Instant
    var channels: [Int: SimperiumSessionChannel] = [:]
    /// When the client last sent anything, control messages included.
    var lastSaidAt: Instant
    /// When either side last sent something that keeps the connection busy.
    var lastTrafficAt: Instant
    /// A silence that was too long: from when to when.
    var gap: (from: Instant, to: Instant)?
    var hadHeartbeat = false
    /// Whether a heartbeat that came too late was reported.
    var isLateReported = false
    /// The first heartbeat since anything was received.
    var unanswered: CommandEvidence?
    /// The server's last number that was received.
    var serverCount: CommandEvidence?
    var isKnownDead = false
    /// The server's last `log:N` that was received.
    var logLevel: (level: Int, command: CommandEvidence)?
    var hasLogged = false
    /// Who ended it with a close message first.
    var closer: Peer?
    var wasAccepted = false
    var wasRefused = false
    /// Its client, once an `init` named it.
    var owner: SimperiumSessionAttempts.ID?

    init(at: Instant) {
        openedAt = at
        lastSaidAt = at
        lastTrafficAt = at
    }
}

/// The connections that one client made.
struct SimperiumSessionAttempts: Sendable {
    /// A client of an application.
    struct ID: Hashable, Sendable {
        var app: String?
        var clientID: String
    }

    /// The number of open ones.
    var open = 0
    /// The connection that it left last, as long as it has none.
    var left: ConnectionID?
    var lastBegin = Instant.zero
    var lastEnd: (at: Instant, lived: Int64, wasAccepted: Bool)?
    /// The number that began within a second of the end of an unsuccessful one, in a row.
    var failing = 0
    /// The number that began at once after one that lasted a few seconds, in a row.
    var quick = 0
    var steps: [FindingStep] = []
}
