package import Wire

extension FaultAction {
    /// What it does where it is done to bytes of `sender`, or to no bytes.
    ///
    /// - Parameters:
    ///   - sender: Whose bytes; nil for none.
    ///   - hasTaken: Whether a message is part of what it was done to.
    /// - Returns: The effect that is declared.
    package func effect(on sender: Peer?, hasTaken: Bool) -> FaultEffect {
        kind.specification.effect(
            ActionSpecification.Application(action: self, sender: sender, hasTaken: hasTaken))
    }

    /// The action of a row of a trace; one of which only the kind is known where it cannot be read
    /// back, and nil for one that does not exist.
    static func recorded(_ text: String) -> FaultAction? {
        if let action = try? FaultAction.parse(text) { return action }
        let name = text.split(separator: " ", maxSplits: 1).first ?? ""
        return ActionKind(rawValue: String(name)).map { FaultAction($0) }
    }
}

extension FaultEffect {
    /// The effect that is declared for the action of a row which does not have it.
    ///
    /// - Parameters:
    ///   - action: The action as plans write it, with its arguments.
    ///   - sender: Whose bytes it was done to; nil for none.
    ///   - hasTaken: Whether something that the sender sent is part of what it was done to.
    /// - Returns: The effect; nil for an action that does not exist.
    package static func declared(
        for action: String, on sender: Peer?, hasTaken: Bool
    ) -> FaultEffect? {
        FaultAction.recorded(action)?.effect(on: sender, hasTaken: hasTaken)
    }
}
