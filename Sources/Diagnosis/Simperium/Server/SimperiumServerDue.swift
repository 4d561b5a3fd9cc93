import Dissection
import Wire

/// An answer that a server owes by a deadline.
struct SimperiumServerDue: Sendable {
    /// A version that was sent and is not there any more.
    struct Loss: Sendable {
        var key: SimperiumName
        var head: SimperiumServerBucket.Head
        var what: String
        var request: CommandEvidence
        var answer: CommandEvidence
    }

    enum Duty: Sendable {
        case auth(CommandID)
        case changes(CommandID)
        case page(CommandID)
        case entity(SimperiumServerChannel.Entity, CommandID)
        case change(SimperiumName)
        case heartbeat(CommandID)
        case loss(Loss)
        case echo(SimperiumServerChannel.BucketID, SimperiumName)
    }

    var connection: ConnectionID
    var channel: Int?
    var start: Instant
    var patience: Int64
    var duty: Duty
    var tries = 0
}
