import Wire

/// An action that a client owes by a deadline.
struct SimperiumSessionDue: Sendable {
    enum Duty: Sendable {
        /// The page after this many of a reading.
        case page(run: Int, pages: Int)
        /// The index, after `cv:?`.
        case reindex(CommandEvidence)
        /// The entity after one that is missing.
        case entity(run: Int, fetched: Int, CommandEvidence)
        /// An object that a change did not apply to.
        case reload(SimperiumName, CommandEvidence)
        /// The answer to `index`.
        case state(CommandEvidence)
        /// A log message.
        case log(CommandEvidence)
        /// A new connection.
        case reconnect(SimperiumSessionAttempts.ID, client: String, [FindingStep])
    }

    var connection: ConnectionID
    var channel: Int?
    var start: Instant
    var patience: Int64
    var duty: Duty
    var tries = 0
}
