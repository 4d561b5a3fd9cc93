public import Capturing
internal import Dispatch
internal import Platform
public import Wire

/// Passes what a capture gives to a trace: segments become streams, streams become records.
///
/// For one thread, which it blocks while the trace has no room for more.
public final class CaptureSession {
    private let sink: any RecordSink
    private var assembler = StreamAssembler()
    private var records: CaptureRecords
    private var events: [StreamEvent] = []
    private var waiting: [Record] = []
    private let keepsPackets: Bool
    /// Key logs that were kept already.
    private var keptSecrets: Set<[UInt8]> = []

    /// Records that are put at once.
    private static let most = 256

    /// Begins to write to `sink`.
    ///
    /// - Parameters:
    ///   - sink: The trace.
    ///   - startedUnixNanoseconds: When its session started.
    ///   - keepsPackets: Whether packets and secrets are kept beside what is made of them.
    public init(to sink: any RecordSink, startedUnixNanoseconds: Int64, keepsPackets: Bool) {
        self.sink = sink
        self.keepsPackets = keepsPackets
        records = CaptureRecords(
            startedUnixNanoseconds: startedUnixNanoseconds,
            numbers: CaptureRecords.Numbers(
                connection: { sink.nextConnection() }, leg: { sink.nextLeg() }))
    }

    /// Takes secrets of TLS; may be called again with more.
    ///
    /// - Parameters:
    ///   - keyLog: Lines of an NSS key log.
    ///   - source: What to call them in ``CaptureTotals/keyMistakes``.
    public func addSecrets(_ keyLog: [UInt8], from source: String) {
        records.keys.append(keyLog[...], from: source)
        guard keepsPackets, keptSecrets.insert(keyLog).inserted else { return }
        waiting.append(.secret(SecretRow(keyLog: keyLog)))
    }

    /// Keeps a packet as it was captured, where packets are kept.
    public func keep(_ packet: CapturedPacket) {
        guard keepsPackets else { return }
        waiting.append(
            .packet(
                PacketRow(
                    atUnixNanoseconds: packet.atUnixNanoseconds,
                    linkType: Int(packet.link.rawValue),
                    originalSize: Int64(packet.originalLength), bytes: Array(packet.bytes))))
        flush(atLeast: Self.most)
    }

    /// Takes what a capture gives.
    ///
    /// - Parameters:
    ///   - reading: What was received.
    ///   - isLive: Whether it is written at once, rather than with what follows.
    public func take(_ reading: Reading, isLive: Bool = false) {
        switch reading {
        case .segment(let segment): assembler.consume(segment, into: &events)
        case .secrets(let text): addSecrets(text, from: "the capture")
        case .nothingYet: assembler.advance(toUnixNanoseconds: Self.now(), into: &events)
        }
        for event in events { records.consume(event, into: &waiting) }
        events.removeAll(keepingCapacity: true)
        flush(atLeast: isLive ? 1 : Self.most)
    }

    /// Ends all connections and writes what is left.
    ///
    /// - Parameter packets: What the capture counted.
    /// - Returns: The outcome.
    public func finish(packets: PacketCounts) -> CaptureTotals {
        assembler.finish(into: &events)
        for event in events { records.consume(event, into: &waiting) }
        events = []
        flush(atLeast: 1)
        return CaptureTotals(
            packets: packets, streams: assembler.counts, tls: records.tls,
            keyMistakes: records.keys.mistakes)
    }

    private func flush(atLeast count: Int) {
        guard waiting.count >= count else { return }
        let all = waiting
        waiting = []
        guard !sink.put(all) else { return }
        let room = DispatchSemaphore(value: 0)
        sink.whenRoom { room.signal() }
        room.wait()
    }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
