import Dissection
import Wire

/// An answer that a server owes by a deadline.
struct SimperiumServerDue: Sendable {
    enum Duty: Sendable {
        case auth(CommandID)
        case changes(CommandID)
        case page(CommandID)
        case entity(SimperiumServerChannel.Entity, CommandID)
        case change(SimperiumName)
        case heartbeat(CommandID)
        case echo(SimperiumServerChannel.BucketID, SimperiumName)
    }

    var connection: ConnectionID
    var channel: Int?
    var start: Instant
    var patience: Int64
    var duty: Duty
    var tries = 0
}
