internal import Capturing
internal import Notation
internal import Wire

/// A TCP connection synthesized around bytes of which only the order is known.
///
/// A value that returns segments as a capture beside the receiver would have them: three for the
/// handshake, one for each piece of bytes and one that acknowledges it at once, and what ends the
/// connection. Bytes that are missing take their sequence numbers and no segment. The first
/// sequence numbers follow from the number of the connection, so that the same trace gives the same
/// packets.
struct SynthesizedConversation {
    /// The maximum number of missing bytes that sequence numbers skip at once: a larger jump would
    /// look like one backwards.
    static let longestJump: Int64 = 1 << 30
    /// The maximum number of bytes that can be missing in one place: 1 TiB.
    static let longestGap: Int64 = 1 << 40

    let client: Endpoint
    let server: Endpoint
    private var next: [UInt32]
    private var isOpen = false
    private var hasEnded = [false, false]

    /// A connection between these two; `number` distinguishes it from others between the same.
    init(client: Endpoint, server: Endpoint, number: Int64) {
        self.client = client
        self.server = server
        // SplitMix64: neighbours begin far apart, also where ports are used again.
        let seed = SplitMix64.mixed(UInt64(bitPattern: number) &* SplitMix64.step)
        next = [
            UInt32(truncatingIfNeeded: seed >> 32), UInt32(truncatingIfNeeded: seed),
        ]
    }

    /// The handshake.
    mutating func open(at unixNanoseconds: Int64) -> [TCPSegment] {
        guard !isOpen else { return [] }
        isOpen = true
        var segments = [segment(.client, .syn, at: unixNanoseconds)]
        next[0] &+= 1
        segments.append(segment(.server, [.syn, .ack], at: unixNanoseconds))
        next[1] &+= 1
        segments.append(segment(.client, .ack, at: unixNanoseconds))
        return segments
    }

    /// `bytes` that came from `sender`, in segments of at most `longest` bytes.
    mutating func send(
        _ bytes: [UInt8], from sender: Peer, at unixNanoseconds: Int64,
        longest: Int = PacketBuilder.longestPayload
    ) -> [TCPSegment] {
        var segments: [TCPSegment] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + longest)
            segments.append(
                segment(sender, [.psh, .ack], bytes[start..<end], at: unixNanoseconds))
            next[sender.rawValue] &+= UInt32(end - start)
            segments.append(segment(sender.other, .ack, at: unixNanoseconds))
            start = end
        }
        return segments
    }

    /// `count` bytes of `sender` that were not recorded; the other side acknowledges them.
    mutating func miss(
        _ count: Int64, from sender: Peer, at unixNanoseconds: Int64
    ) -> [TCPSegment] {
        var segments: [TCPSegment] = []
        var left = min(count, Self.longestGap)
        while left > 0 {
            let jump = min(left, Self.longestJump)
            next[sender.rawValue] &+= UInt32(jump)
            segments.append(segment(sender.other, .ack, at: unixNanoseconds))
            left -= jump
        }
        return segments
    }

    /// `sender` closes its side.
    mutating func end(_ sender: Peer, at unixNanoseconds: Int64) -> [TCPSegment] {
        guard !hasEnded[sender.rawValue] else { return [] }
        hasEnded[sender.rawValue] = true
        let fin = segment(sender, [.fin, .ack], at: unixNanoseconds)
        next[sender.rawValue] &+= 1
        return [fin, segment(sender.other, .ack, at: unixNanoseconds)]
    }

    /// `sender` breaks the connection off.
    mutating func reset(by sender: Peer, at unixNanoseconds: Int64) -> [TCPSegment] {
        hasEnded = [true, true]
        return [segment(sender, [.rst, .ack], at: unixNanoseconds)]
    }

    private func segment(
        _ sender: Peer, _ flags: TCPSegment.Flags, _ payload: ArraySlice<UInt8> = [],
        at unixNanoseconds: Int64
    ) -> TCPSegment {
        TCPSegment(
            source: sender == .client ? client : server,
            destination: sender == .client ? server : client,
            sequence: next[sender.rawValue],
            acknowledgment: flags.contains(.ack) ? next[sender.other.rawValue] : 0, flags: flags,
            payload: payload, atUnixNanoseconds: unixNanoseconds)
    }
}
