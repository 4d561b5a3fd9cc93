internal import Wire

extension Connection {
    /// Gives bytes out.
    mutating func deliver(
        _ bytes: ArraySlice<UInt8>, from sender: Peer, atUnixNanoseconds time: Int64,
        counts: inout StreamCounts, into events: inout [StreamEvent]
    ) {
        let side = sender.rawValue
        counts.delivered += Int64(bytes.count)
        sides[side].advance(
            to: sides[side].next + Position(bytes.count), atUnixNanoseconds: time)
        events.append(.bytes(number, sender: sender, atUnixNanoseconds: time, bytes))
    }

    /// Delivers what can be delivered, reports as missing what was waited for long enough, and
    /// keeps to the limits.
    mutating func settle(
        atUnixNanoseconds now: Int64, ledger: inout Ledger, into events: inout [StreamEvent]
    ) {
        drain(ledger: &ledger, into: &events)
        while expire(.client, now, ledger: &ledger, into: &events)
            || expire(.server, now, ledger: &ledger, into: &events)
        {
            drain(ledger: &ledger, into: &events)
        }
        for peer in Peer.allCases {
            while isOverLimit(peer, ledger.limits), giveUpNext(ledger: &ledger, into: &events) {
                drain(ledger: &ledger, into: &events)
            }
        }
        let isFinal = isGraceOver(now, ledger.limits)
        if isFinal { giveUpEverything(ledger: &ledger, into: &events) }
        closeIfOver(isFinal: isFinal, into: &events)
    }

    /// Delivers everything that waits, and reports gaps in it as missing.
    mutating func giveUpEverything(ledger: inout Ledger, into events: inout [StreamEvent]) {
        repeat {
            drain(ledger: &ledger, into: &events)
        } while giveUpNext(ledger: &ledger, into: &events)
    }

    private func isOverLimit(_ peer: Peer, _ limits: StreamLimits) -> Bool {
        let waiting = sides[peer.rawValue].waiting
        return waiting.cost > limits.waitingOfDirection || waiting.count > limits.piecesOfDirection
    }

    // MARK: - Order

    /// What a direction has in order: a piece or its end.
    private struct Candidate {
        /// Which segment it is from.
        var order: Int64
        /// What its sender had of the other direction.
        var requires: Position
        /// Up to which place it may be delivered; nil where it has to wait.
        var end: Position?
    }

    /// Delivers everything in front of which nothing is missing.
    private mutating func drain(ledger: inout Ledger, into events: inout [StreamEvent]) {
        while let (peer, end) = nextToDeliver() {
            let side = peer.rawValue
            if sides[side].inOrder != nil {
                let cost = sides[side].waiting.cost
                let piece = sides[side].waiting.removeFirst(before: end)
                ledger.cost += sides[side].waiting.cost - cost
                deliver(piece, from: peer, counts: &ledger.counts, into: &events)
            } else if let finish = sides[side].finish {
                sides[side].hasEnded = true
                events.append(
                    .ended(number, sender: peer, atUnixNanoseconds: finish.atUnixNanoseconds))
            }
        }
    }

    /// The direction that continues, with its first piece up to a place or with its end.
    private func nextToDeliver() -> (peer: Peer, end: Position)? {
        let client = candidate(.client)
        let server = candidate(.server)
        let isClientFirst = (client?.order ?? .max) < (server?.order ?? .max)
        if isClientFirst, let end = client?.end { return (.client, end) }
        if let end = server?.end { return (.server, end) }
        if let end = client?.end { return (.client, end) }
        guard let client, let server else { return nil }
        // Each waits for the other only where one of them was sent again, with a newer
        // acknowledgment than the bytes had at first. What was captured first waited then for
        // something that had not come; so it is the other that continues, as far as that one needs.
        return isClientFirst ? (.server, client.requires) : (.client, server.requires)
    }

    private func candidate(_ peer: Peer) -> Candidate? {
        let side = sides[peer.rawValue]
        let other = sides[peer.other.rawValue]
        if let piece = side.inOrder {
            return Candidate(
                order: piece.order, requires: side.requirement(of: piece, upTo: piece.start + 1),
                end: side.freeEnd(of: piece, after: other))
        }
        guard let finish = side.finish, !side.hasEnded, side.next == finish.at else { return nil }
        return Candidate(
            order: finish.order, requires: finish.requires,
            end: other.isDelivered(upTo: finish.requires) ? finish.at : nil)
    }

    private mutating func deliver(
        _ piece: Piece, from peer: Peer, counts: inout StreamCounts,
        into events: inout [StreamEvent]
    ) {
        if piece.isAbsent {
            counts.cutOff += piece.absent
            lose(
                peer, until: piece.end, atUnixNanoseconds: piece.atUnixNanoseconds,
                counts: &counts, into: &events)
        } else {
            counts.waiting -= Int64(piece.bytes.count)
            deliver(
                piece.bytes[...], from: peer, atUnixNanoseconds: piece.atUnixNanoseconds,
                counts: &counts, into: &events)
        }
    }
}
