/// Puts TCP segments together to what both ends of each connection were given.
///
/// A value without I/O or clock: segments in, ``StreamEvent``s out. It holds for any segments that
/// - bytes of a direction come in order and each once; of copies the first wins;
/// - bytes that are not in the capture are reported as missing, with their exact count and in their
///   place, once their receiver has acknowledged them and they did not arrive within
///   ``StreamLimits/graceSegments`` or ``StreamLimits/graceNanoseconds``, or where a limit or the
///   end of the capture leaves no choice. A gap of 2 GiB or more cannot be distinguished from a
///   shorter one;
/// - bytes are delivered after everything that their sender had acknowledged when it sent them, so
///   that an answer never precedes its request. Where the capture has only retransmissions of both,
///   the acknowledgments in them may not show which was first;
/// - what waits is bounded by ``StreamLimits``, and ``counts`` add up at any time.
///
/// Times are those of the packets: of bytes, of the packet that first had them. They may go back
/// where the capture's do, and where bytes were captured late.
public struct StreamAssembler: Sendable {
    /// How many connections that wait are inspected in one go.
    private static let examined = 64
    /// How many segments or nanoseconds come between two looks.
    private static let examinedEverySegments: Int64 = 256
    private static let examinedEveryNanoseconds: Int64 = 250_000_000

    private var ledger: Ledger
    // A connection is the number of its place; places of dropped ones are used again.
    private var connections: [Connection] = []
    private var keys: [ConnectionKey] = []
    private var numbers: [ConnectionKey: Int] = [:]
    private var free: [Int] = []
    // In the order of their last segment.
    private var active = RecencyList()
    private var over = RecencyList()
    /// Those that wait for more segments or for time.
    private var waiting = RecencyList()
    private var examinedAtSegments: Int64 = 0
    private var examinedAtUnixNanoseconds: Int64 = 0

    /// An assembler that has seen nothing yet.
    public init(limits: StreamLimits = StreamLimits()) { ledger = Ledger(limits: limits) }

    /// The outcome of all segments until now.
    public var counts: StreamCounts { ledger.counts }

    /// Connections that are kept, those that are over among them.
    public var connectionsKnown: Int { active.count + over.count }

    /// The memory of everything that waits, in bytes; at most ``StreamLimits/waiting`` between
    /// calls.
    public var bytesKept: Int { ledger.cost }

    /// Processes the next segment of the capture.
    ///
    /// - Parameters:
    ///   - segment: The segment; its payload is copied where it has to wait.
    ///   - events: Where everything is appended that is certain now. Bytes that did not have to
    ///     wait are a slice of the segment's payload.
    public mutating func consume(_ segment: TCPSegment, into events: inout [StreamEvent]) {
        ledger.counts.segments += 1
        ledger.counts.seen += Int64(segment.payload.count)
        if let place = place(of: segment, into: &events) {
            connections[place].consume(segment, ledger: &ledger, into: &events)
            note(place)
            if !connections[place].isOver { active.append(place) }
            while ledger.cost > ledger.limits.waiting, let longest = waiting.first {
                waiting.remove(longest)
                connections[longest].flush(ledger: &ledger, into: &events)
                note(longest)
            }
        }
        let passed = segment.atUnixNanoseconds.elapsed(since: examinedAtUnixNanoseconds)
        if abs(passed) >= Self.examinedEveryNanoseconds
            || ledger.counts.segments - examinedAtSegments >= Self.examinedEverySegments
        {
            advance(toUnixNanoseconds: segment.atUnixNanoseconds, into: &events)
        }
    }

    /// Reports as missing what was waited for long enough; to be called while nothing is captured.
    ///
    /// - Parameters:
    ///   - now: The time by the clock of the capture, in nanoseconds since 1970 UTC.
    ///   - events: Where everything is appended that is certain now.
    public mutating func advance(toUnixNanoseconds now: Int64, into events: inout [StreamEvent]) {
        examinedAtUnixNanoseconds = now
        examinedAtSegments = ledger.counts.segments
        for _ in 0..<min(Self.examined, waiting.count) {
            guard let place = waiting.first else { return }
            connections[place].expire(atUnixNanoseconds: now, ledger: &ledger, into: &events)
            // Behind the others, so that all have their turn.
            waiting.remove(place)
            note(place)
        }
    }

    /// Ends all connections with the capture.
    ///
    /// - Parameter events: Where everything that waited is appended, what is missing, and the ends.
    public mutating func finish(into events: inout [StreamEvent]) {
        while let place = active.first {
            close(place, .captureEnded, into: &events)
        }
        let counts = ledger.counts
        self = StreamAssembler(limits: ledger.limits)
        ledger.counts = counts
    }

    // MARK: - Connections

    /// The place of the connection that a segment belongs to; nil where it belongs to none.
    private mutating func place(
        of segment: TCPSegment, into events: inout [StreamEvent]
    ) -> Int? {
        let key = ConnectionKey(segment)
        if let place = numbers[key] {
            if connections[place].isAnother(segment) {
                close(place, .replaced, into: &events)
                over.remove(place)
                connections[place] = Connection(segment)
            }
            return place
        }
        guard !segment.flags.contains(.rst) else {
            ledger.counts.resetsIgnored += 1
            ledger.counts.discard(segment.payload.count, .inReset)
            return nil
        }
        makeRoom(into: &events)
        let place = free.popLast() ?? connections.count
        if place < connections.count {
            connections[place] = Connection(segment)
            keys[place] = key
        } else {
            connections.append(Connection(segment))
            keys.append(key)
        }
        numbers[key] = place
        return place
    }

    /// Drops a connection where there are as many as there may be.
    private mutating func makeRoom(into events: inout [StreamEvent]) {
        guard connectionsKnown >= ledger.limits.connections else { return }
        guard let place = over.first ?? active.first else { return }
        close(place, .idle, into: &events)
        over.remove(place)
        numbers[keys[place]] = nil
        free.append(place)
    }

    private mutating func close(
        _ place: Int, _ why: StreamEvent.Closing, into events: inout [StreamEvent]
    ) {
        connections[place].close(why, ledger: &ledger, into: &events)
        note(place)
    }

    /// Enters a connection in the lists it belongs to now.
    private mutating func note(_ place: Int) {
        if connections[place].isOver {
            active.remove(place)
            if !over.contains(place) { over.append(place) }
        }
        if !connections[place].isWaiting {
            waiting.remove(place)
        } else if !waiting.contains(place) {
            waiting.append(place)
        }
    }
}
