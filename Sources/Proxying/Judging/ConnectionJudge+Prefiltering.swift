import Faults
import Framing
import Wire

extension ConnectionJudge {
    /// Forwards an event that no rule can hit, as if there were no judge.
    ///
    /// - Returns: Whether that is all there is to do about it.
    mutating func isPassing(
        _ event: RelayEvent, _ at: Instant, _ relay: inout Relay,
        _ commands: inout [RelayCommand]
    ) -> Bool {
        if session.isIdle, suspects.isEmpty, isEmpty {
            prefilter = nil
            relay.handle(event, at: at, into: &commands)
            followUpgrade(at, &relay, &commands)
            return true
        }
        guard HTTPPrefilter.isEnough(for: session) || !suspects.isEmpty else {
            prefilter = nil
            return false
        }
        switch event {
        case .received(let leg, let bytes, let readAt)
        where leg == relay.clientLeg.id && !bytes.isEmpty:
            guard suspects.isEmpty else {
                suspects.append(bytes)
                reads.append(bytes.count, of: leg, at: readAt ?? at)
                startGate(at, &relay, &commands)
                return true
            }
            guard isEmpty else { return false }
            return looksClear(bytes, readAt, at, &relay, &commands)
        case .received:
            guard relay.layer == .http, isEmpty else { return false }
            give(event, at, &relay, &commands)
        case .ended(relay.clientLeg.id), .closed(relay.clientLeg.id, _, _):
            guard !suspects.isEmpty else { return false }
            // No answer is waited for any more: what is left is forwarded unchanged.
            releaseSuspects(at, &relay, &commands)
            return false
        default:
            return false
        }
        startGate(at, &relay, &commands)
        return true
    }

    /// Forwards what waits for a gate unchanged: none will begin that could inspect it.
    mutating func releaseSuspects(
        _ at: Instant, _ relay: inout Relay, _ commands: inout [RelayCommand]
    ) {
        let waiting = suspects
        suspects = []
        for bytes in waiting {
            let readAt = takeRead(bytes.count, of: .client, nil, relay)
            give(.received(relay.clientLeg.id, bytes, readAt: readAt), at, &relay, &commands)
        }
    }

    /// Inspects what the client sent, and forwards what is before the first suspect.
    private mutating func looksClear(
        _ bytes: [UInt8], _ readAt: Instant?, _ at: Instant, _ relay: inout Relay,
        _ commands: inout [RelayCommand]
    ) -> Bool {
        let isHTTP = relay.layer == .http
        guard isHTTP || relay.layer == .undecided && bytes.first.map(StartOfStream.isHTTP) == true
        else { return false }
        if prefilter == nil {
            // In the middle of messages that began before there were rules.
            guard relay.isBetweenMessages else { return false }
            prefilter = HTTPPrefilter(context(of: relay), session: session)
        }
        let leg = relay.clientLeg.id
        switch prefilter?.look(bytes, at: at, isAnswered: relay.isBetweenMessages) ?? .clear {
        case .clear:
            give(.received(leg, bytes, readAt: readAt), at, &relay, &commands)
        case .suspect(let found):
            pending = prefilter?.pending ?? PendingRequests()
            prefilter = nil
            // Where nothing is in progress the gate takes the whole read, and nothing has to wait.
            let start = relay.isBetweenMessages ? 0 : found
            if start > 0 {
                give(
                    .received(leg, Array(bytes[..<start]), readAt: readAt), at, &relay, &commands)
            }
            suspects = [Array(bytes[start...])]
            reads.append(bytes.count - start, of: leg, at: readAt ?? at)
            startGate(at, &relay, &commands)
        }
        return true
    }

    /// Passes what is suspect to a gate as soon as that can begin: between two messages of the
    /// server.
    mutating func startGate(
        _ at: Instant, _ relay: inout Relay, _ commands: inout [RelayCommand]
    ) {
        guard !suspects.isEmpty else { return }
        if !relay.isBetweenMessages {
            guard gate == nil, let count = relay.unansweredBetweenMessages,
                let before = pending.last(count)
            else { return }
            gate = FaultGate(context(of: relay), session: session, behind: before)
        }
        pending = PendingRequests()
        let waiting = suspects
        suspects = []
        for bytes in waiting { judge(bytes, .client, at, relay) }
        drain(at, &relay, &commands)
    }

    /// Follows a connection with an upgrade request, even where no rule can match yet: a rule may
    /// be added later, and parsing cannot begin in the middle of a WebSocket.
    mutating func followUpgrade(
        _ at: Instant, _ relay: inout Relay, _ commands: inout [RelayCommand]
    ) {
        guard gate == nil, suspects.isEmpty, let head = relay.awaitedUpgrade else { return }
        prefilter = nil
        gate = FaultGate(context(of: relay), session: session, awaitingAnswerTo: head, at: at)
        judgeAnew(relay.giveBacklog(), at, relay)
        drain(at, &relay, &commands)
    }
}
