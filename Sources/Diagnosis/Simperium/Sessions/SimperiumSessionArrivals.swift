import Wire

/// The connections from one address that came to nothing.
struct SimperiumSessionArrivals: Sendable {
    /// Those that are open and have come to nothing yet, and when they began.
    var open: [ConnectionID: Instant] = [:]
    /// Clients of Simperium that were seen there, at most ``mostClients``.
    var clients: Set<String> = []
    /// When the last that came to nothing ended.
    var lastEnd: Instant?
    /// The number of those in a row that began at once after the one before.
    var inARow = 0
    /// The longest pause between them, in nanoseconds.
    var longest: Int64 = 0

    /// The most connections of an address that are followed at once.
    static let mostOpen = 64
    static let mostClients = 64
    /// Connections in a row at which it is no accident, for each client that is known there.
    static let least = 8
    /// The same where none is known.
    static let leastUnknown = 20

    /// Connections in a row that are too many.
    var tooMany: Int {
        clients.isEmpty ? Self.leastUnknown : Self.least * clients.count
    }
}
