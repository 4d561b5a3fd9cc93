internal import Wire

extension WebSocketPlay {
    /// The live server ended the socket where the recorded one had ended it.
    mutating func compareEnd(
        _ end: RecordedSocket.End, _ code: Int?, _ identity: ReplayIdentity
    ) {
        settle(identity)
        guard end.code != code else { return }
        var found = Differences()
        found.add(
            Difference(
                .presence, "code", recorded: end.code.map { String($0) } ?? "none",
                live: code.map { String($0) } ?? "none"))
        report("the end of the socket", found)
    }

    /// The live server does not close what the recorded one closed.
    mutating func missEnd(_ identity: ReplayIdentity) {
        settle(identity)
        var found = Differences()
        let code = conversation.end?.code.map { "closed with \($0)" } ?? "closed"
        found.add(Difference(.presence, "the socket", recorded: code, live: "open"))
        report("the end of the socket", found)
        output.append(.close(code: 1000))
        enter(.leaving)
    }

    /// The live server ended the socket too soon, or never opened it.
    mutating func lose(_ reason: String, _ identity: ReplayIdentity) {
        settle(identity)
        var found = Differences()
        found.add(
            Difference(
                .presence, "the socket", recorded: "open",
                live: "closed: \(OneLine.text(reason))"))
        report("the socket", found)
        finish(identity)
    }

    mutating func report(_ line: String, _ differences: Differences) {
        played.add(.init(message: nil, line: line, differences: differences))
    }

    /// Settles everything that was waited for.
    private mutating func settle(_ identity: ReplayIdentity) {
        let isThrough = nextTurn == turns.count && [.open, .ending, .leaving].contains(phase)
        window.settle(
            before: isThrough && !played.wasStopped ? window.recorded.count : nil, identity,
            &played)
    }

    mutating func finish(_ identity: ReplayIdentity) {
        settle(identity)
        tellWhatCame()
        played.skipped = turns.count - nextTurn
        phase = .over
        output.append(.finish)
    }
}
