import Capturing
import Notation
import Wire

/// A connection as a test tells it: places count from the first byte of each direction, and what
/// comes out of each segment is a list of short sentences.
struct Play {
    static let client = Endpoint(IPAddress(version4: 0x0A00_0001), 50000)
    static let server = Endpoint(IPAddress(version4: 0x0A00_0002), 80)

    var assembler: StreamAssembler
    /// By ``Peer``.
    var ends: [Endpoint] = [Self.client, Self.server]
    /// Sequence numbers of the SYNs, by ``Peer``.
    var initial: [UInt32]
    /// The clock of the capture; it goes on by a microsecond with each segment.
    var now: Int64 = 1_000_000_000_000

    init(_ initial: [UInt32] = [1000, 77_000], limits: StreamLimits = StreamLimits()) {
        assembler = StreamAssembler(limits: limits)
        self.initial = initial
    }

    var counts: StreamCounts { assembler.counts }

    /// A segment of `peer` whose first byte has this place.
    mutating func send(
        _ peer: Peer, _ place: Int, _ text: String = "", ack: Int? = nil,
        flags: TCPSegment.Flags = [], cutOff: Int = 0, after nanoseconds: Int64 = 1000
    ) -> [String] {
        now += nanoseconds
        let isFirst = flags.contains(.syn)
        let segment = TCPSegment(
            source: ends[peer.rawValue], destination: ends[peer.other.rawValue],
            sequence: number(peer, isFirst ? place - 1 : place),
            acknowledgment: ack.map { number(peer.other, $0) } ?? 0,
            flags: ack == nil ? flags : flags.union(.ack), payload: Array(text.utf8)[...],
            cutOff: cutOff, atUnixNanoseconds: now)
        return consume(segment)
    }

    /// The sequence number of a place.
    private func number(_ peer: Peer, _ place: Int) -> UInt32 {
        initial[peer.rawValue] &+ 1 &+ UInt32(truncatingIfNeeded: place)
    }

    mutating func client(
        _ place: Int, _ text: String = "", ack: Int? = 0, flags: TCPSegment.Flags = [],
        cutOff: Int = 0, after nanoseconds: Int64 = 1000
    ) -> [String] {
        send(.client, place, text, ack: ack, flags: flags, cutOff: cutOff, after: nanoseconds)
    }

    mutating func server(
        _ place: Int, _ text: String = "", ack: Int? = 0, flags: TCPSegment.Flags = [],
        cutOff: Int = 0, after nanoseconds: Int64 = 1000
    ) -> [String] {
        send(.server, place, text, ack: ack, flags: flags, cutOff: cutOff, after: nanoseconds)
    }

    /// SYN, SYN-ACK and ACK.
    mutating func shakeHands() -> [String] {
        client(0, ack: nil, flags: .syn) + server(0, flags: .syn) + client(0)
    }

    mutating func consume(_ segment: TCPSegment) -> [String] {
        var events: [StreamEvent] = []
        assembler.consume(segment, into: &events)
        return events.map(detail)
    }

    /// Lets time pass without segments.
    mutating func wait(_ nanoseconds: Int64) -> [String] {
        now += nanoseconds
        var events: [StreamEvent] = []
        assembler.advance(toUnixNanoseconds: now, into: &events)
        return events.map(detail)
    }

    mutating func finish() -> [String] {
        var events: [StreamEvent] = []
        assembler.finish(into: &events)
        return events.map(detail)
    }
}

/// An event in a few words; the first connection is not named.
func detail(_ event: StreamEvent) -> String {
    func of(_ number: Int) -> String { number == 1 ? "" : "\(number): " }
    switch event {
    case .opened(let number, let client, _, _, let hasHandshake):
        return of(number) + "opened by \(client)" + (hasHandshake ? "" : ", it seems")
    case .bytes(let number, let sender, _, let bytes):
        return of(number) + "\(sender) \(String(decoding: bytes, as: UTF8.self))"
    case .missing(let number, let sender, _, _, let count):
        return of(number) + "\(sender) lacks \(count)"
    case .ended(let number, let sender, _): return of(number) + "\(sender) ends"
    case .closed(let number, _, let why): return of(number) + why.rawValue
    }
}

extension SplitMix64 {
    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(max(1, limit))) }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}
