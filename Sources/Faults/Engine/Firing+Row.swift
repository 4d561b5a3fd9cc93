public import Wire

extension Firing {
    /// The statement that this was done.
    ///
    /// - Parameters:
    ///   - at: When.
    ///   - connection: The connection it was done to.
    ///   - sender: Whose bytes it was done to, nil where it was done to no bytes.
    ///   - came: What came from the peer, decoded where it is a message.
    ///   - sent: What was sent instead.
    ///   - problem: Why it could not be done; nil where it was done.
    /// - Returns: The row, without the place in the trace that the writer gives it.
    public func row(
        at: Instant, connection: ConnectionID?, sender: Peer?, came: [UInt8] = [],
        sent: [UInt8] = [], problem: String? = nil
    ) -> FaultRow {
        FaultRow(
            at: at, rule: rule, action: action.description,
            effect: problem == nil ? action.effect(on: sender, hasTaken: !came.isEmpty) : [],
            problem: problem, connection: connection, sender: sender, scope: scope,
            occurrence: occurrence, draw: draw, came: came, sent: sent)
    }
}
