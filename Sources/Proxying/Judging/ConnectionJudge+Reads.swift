import DequeModule
import Faults
import Wire

/// When what is judged was read.
///
/// Every byte that is in ``ConnectionJudge/reads`` is once in the gate, in a lane or among the
/// suspects, and the other way round.
extension ConnectionJudge {
    /// Takes the first of what waits: of bytes that are forwarded unchanged what one read brought.
    static func takeFirst(
        of items: inout Deque<Item>, _ reads: ReadTimes, client: LegID
    ) -> Item? {
        guard let item = items.popFirst() else { return nil }
        guard case .command(.pass(let sender, let bytes), let leg) = item,
            let line = sender == .client ? client : leg
        else { return item }
        let sizes = reads.sizes(of: bytes.count, of: line)
        guard sizes.count > 1 else { return item }
        var pieces: [Item] = []
        pieces.reserveCapacity(sizes.count)
        var position = 0
        for size in sizes {
            let piece = Array(bytes[position..<position + size])
            pieces.append(.command(.pass(sender: sender, piece), leg: leg))
            position += size
        }
        items.insert(contentsOf: pieces.dropFirst(), at: 0)
        return pieces.first
    }

    /// Takes the next bytes of a sender out of what waits, and returns when the first was read.
    mutating func takeRead(
        _ count: Int, of sender: Peer, _ leg: LegID?, _ relay: Relay
    ) -> Instant? {
        (sender == .client ? relay.clientLeg.id : leg).flatMap { reads.take(count, of: $0) }
    }

    /// Bytes of a sender that wait here, and how many of them it is known of when they were read;
    /// the same.
    func waiting(of sender: Peer, _ relay: Relay) -> (bytes: Int, known: Int) {
        var bytes = gate?.heldBytes(of: sender) ?? 0
        for item in lanes[sender.rawValue].items {
            if case .command(let command, _) = item { bytes += command.received.count }
        }
        if sender == .client { bytes += suspects.reduce(0) { $0 + $1.count } }
        let known = reads.count { ($0 == relay.clientLeg.id) == (sender == .client) }
        return (bytes, known)
    }
}
