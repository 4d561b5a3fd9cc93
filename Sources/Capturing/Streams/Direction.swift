/// One direction of a TCP connection: what its sender sent, in order.
struct Direction: Sendable {
    /// The end of what the sender sent.
    struct Finish: Sendable {
        /// Place of the FIN.
        var at: Position
        var requires: Position
        var atUnixNanoseconds: Int64
        var order: Int64
    }

    /// Bytes that were found to be missing, and since when.
    struct Stall: Sendable {
        /// Where they begin; another place is another stall.
        var at: Position
        /// Where those end that were known to be missing then.
        var end: Position
        /// How many segments the connection had then.
        var segments: Int64
        var sinceUnixNanoseconds: Int64
    }

    /// What the sender had received when it had sent up to a place.
    ///
    /// The first copy of everything before `reach` was sent no later, and so required no more: a
    /// captured retransmission may have a newer acknowledgment.
    struct Mark: Sendable {
        var reach: Position
        var requires: Position
    }

    /// Whether ``next`` means something.
    private(set) var isKnown = false
    /// Sequence number of the SYN, where it was seen.
    private(set) var initial: UInt32?
    /// Whether anything of the sender was seen.
    var hasSpoken = false
    /// Place of the first byte.
    private(set) var base: Position = 0
    /// Place of the byte to be delivered next.
    private(set) var next: Position = 0
    /// Place after the last byte that the receiver acknowledged, its FIN included.
    private(set) var acknowledged: Position = 0
    /// When that was.
    private(set) var acknowledgedAtUnixNanoseconds: Int64 = 0
    /// When the byte before ``next`` was captured.
    var latestAtUnixNanoseconds: Int64 = 0
    var waiting = PieceQueue()
    private(set) var finish: Finish?
    /// Whether the end was reported.
    var hasEnded = false
    /// Whether one byte at the end was acknowledged and nothing came after: a FIN that was not
    /// captured looks so, and is more likely than a byte alone.
    private(set) var presumesFinish = false
    var stall: Stall?
    private var lost: [Range<Position>] = []
    /// Both numbers grow from one to the next.
    private var marks: [Mark] = []

    /// How far the receiver is known to have got, without the FIN.
    var received: Position {
        if let finish { return min(acknowledged, finish.at) }
        return presumesFinish ? min(acknowledged, next) : acknowledged
    }

    /// Whether everything before `place` was delivered or given up.
    func isDelivered(upTo place: Position) -> Bool {
        if next >= place { return true }
        if let finish { return next >= finish.at }
        return presumesFinish && place <= next + 1
    }

    /// Whether something is to be delivered or given up.
    var isWaiting: Bool {
        !waiting.isEmpty || received > next || (finish != nil && !hasEnded)
    }

    /// The first piece where nothing is missing in front of it.
    var inOrder: Piece? { waiting.start == next ? waiting.first : nil }

    /// What the bytes of ``inOrder`` up to a place require of the other direction.
    func requirement(of piece: Piece, upTo place: Position) -> Position {
        let mark = marks.first { $0.reach >= place }
        return min(piece.requires, mark?.requires ?? .max)
    }

    /// Up to which place ``inOrder`` requires no more than `other` has delivered; nil where it
    /// requires more from its first byte on.
    func freeEnd(of piece: Piece, after other: Direction) -> Position? {
        if other.isDelivered(upTo: requirement(of: piece, upTo: piece.end)) { return piece.end }
        return marks.last {
            piece.start < $0.reach && $0.reach < piece.end && other.isDelivered(upTo: $0.requires)
        }?.reach
    }

    /// Notes what the sender had received when it had sent up to `reach`, while that is to come.
    mutating func noteReach(_ reach: Position, requires: Position) {
        guard reach > next else { return }
        if let first = marks.first, first.reach <= next { marks.removeAll { $0.reach <= next } }
        if marks.contains(where: { $0.reach >= reach && $0.requires <= requires }) { return }
        marks.removeAll { $0.reach <= reach && $0.requires >= requires }
        let place = marks.firstIndex { $0.reach > reach } ?? marks.count
        marks.insert(Mark(reach: reach, requires: requires), at: place)
        // What is missing at the front matters first.
        if marks.count > StreamLimits.marks { marks.removeLast() }
    }

    /// Begins with this sequence number.
    mutating func begin(at sequence: UInt32) {
        guard !isKnown else { return }
        isKnown = true
        base = Position(first: sequence)
        next = base
        acknowledged = base
    }

    /// Notes the sequence number of the SYN.
    mutating func noteInitial(_ sequence: UInt32) {
        guard initial == nil else { return }
        begin(at: sequence &+ 1)
        beginEarlier(base.nearest(sequence &+ 1))
        initial = sequence
    }

    /// Begins earlier, where nothing was delivered yet and no SYN marks the beginning: segments are
    /// captured out of order.
    mutating func beginEarlier(_ place: Position) {
        guard initial == nil, next == base, place < base, base - place <= StreamLimits.reach else {
            return
        }
        base = place
        next = place
    }

    /// Notes an acknowledgment of the receiver.
    ///
    /// - Returns: The place it is for; the start where the number is too far from all others.
    mutating func acknowledge(_ number: UInt32, atUnixNanoseconds time: Int64) -> Position {
        begin(at: number)
        let place = next.nearest(number)
        guard abs(place - next) <= StreamLimits.window else { return base }
        if place > acknowledged {
            acknowledged = place
            acknowledgedAtUnixNanoseconds = time
            if place > next + 1 { presumesFinish = false }
        }
        return place
    }

    /// Continues after bytes that were delivered.
    mutating func advance(to place: Position, atUnixNanoseconds time: Int64) {
        next = place
        latestAtUnixNanoseconds = time
    }

    /// Continues after bytes that are missing.
    mutating func lose(until place: Position) {
        if lost.count == StreamLimits.lostPlaces { lost.removeFirst() }
        lost.append(next..<place)
        next = place
    }

    /// Takes a byte that was acknowledged, and after which there is nothing, for a FIN.
    mutating func presumeFinish() { presumesFinish = true }

    /// Notes the end, unless there are bytes after it or there is one.
    mutating func noteFinish(_ end: Finish) {
        guard finish == nil, end.at >= max(next, waiting.end ?? next) else { return }
        finish = end
        presumesFinish = false
    }

    /// Puts a payload, and what was cut off after it, where they belong.
    ///
    /// - Parameters:
    ///   - payload: The bytes; those that have to wait are copied.
    ///   - cutOff: Number of bytes after them.
    ///   - template: Place, time and order of the payload.
    ///   - ledger: Where it is counted.
    mutating func take(
        _ payload: ArraySlice<UInt8>, cutOff: Int, as template: Piece, ledger: inout Ledger
    ) {
        var piece = template
        var bytes = payload
        let end = piece.start + Position(bytes.count)
        if piece.start < next {
            let old = piece.start..<min(end, next)
            count(old: old, in: &ledger.counts)
            bytes = bytes.dropFirst(old.count)
            piece.start += Position(old.count)
        }
        let last = finish?.at ?? .max
        if end > last {
            let over = Int(min(end - last, Position(bytes.count)))
            ledger.counts.discard(over, .afterEnd)
            bytes = bytes.dropLast(over)
        }
        let cost = waiting.cost
        if !bytes.isEmpty {
            presumesFinish = false
            let outcome = waiting.insert(bytes, as: piece)
            ledger.counts.waiting += Int64(outcome.kept)
            ledger.counts.duplicate += Int64(outcome.duplicate)
            ledger.counts.conflicting += Int64(outcome.conflicting)
        }
        piece.start = max(end, next)
        piece.absent = min(end + Position(cutOff), last) - piece.start
        if piece.absent > 0 {
            presumesFinish = false
            waiting.insertAbsent(piece)
        }
        ledger.cost += waiting.cost - cost
    }

    /// Counts bytes whose place was passed.
    func count(old range: Range<Position>, in counts: inout StreamCounts) {
        let early = max(0, min(range.upperBound, base) - range.lowerBound)
        let late = lost.reduce(0) { $0 + $1.clamped(to: range).count }
        counts.discard(Int(early), .beforeStart)
        counts.discard(late, .late)
        counts.duplicate += Int64(range.count) - early - Int64(late)
    }
}
