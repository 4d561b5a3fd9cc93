import DequeModule
import Faults
import Wire

/// What waits is judged again, or released.
extension ConnectionJudge {
    /// The client disconnected: what waits from it is forwarded where it would have been, and what
    /// waits for it is in the trace as undelivered.
    mutating func giveUp(
        _ at: Instant, _ relay: inout Relay, _ commands: inout [RelayCommand]
    ) {
        isGivingUp = true
        defer { isGivingUp = false }
        for sender in [Peer.server, .client] {
            let lane = sender.rawValue
            var isLost = sender == .server || lanes[lane].isStalled
            var (items, bytes) = (lanes[lane].items, lanes[lane].bytes)
            lanes[lane] = Lane()
            lanes[lane].bytes = bytes
            while let item = Self.takeFirst(of: &items, reads, client: relay.clientLeg.id) {
                if sender == .client, relay.isBlocked || relay.layer == .waiting {
                    // After what waits for an answer or a tunnel nothing is forwarded.
                    relay.loseHeld(&commands)
                    isLost = true
                }
                guard case .command(let command, let leg) = item else {
                    carryOut(item, sender, at, &relay, &commands)
                    continue
                }
                switch command {
                case .hold, .stall: continue
                case .park(let held) where held.isAsked: continue
                case .park(let held):
                    // What its sender sent after it has gone nowhere, either.
                    isLost = true
                    carryOut(.fault(held.row(.left, at: at)), leg, at, &relay, &commands)
                case .pass(let sender, let bytes) where isLost,
                    .replace(let sender, let bytes, _) where isLost:
                    carryOut(.keep(sender: sender, bytes), leg, at, &relay, &commands)
                case .make where isLost, .route where isLost: break
                default: carryOut(command, leg, at, &relay, &commands)
                }
                lanes[lane].bytes -= command.byteCount
            }
        }
    }

    /// What a stalled sender sends is in the trace when it comes, since it never goes on.
    ///
    /// An answer or an end after it stays where it is, and so does what comes after that.
    mutating func keepStalled(
        _ sender: Peer, _ at: Instant, _ relay: inout Relay, _ commands: inout [RelayCommand]
    ) {
        let lane = sender.rawValue
        guard lanes[lane].isStalled, !isWaitingForRelay(sender, relay) else { return }
        while let first = lanes[lane].items.first, case .command(let next, _) = first {
            switch next {
            case .pass, .replace, .keep, .make, .route, .fault, .hold, .park, .stall: break
            case .answer, .swallowed, .end, .close, .wake: return
            }
            guard
                let item = Self.takeFirst(
                    of: &lanes[lane].items, reads, client: relay.clientLeg.id),
                case .command(let command, let leg) = item
            else { return }
            lanes[lane].bytes -= command.byteCount
            switch command {
            case .pass(let sender, let bytes), .replace(let sender, let bytes, _):
                carryOut(.keep(sender: sender, bytes), leg, at, &relay, &commands)
            case .keep, .fault: carryOut(command, leg, at, &relay, &commands)
            default: break
            }
        }
    }

    /// Passes an event to the relay, and inspects the connections that it opens.
    mutating func give(
        _ event: RelayEvent, _ at: Instant, _ relay: inout Relay,
        _ commands: inout [RelayCommand]
    ) {
        let layer = relay.layer
        let first = commands.count
        relay.handle(event, at: at, into: &commands)
        if session.interest.contains(.handshake) {
            judgeOpenings(from: first, at, &relay, &commands)
        }
        guard !isGivingUp else { return }
        if relay.layer == .waiting {
            // What the relay marks as the last has to stay with it.
            if !relay.clientEnds.isPeerOver { takeBack(relay.giveBacklog(), relay) }
        } else if layer == .waiting && !relay.isPastHTTP
            || layer == .http && relay.layer == .undecided
        {
            begin(at, relay)
        }
    }

    /// What the client sent after a request for another protocol is judged as what it is: what the
    /// relay has of it came before what waits here.
    mutating func judgeAnew(_ held: [HeldBytes], _ at: Instant, _ relay: Relay) {
        takeBack(held, relay)
        judgeAnew(at, relay)
    }

    /// What the client sent right after its request for a tunnel is judged when that is open.
    private mutating func takeBack(_ held: [HeldBytes], _ relay: Relay) {
        for read in held.reversed() {
            let command = GateCommand(of: read)
            lanes[Peer.client.rawValue].bytes += command.byteCount
            lanes[Peer.client.rawValue].items.prepend(.command(command, leg: nil))
            reads.putBack(command.received.count, of: relay.clientLeg.id, at: read.readAt)
        }
    }

    /// A tunnel is open, or the client's TLS: what it sent after the request for it is judged
    /// again.
    private mutating func begin(_ at: Instant, _ relay: Relay) {
        isReading = false
        if gate?.isSpent == true, isEmpty, HTTPPrefilter.isEnough(for: session) {
            gate = nil
        } else {
            let context = context(of: relay)
            gate?.restart(context)
        }
        judgeAnew(at, relay)
    }

    /// Judges what waits of the client, in order, as if it came now.
    private mutating func judgeAnew(_ at: Instant, _ relay: Relay) {
        let items = lanes[Peer.client.rawValue].items
        lanes[Peer.client.rawValue].items = []
        lanes[Peer.client.rawValue].bytes = 0
        for item in items {
            if case .command(.pass(_, let bytes), _) = item {
                judge(bytes, .client, at, relay)
            } else {
                if gate != nil, isEndOfReads(item) { ask(.ended(.client), .client, at, relay) }
                if case .command(let command, _) = item {
                    lanes[Peer.client.rawValue].bytes += command.byteCount
                }
                lanes[Peer.client.rawValue].items.append(item)
            }
        }
    }

    /// Whether what the gate holds of the client came before this and is not continued by it.
    private func isEndOfReads(_ item: Item) -> Bool {
        switch item {
        case .event(let event): if case .ended = event { true } else { false }
        case .command(.close, _): true
        case .command(let command, _): command.byteCount > 0
        }
    }
}

extension GateCommand {
    /// What was decided about bytes of the client that the relay gives back.
    fileprivate init(of read: HeldBytes) {
        if let source = read.source, read.origin == .peer {
            self = .replace(sender: .client, Array(source.original), by: Array(read.bytes))
        } else if read.origin == .peer {
            self = .pass(sender: .client, Array(read.bytes))
        } else {
            self = .make(sender: .client, Array(read.bytes))
        }
    }
}
