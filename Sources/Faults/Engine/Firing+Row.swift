public import Wire

extension Firing {
    /// Whether it is stated by the shaper, which knows in which bytes it is done, if at all.
    var isStatedByShaper: Bool { action.kind == .cut }

    /// The statement that this was done.
    ///
    /// - Parameters:
    ///   - at: When.
    ///   - connection: The connection it was done to.
    ///   - sender: Whose bytes it was done to, nil where it was done to no bytes.
    ///   - position: The place of a command in its message, from 0.
    ///   - hasTaken: Whether something that the peer sent is part of what it was done to.
    ///   - problem: Why it could not be done; nil where it was done.
    ///   - detail: What about the message no longer fits afterwards.
    /// - Returns: The row, without the place in the trace that the writer gives it.
    public func row(
        at: Instant, connection: ConnectionID?, sender: Peer?, position: Int = 0,
        hasTaken: Bool = false, problem: String? = nil, detail: String? = nil
    ) -> FaultRow {
        FaultRow(
            at: at, purpose: action.kind.specification.purpose, rule: rule,
            action: action.description,
            effect: problem == nil ? action.effect(on: sender, hasTaken: hasTaken) : [],
            problem: problem, detail: detail, connection: connection, sender: sender, scope: scope,
            occurrence: occurrence, draw: draw, position: position)
    }
}
