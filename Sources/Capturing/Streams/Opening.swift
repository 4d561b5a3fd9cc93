internal import Wire

/// The first segments of a connection, held back until its ends and its beginning are known.
///
/// Captures begin late, lose SYNs and have segments out of order: which end is the client and what
/// comes first is only clear after a few of them.
struct Opening: Sendable {
    /// The segments in the order of the capture, their payloads copied.
    private(set) var segments: [TCPSegment] = []

    /// What they cost, in bytes.
    var cost: Int { segments.reduce(0) { $0 + Self.cost(of: $1) } }
    /// Bytes of payload held.
    var payload: Int { segments.reduce(0) { $0 + $1.payload.count } }

    static func cost(of segment: TCPSegment) -> Int {
        segment.payload.count + StreamLimits.overhead
    }

    mutating func append(_ segment: TCPSegment) {
        var copy = segment
        // A slice would hold on to everything that was read with it.
        copy.payload = ArraySlice(Array(segment.payload))
        segments.append(copy)
    }

    /// Whether there is nothing to wait for: both SYNs were seen, or a RST, or enough segments.
    func isComplete(_ limits: StreamLimits) -> Bool {
        segments.count >= limits.held || segments.contains { $0.flags.contains(.rst) }
            || (segments.contains(where: \.isFirst) && segments.contains(where: \.isSecond))
    }

    /// Whether a SYN begins another connection than these segments belong to.
    func isAnother(_ segment: TCPSegment) -> Bool {
        let own = ownSegments(of: segment.source)
        if let first = own.first(where: { $0.flags.contains(.syn) }) {
            return first.sequence != segment.sequence
        }
        // Where it came out of order, the others are right after it.
        let others = segments.filter { $0.source != segment.source && $0.flags.contains(.ack) }
        let near = own.first?.sequence ?? others.first?.acknowledgment
        guard let near else { return false }
        return !(1...StreamLimits.reach).contains(near.distance(from: segment.sequence))
    }

    /// The segments of one end that are of this connection.
    private func ownSegments(of end: Endpoint) -> [TCPSegment] {
        let asked = segments.first { $0.source != end && $0.isFirst }
        return segments.filter { $0.source == end && !(asked.map($0.challenges) ?? false) }
    }

    /// The first sequence number of the bytes of one end; nil where that is unknown.
    func start(of end: Endpoint) -> UInt32? {
        let own = ownSegments(of: end).filter { !$0.flags.contains(.rst) }
        if let first = own.first(where: { $0.flags.contains(.syn) }) {
            return first.sequence &+ 1
        }
        let accepted = segments.first { $0.source == end && $0.isFirst }
        let acknowledged = segments.filter {
            $0.source != end && $0.flags.contains(.ack) && !(accepted.map($0.challenges) ?? false)
        }
        .map(\.acknowledgment)
        let reported = own.filter { segment in
            // A keep-alive has the sequence number of a byte sent before.
            !segment.payload.isEmpty || segment.cutOff > 0
                || !acknowledged.contains(segment.sequence &+ 1)
                || own.contains { $0.sequence == segment.sequence && !$0.payload.isEmpty }
        }
        return (reported.isEmpty ? acknowledged : reported.map(\.sequence))
            .min { $0.distance(from: $1) < 0 }
    }

    /// Which end is the client, and whether a SYN shows it.
    func roles(servers: Set<Endpoint>) -> (client: Endpoint, server: Endpoint, isCertain: Bool)? {
        guard let first = segments.first else { return nil }
        if let segment = segments.first(where: \.isFirst) {
            return (segment.source, segment.destination, true)
        }
        if let segment = segments.first(where: \.isSecond) {
            return (segment.destination, segment.source, true)
        }
        let isFromClient =
            first.destination.isServer(servers, against: first.source)
            ?? payloadsSayClient(first.source) ?? first.destination.hasServerPort(first.source)
        return isFromClient
            ? (first.source, first.destination, false) : (first.destination, first.source, false)
    }

    /// Whether `end` is the client, by how the payloads begin.
    private func payloadsSayClient(_ end: Endpoint) -> Bool? {
        for segment in segments {
            guard let sender = Peer(beginning: segment.payload) else { continue }
            return (sender == .client) == (segment.source == end)
        }
        return nil
    }
}

extension TCPSegment {
    /// Whether it is a SYN.
    var isFirst: Bool { flags.intersection([.syn, .ack]) == .syn }
    /// Whether it accepts one.
    var isSecond: Bool { flags.isSuperset(of: [.syn, .ack]) }

    /// Whether it answers a SYN with the numbers of an older connection between the same ends, which
    /// its sender has not forgotten (RFC 9293, 3.10.7.4; RFC 5961, 4).
    func challenges(_ first: TCPSegment) -> Bool { challenges(initial: first.sequence) }

    /// The same of a SYN with this sequence number.
    func challenges(initial: UInt32) -> Bool {
        flags.intersection([.syn, .rst, .fin, .ack]) == .ack && payload.isEmpty && cutOff == 0
            && !(0...StreamLimits.reach).contains(acknowledgment.distance(from: initial &+ 1))
    }
}
