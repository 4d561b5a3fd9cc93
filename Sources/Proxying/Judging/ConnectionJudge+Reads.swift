import DequeModule
import Faults
import Wire

/// When what is judged was read, and how much waits.
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
            let line = sender == .client ? client : leg,
            reads.first(of: bytes.count, of: line) < bytes.count
        else { return item }
        let sizes = reads.sizes(of: bytes.count, of: line)
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

    /// Adds to a changed head what passes behind it of the same read, so that one chunk has both, and
    /// the receiver gets them at once.
    mutating func joined(_ item: Item, _ sender: Peer, _ relay: Relay) -> Item {
        let lane = sender.rawValue
        guard case .command(.replace(sender, let bytes, let others), let leg) = item,
            !others.isEmpty, let line = sender == .client ? relay.clientLeg.id : leg,
            case .command(.pass(sender, let rest), leg)? = lanes[lane].items.first,
            relay.isBeforeHead(of: sender, line)
        else { return item }
        let count = reads.first(of: bytes.count + rest.count, of: line) - bytes.count
        guard count > 0 else { return item }
        let own = rest[..<count]
        lanes[lane].items.removeFirst()
        // What waits is counted by the bytes on both sides.
        lanes[lane].bytes += count
        if count < rest.count {
            lanes[lane].items.prepend(
                .command(.pass(sender: sender, Array(rest[count...])), leg: leg))
        }
        return .command(.replace(sender: sender, bytes + own, by: others + own), leg: leg)
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

    /// Bytes that wait here for a decision or their time.
    var heldBytes: Int {
        lanes.reduce(gate?.heldBytes ?? 0) { $0 + $1.bytes }
            + suspects.reduce(0) { $0 + $1.count }
    }

    /// What waits here; mutating, as that of a ``Relay``.
    mutating func holding() -> Holding {
        let held: (bytes: Int, hasHead: Bool) = gate?.holding() ?? (0, false)
        var bytes = held.bytes
        for lane in lanes.indices { bytes += lanes[lane].bytes }
        for suspect in suspects { bytes += suspect.count }
        return Holding(bytes: bytes, hasHead: held.hasHead)
    }

    /// Whether the start of a head waits for the rest of it.
    var isHoldingHead: Bool { gate?.isHoldingHead ?? false }
}
