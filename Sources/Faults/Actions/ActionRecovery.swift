/// What shows that a client recovered from an action.
package struct ActionRecovery: Hashable, Sendable {
    /// What shows it after an exchange.
    package enum AfterExchange: Hashable, Sendable {
        /// The same request, answered with success.
        case request
        /// What the status that the client got calls for.
        case answer
        /// The same request, or where it sends no form, any other of the client, answered with
        /// success.
        case requestOrAnother
        /// The exchange itself, if it ended with success all the same; else the same request.
        case exchangeItself
        /// Whatever the client does next with success.
        case anything
    }

    /// What shows it after a Simperium command.
    package enum AfterCommand: Hashable, Sendable {
        /// What the command was for, since it did not arrive as it was sent.
        case purpose
        /// What the error code that the client got for its change calls for.
        case refusedChange
        /// A complete index of the bucket.
        case index
        /// A complete index of the bucket, or the changes that follow.
        case indexOrChanges
        /// That the client does not request the entity without end.
        case missingEntity
        /// An authorisation of the channel.
        case authorisation
        /// An answered heartbeat, or a new connection.
        case heartbeat
        /// Any command of the client.
        case anyCommand
    }

    /// What shows it after an exchange.
    package var exchange = AfterExchange.request
    /// What shows it after a Simperium command.
    package var command = AfterCommand.purpose
    /// Whether something that succeeds on a later connection shows it, whatever it was applied to.
    package var isByReconnection = false
    /// Whether anything received on the connection after it shows it, too: it passes by itself.
    package var maySurvive = false
    /// Whether the message that it was applied to can be relied upon as it is.
    package var targetStays = false
    /// Whether the message that it was applied to shows it, when it arrives late or twice.
    package var ownMessageCounts = false
    /// Whether it is shown only as long as the client does not repeat its mistake.
    package var mayBeTakenBack = false

    /// A new connection on which something succeeds shows it.
    package static let reconnection = ActionRecovery(isByReconnection: true)
    /// A new connection on which something succeeds shows it, or that the old one goes on.
    package static let survival = ActionRecovery(isByReconnection: true, maySurvive: true)
}
