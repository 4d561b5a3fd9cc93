internal import Wire

/// One TCP connection of a capture: segments in, what both ends were given out.
///
/// Bytes of one direction come in order. Between the directions, bytes come after everything that
/// their sender had acknowledged when it sent them: an answer never comes before its question, even
/// where the capture has them the other way round or lacks a part of the question.
struct Connection: Sendable {
    private enum Phase {
        /// The first segments wait in `opening`.
        case opening
        case open
        /// Only counts what still comes.
        case over
    }

    /// A RST that was seen, while something still waited.
    private struct Reset {
        var segments: Int64
        var atUnixNanoseconds: Int64
        /// Whether its sender had sent more than was seen yet.
        var isEarly: Bool
    }

    private var phase = Phase.opening
    private var opening = Opening()
    private var client: Endpoint
    private var server: Endpoint
    /// Its number in the capture, once it is open.
    private(set) var number = 0
    private var reset: Reset?
    /// Segments of this connection, without those that are held.
    private(set) var segments: Int64 = 0
    private var latestAtUnixNanoseconds: Int64
    /// What each end sent, by ``Peer``.
    var sides: [2 of Direction] = [Direction(), Direction()]

    /// The connection that begins with this segment, which is to be consumed.
    init(_ segment: TCPSegment) {
        client = segment.source
        server = segment.destination
        latestAtUnixNanoseconds = segment.atUnixNanoseconds
    }

    /// Whether it is over and only counts what still comes.
    var isOver: Bool { phase == .over }

    /// Whether something waits for more segments or for time.
    var isWaiting: Bool {
        switch phase {
        case .opening: true
        case .open: sides[0].isWaiting || sides[1].isWaiting || reset != nil
        case .over: false
        }
    }

    /// Whether a segment between the same ends belongs to another connection than this one.
    func isAnother(_ segment: TCPSegment) -> Bool {
        let isFirst = segment.flags.contains(.syn)
        if phase == .opening { return isFirst && opening.isAnother(segment) }
        // What comes with every other segment is decided at once.
        guard isFirst || phase == .over else { return false }
        let sender = sender(of: segment)
        let side = sides[sender.rawValue]
        if isFirst {
            if segment.isSecond, let asked = sides[sender.other.rawValue].initial,
                segment.acknowledgment == asked &+ 1
            {
                return false
            }
            if let initial = side.initial { return initial != segment.sequence }
            let start = side.base.nearest(segment.sequence &+ 1)
            return isOver || !side.isKnown || !(0...StreamLimits.reach).contains(side.base - start)
        }
        guard !segment.payload.isEmpty, !segment.flags.contains(.rst), side.isKnown else {
            return false
        }
        return abs(side.next.nearest(segment.sequence) - side.next) > StreamLimits.reach
    }

    /// Processes the next segment of this connection.
    mutating func consume(
        _ segment: TCPSegment, ledger: inout Ledger, into events: inout [StreamEvent]
    ) {
        latestAtUnixNanoseconds = segment.atUnixNanoseconds
        switch phase {
        case .opening:
            opening.append(segment)
            ledger.counts.waiting += Int64(segment.payload.count)
            ledger.cost += Opening.cost(of: segment)
            if opening.isComplete(ledger.limits) { open(ledger: &ledger, into: &events) }
        case .open: accept(segment, ledger: &ledger, into: &events)
        case .over: discard(segment, in: &ledger.counts)
        }
    }

    /// Reports as missing what was waited for long enough.
    mutating func expire(
        atUnixNanoseconds now: Int64, ledger: inout Ledger, into events: inout [StreamEvent]
    ) {
        switch phase {
        case .opening:
            guard let first = opening.segments.first else { return }
            // Where the clock went back the duration is unknown.
            let waited = abs(now.elapsed(since: first.atUnixNanoseconds))
            guard waited >= ledger.limits.graceNanoseconds else { return }
            open(ledger: &ledger, into: &events)
        case .open:
            settle(atUnixNanoseconds: now, ledger: &ledger, into: &events)
        case .over: break
        }
    }

    /// Delivers everything that waits, and reports gaps in it as missing.
    mutating func flush(ledger: inout Ledger, into events: inout [StreamEvent]) {
        if phase == .opening { open(ledger: &ledger, into: &events) }
        guard phase == .open else { return }
        giveUpEverything(ledger: &ledger, into: &events)
        closeIfOver(isFinal: true, into: &events)
    }

    /// Ends it, even if more segments follow.
    mutating func close(
        _ why: StreamEvent.Closing, ledger: inout Ledger, into events: inout [StreamEvent]
    ) {
        flush(ledger: &ledger, into: &events)
        guard phase == .open else { return }
        end(reset == nil ? why : .reset, into: &events)
    }

    /// Whether a RST was seen, and what was missing then was waited for long enough.
    func isGraceOver(_ now: Int64, _ limits: StreamLimits) -> Bool {
        guard let reset else { return false }
        return segments - reset.segments >= limits.graceSegments
            || now.elapsed(since: reset.atUnixNanoseconds) >= limits.graceNanoseconds
    }

    // MARK: - Segments

    private func sender(of segment: TCPSegment) -> Peer {
        segment.source == client ? .client : .server
    }

    /// Processes a segment of an open connection.
    private mutating func accept(
        _ segment: TCPSegment, ledger: inout Ledger, into events: inout [StreamEvent]
    ) {
        segments += 1
        let sender = sender(of: segment)
        let side = sender.rawValue
        let other = sender.other.rawValue
        if segment.flags.contains(.rst) {
            accept(reset: segment, from: sender, in: &ledger)
            settle(atUnixNanoseconds: segment.atUnixNanoseconds, ledger: &ledger, into: &events)
            return
        }
        if !sides[side].hasSpoken, let asked = sides[other].initial,
            sides[other].next == sides[other].base, segment.challenges(initial: asked)
        {
            return
        }
        if segment.flags.contains(.syn) { sides[side].noteInitial(segment.sequence) }
        let sequence = segment.sequence &+ (segment.flags.contains(.syn) ? 1 : 0)
        sides[side].begin(at: sequence)
        let start = sides[side].next.nearest(sequence)
        guard abs(start - sides[side].next) <= StreamLimits.window else {
            ledger.counts.discard(segment.payload.count, .outsideWindow)
            return
        }
        sides[side].hasSpoken = true
        let requires =
            segment.flags.contains(.ack)
            ? sides[other].acknowledge(
                segment.acknowledgment, atUnixNanoseconds: segment.atUnixNanoseconds)
            : .min
        let cutOff = min(max(0, segment.cutOff), Int(StreamLimits.window))
        let hasContent = !segment.payload.isEmpty || cutOff > 0
        // One byte before the start is a probe of the receiver, and nothing that it waits for.
        if segment.payload.count + cutOff > 1 { sides[side].beginEarlier(start) }
        if hasContent, start == sides[side].next, cutOff == 0, sides[side].waiting.isEmpty,
            sides[side].finish == nil, sides[other].isDelivered(upTo: requires)
        {
            deliver(
                segment.payload, from: sender, atUnixNanoseconds: segment.atUnixNanoseconds,
                counts: &ledger.counts, into: &events)
        } else if hasContent {
            let template = Piece(
                start: start, requires: requires, atUnixNanoseconds: segment.atUnixNanoseconds,
                order: segments)
            sides[side].take(segment.payload, cutOff: cutOff, as: template, ledger: &ledger)
        }
        let end = start + Position(segment.payload.count + cutOff)
        if requires > .min { sides[side].noteReach(end, requires: requires) }
        if segment.flags.contains(.fin) {
            sides[side].noteFinish(
                .init(
                    at: end, requires: requires,
                    atUnixNanoseconds: segment.atUnixNanoseconds, order: segments))
        }
        guard isWaiting else { return }
        settle(atUnixNanoseconds: segment.atUnixNanoseconds, ledger: &ledger, into: &events)
    }

    /// Takes a RST, unless its number is so far away that no end would.
    private mutating func accept(
        reset segment: TCPSegment, from sender: Peer, in ledger: inout Ledger
    ) {
        ledger.counts.discard(segment.payload.count, .inReset)
        let side = sides[sender.rawValue]
        let distance = side.next.nearest(segment.sequence) - side.next
        // An endpoint without the connection refuses with the number 0.
        guard !side.hasSpoken || abs(distance) <= StreamLimits.reach else {
            ledger.counts.resetsIgnored += 1
            return
        }
        guard reset == nil else { return }
        reset = Reset(
            segments: segments, atUnixNanoseconds: segment.atUnixNanoseconds,
            isEarly: side.hasSpoken && distance > 0)
    }

    /// Counts what comes after the end.
    private func discard(_ segment: TCPSegment, in counts: inout StreamCounts) {
        guard !segment.payload.isEmpty else { return }
        let side = sides[sender(of: segment).rawValue]
        let count = segment.payload.count
        guard !segment.flags.contains(.rst) else { return counts.discard(count, .inReset) }
        let sequence = segment.sequence &+ (segment.flags.contains(.syn) ? 1 : 0)
        let start = side.next.nearest(sequence)
        let old = side.isKnown ? Int(min(max(0, side.next - start), Position(count))) : 0
        side.count(old: start..<start + Position(old), in: &counts)
        counts.discard(count - old, .afterClose)
    }

    // MARK: - Beginning and end

    /// Determines the roles, and processes the segments that were held.
    private mutating func open(ledger: inout Ledger, into events: inout [StreamEvent]) {
        guard phase == .opening, let first = opening.segments.first else { return }
        phase = .open
        ledger.counts.waiting -= Int64(opening.payload)
        ledger.cost -= opening.cost
        var hasHandshake = false
        if let roles = opening.roles(servers: ledger.servers) {
            (client, server, hasHandshake) = roles
        }
        for (peer, end) in [(Peer.client, client), (.server, server)] {
            if let start = opening.start(of: end) { sides[peer.rawValue].begin(at: start) }
            sides[peer.rawValue].latestAtUnixNanoseconds = first.atUnixNanoseconds
        }
        ledger.counts.connections += 1
        if hasHandshake {
            ledger.counts.withHandshake += 1
            ledger.remember(server: server)
        }
        number = ledger.counts.connections
        events.append(
            .opened(
                number, client: client, server: server,
                atUnixNanoseconds: first.atUnixNanoseconds, hasHandshake: hasHandshake))
        let held = opening.segments
        opening = Opening()
        for segment in held {
            // One of those that were held can be the last.
            if phase == .over {
                discard(segment, in: &ledger.counts)
            } else {
                accept(segment, ledger: &ledger, into: &events)
            }
        }
    }

    /// Ends it where both ends have sent everything, or one broke it off.
    ///
    /// - Parameters:
    ///   - isFinal: Whether nothing more is waited for.
    ///   - events: Where the end is reported.
    mutating func closeIfOver(isFinal: Bool, into events: inout [StreamEvent]) {
        guard phase == .open else { return }
        if sides[0].hasEnded, sides[1].hasEnded {
            end(.closed, into: &events)
        } else if let reset, isFinal || !reset.isEarly, !sides[0].isWaiting, !sides[1].isWaiting {
            end(.reset, into: &events)
        }
    }

    private mutating func end(_ why: StreamEvent.Closing, into events: inout [StreamEvent]) {
        phase = .over
        let time = why == .reset ? reset?.atUnixNanoseconds : nil
        events.append(.closed(number, atUnixNanoseconds: time ?? latestAtUnixNanoseconds, why))
    }
}
