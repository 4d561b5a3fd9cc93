import Wire

/// Actions that could not be carried out.
extension HTTPGate {
    static let noBody = "the message has no body"
    static let notWhole = "the body is longer than \(maximumHeld >> 20) MiB or is not complete"
    static let eventStream = "an event stream is not held up until its body is there"
    static let editedTwice = "another rule does the same to the body"

    /// States what cannot be done any more to a message that a rule took.
    func abandon(
        _ passage: inout MessagePassage, takenBy taker: Firing?, _ at: Instant,
        _ commands: inout [GateCommand]
    ) {
        let isAnswered = taker?.isAnswer == true
        func isLost(_ firing: Firing) -> Bool {
            switch firing.action.kind {
            // Carried out behind the request all the same.
            case .halfClose: false
            // An answer in the place of the server's comes as late.
            case .latency: !isAnswered
            default: true
            }
        }
        guard !passage.isReplaced else { return }
        failTaken(passage.steps.filter(isLost), by: taker, passage.sender, at, &commands)
        passage.steps.removeAll(where: isLost)
    }

    /// States what cannot be done since a rule took the message.
    func failTaken(
        _ firings: [Firing], by taker: Firing?, _ sender: Peer, _ at: Instant,
        _ commands: inout [GateCommand]
    ) {
        guard !firings.isEmpty else { return }
        let rule = taker.map { "rule \($0.rule)" } ?? "another rule"
        fail(firings, at, sender, "\(rule) took the message before", &commands)
    }

    /// States the edits of a body that ended before their place.
    func failEdits(
        _ unreached: [Firing]?, _ sender: Peer, _ at: Instant, _ commands: inout [GateCommand]
    ) {
        fail(unreached ?? [], at, sender, "the body ended before that place", &commands)
    }
}
