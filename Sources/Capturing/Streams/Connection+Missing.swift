internal import Wire

extension Connection {
    /// Reports missing bytes, and continues after them.
    mutating func lose(
        _ peer: Peer, until end: Position, atUnixNanoseconds until: Int64,
        counts: inout StreamCounts, into events: inout [StreamEvent]
    ) {
        let side = peer.rawValue
        let count = end - sides[side].next
        counts.missing += count
        events.append(
            .missing(
                number, sender: peer, atUnixNanoseconds: sides[side].latestAtUnixNanoseconds,
                untilUnixNanoseconds: until, count: count))
        sides[side].lose(until: end)
        sides[side].stall = nil
    }

    /// Reports as missing the gaps of one direction, where they were waited for long enough.
    ///
    /// - Returns: Whether anything was abandoned.
    mutating func expire(
        _ peer: Peer, _ now: Int64, ledger: inout Ledger, into events: inout [StreamEvent]
    ) -> Bool {
        let side = sides[peer.rawValue]
        let isAnswered = sides[peer.other.rawValue].hasSpoken
        let hole = side.waiting.start ?? side.received
        // Where the other direction is not captured, there are no acknowledgments.
        let end = isAnswered ? min(hole, side.received) : hole
        guard end > side.next else {
            sides[peer.rawValue].stall = nil
            return false
        }
        guard let stall = side.stall, stall.at == side.next else {
            sides[peer.rawValue].stall = .init(
                at: side.next, end: end, segments: segments, sinceUnixNanoseconds: now)
            return false
        }
        let limits = ledger.limits
        let waited = now.elapsed(since: stall.sinceUnixNanoseconds)
        if side.received > side.next {
            guard
                segments - stall.segments >= limits.graceSegments
                    || waited >= limits.graceNanoseconds
            else { return false }
        } else {
            guard
                side.waiting.cost > limits.unacknowledged
                    || waited >= limits.unacknowledgedNanoseconds
            else { return false }
        }
        return giveUp(peer, until: min(stall.end, end), ledger: &ledger, into: &events)
    }

    /// Reports the next gap of either direction as missing.
    ///
    /// - Returns: Whether there was anything.
    mutating func giveUpNext(ledger: inout Ledger, into events: inout [StreamEvent]) -> Bool {
        // What was captured first after a hole continues first.
        let client = sides[0].waiting.first?.order ?? .max
        let server = sides[1].waiting.first?.order ?? .max
        let first = client <= server ? Peer.client : .server
        return giveUp(first, until: .max, ledger: &ledger, into: &events)
            || giveUp(first.other, until: .max, ledger: &ledger, into: &events)
    }

    /// Reports as missing the gap before the first piece, or before the end.
    private mutating func giveUp(
        _ peer: Peer, until limit: Position, ledger: inout Ledger,
        into events: inout [StreamEvent]
    ) -> Bool {
        let side = sides[peer.rawValue]
        var end = side.waiting.start ?? side.finish?.at ?? side.received
        guard end > side.next else { return false }
        let isLast = side.waiting.isEmpty && side.finish == nil
        if isLast, side.acknowledged == side.next + 1 {
            sides[peer.rawValue].presumeFinish()
            return true
        }
        end = min(end, limit)
        // No further than the other direction needs to continue, so that both stay in order.
        let other = sides[peer.other.rawValue]
        if let piece = other.inOrder {
            let requires = other.requirement(of: piece, upTo: piece.start + 1)
            if requires > side.next { end = min(end, requires) }
        }
        let until =
            side.waiting.first?.atUnixNanoseconds ?? side.finish?.atUnixNanoseconds
            ?? side.acknowledgedAtUnixNanoseconds
        lose(peer, until: end, atUnixNanoseconds: until, counts: &ledger.counts, into: &events)
        return true
    }
}

extension Int64 {
    /// How long this instant is after another, in nanoseconds; the longest there is where it is
    /// longer.
    func elapsed(since earlier: Int64) -> Int64 {
        let (difference, isOver) = subtractingReportingOverflow(earlier)
        return isOver ? (self > earlier ? .max : -.max) : Swift.max(difference, -.max)
    }
}
