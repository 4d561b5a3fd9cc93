import DequeModule
import Faults
import Framing
import Wire

/// Messages that wait for somebody's decision.
extension ConnectionJudge {
    /// Those that wait now, oldest first.
    var held: [HeldMessage] {
        let parked = lanes.flatMap { lane in
            lane.items.compactMap { item -> HeldMessage? in
                if case .command(.park(let held), _) = item, !held.isAsked { held } else { nil }
            }
        }
        return (parked + (gate?.held ?? [])).sorted { $0.id < $1.id }
    }

    /// Carries out what was decided about a held message.
    ///
    /// - Returns: Whether it is held on this connection.
    mutating func decide(
        _ id: HeldMessage.ID, _ decision: HoldDecision, at: Instant, relay: inout Relay,
        into commands: inout [RelayCommand]
    ) -> Bool {
        guard settle(id, decision, at, relay) || ask(.decided(id, decision), .server, at, relay)
        else { return false }
        drain(at, &relay, &commands)
        startGate(at, &relay, &commands)
        followUpgrade(at, &relay, &commands)
        commands.placeFaults()
        return true
    }

    /// Messages whose time is over, at the front of a lane, go on.
    mutating func expireHeld(_ lane: Int, _ at: Instant) {
        while case .command(.park(let held), let leg)? = lanes[lane].items.first,
            held.until <= at
        {
            lanes[lane].items.removeFirst()
            if held.isAsked { continue }
            lanes[lane].items.prepend(.command(.fault(held.row(.expired, at: at)), leg: leg))
        }
    }

    /// Puts what was decided in the place of a message that waits in a lane.
    private mutating func settle(
        _ id: HeldMessage.ID, _ decision: HoldDecision, _ at: Instant, _ relay: Relay
    ) -> Bool {
        for sender in Peer.allCases {
            let lane = sender.rawValue
            guard let place = lanes[lane].items.firstIndex(where: { $0.parked?.id == id }),
                let held = lanes[lane].items[place].parked
            else { continue }
            let leg = lanes[lane].items[place].leg
            if held.isAsked, decision == .release {
                lanes[lane].items.remove(at: place)
                return true
            }
            if let frame = held.frame {
                settle(held, frame, place, lane, decision, at)
                return true
            }
            let isWhole = { (item: Item) in
                if case .command(.replace, _) = item { true } else { false }
            }
            guard let whole = lanes[lane].items[place...].firstIndex(where: isWhole),
                case .command(.replace(_, let received, let others), _) = lanes[lane].items[whole]
            else {
                lanes[lane].items.remove(at: place)
                return true
            }
            let outcome: HoldOutcome
            var commands: [GateCommand]
            switch decision {
            case .release:
                outcome = .released
                commands = [.replace(sender: sender, received, by: others)]
            case .edit(let bytes):
                outcome = .edited
                commands = [.replace(sender: sender, received, by: bytes)]
            case .answer(let bytes) where sender == .client:
                outcome = .answered
                let closes = Self.isLast(bytes)
                commands = [
                    .keep(sender: sender, received), .answer(bytes, closes: closes),
                ]
                ask(.withdrawn(held), .client, at, relay)
            case .answer, .drop:
                outcome = .dropped
                commands =
                    sender == .client
                    ? [.keep(sender: sender, received)]
                    : [.replace(sender: sender, received, by: [])]
                commands.append(.close(isReset: false))
            }
            let isForwarded = outcome == .released || outcome == .edited
            lanes[lane].items.remove(at: whole)
            for command in commands.reversed() {
                lanes[lane].items.insert(.command(command, leg: leg), at: whole)
            }
            // A request that goes nowhere is not mapped.
            if !isForwarded {
                for index in (place..<whole).reversed() {
                    if case .command(.route, _) = lanes[lane].items[index] {
                        lanes[lane].items.remove(at: index)
                    }
                }
            }
            lanes[lane].items[place] = .command(.fault(held.row(outcome, at: at)), leg: leg)
            lanes[lane].bytes +=
                commands.reduce(0) { $0 + $1.byteCount } - received.count - others.count
            return true
        }
        return false
    }

    /// Puts what was decided in the place of a message of a WebSocket, in the last of its frames.
    private mutating func settle(
        _ held: HeldMessage, _ frame: AskedFrame, _ place: Int, _ lane: Int,
        _ decision: HoldDecision, _ at: Instant
    ) {
        let leg = lanes[lane].items[place].leg
        var (bytes, outcome) = ([UInt8](), HoldOutcome.dropped)
        if case .edit(let text) = decision { (bytes, outcome) = (frame.bytes(text), .edited) }
        lanes[lane].items[place] = .command(.fault(held.row(outcome, at: at)), leg: leg)
        var left = frame.frameCount
        for index in lanes[lane].items.indices[(place + 1)...] where left > 0 {
            guard
                case .command(.replace(let sender, let received, let others), let leg) =
                    lanes[lane].items[index]
            else { continue }
            left -= 1
            let new = left == 0 ? bytes : []
            lanes[lane].items[index] = .command(
                .replace(sender: sender, received, by: new), leg: leg)
            lanes[lane].bytes += new.count - others.count
        }
    }

    /// Whether an answer is the last of its connection.
    private static func isLast(_ answer: [UInt8]) -> Bool {
        var framer = HTTPFramer(role: .response)
        var events: [HTTPEvent] = []
        _ = framer.consume(answer.span, into: &events)
        guard case .head(let head, _)? = events.first else { return true }
        return head.contains(token: "close", in: "connection")
    }
}

extension ConnectionJudge.Item {
    /// The message that waits here for a decision; nil for other things.
    fileprivate var parked: HeldMessage? {
        if case .command(.park(let held), _) = self { held } else { nil }
    }

    fileprivate var leg: LegID? {
        if case .command(_, let leg) = self { leg } else { nil }
    }
}
