import Framing
import Wire

/// One direction of a WebSocket: the bytes that wait for a decision, and the frames in them.
struct WebSocketLane {
    /// What happens to the bytes of a frame.
    enum Decision {
        case pass
        case replace([UInt8])
        /// They pass unless somebody who was asked decides otherwise.
        case offer
        case keep
    }

    /// A frame of which the header is known.
    struct Segment {
        let end: Int64
        let isControl: Bool
        let mask: UInt32?
        var before: [GateCommand] = []
        var decision: Decision?
    }

    /// The maximum number of bytes of one message that are held.
    static let maxHeld = 1 << 20
    /// The maximum size in bytes of a message that is written again without compression.
    static let maxRecoded = 16 << 20

    let sender: Peer
    private var assembler: WebSocketAssembler
    /// Whether compressed messages can be read with those before them alone.
    let takesContextOver: Bool
    private var held: [UInt8] = []
    /// Index in `held` of the first byte held, and its offset in the stream.
    private var first = 0
    private(set) var start: Int64 = 0
    /// Bytes that the assembler was not given: how far its offsets stay behind.
    private(set) var skipped: Int64 = 0
    private(set) var segments: [Segment] = []
    /// When bytes came, by their offset, for those that wait.
    private var times: [(offset: Int64, at: Instant)] = []
    /// Whether fragments of a message of data came, and not the last.
    private(set) var isOpen = false
    /// Whether the last frame of data was the last of its message.
    private(set) var endsMessage = false
    /// Whether the first bytes of the current message were forwarded.
    private(set) var isPassing = false
    /// Whether the contexts of sender and receiver differ, so that compressed messages are written
    /// again.
    var isAltered = false
    /// Whether framing is lost.
    var isOver = false
    /// Whether the receiver's side was half-closed.
    var isClosed = false
    /// Since when a control message waits behind fragments of a message that is not complete.
    var blockedSince: Instant?
    /// What is forwarded after the current message.
    var waiting: [GateCommand] = []

    init(sender: Peer, compression: PerMessageDeflate?) {
        self.sender = sender
        takesContextOver = compression?.takesContextOver(sender) ?? false
        assembler = WebSocketAssembler(
            sender: sender, compression: compression,
            limits: WebSocketLimits(
                maxStoredPayload: takesContextOver ? Self.maxRecoded : Self.maxHeld))
    }

    /// Whether nothing waits and no message is in progress.
    var isBetweenMessages: Bool {
        heldCount == 0 && segments.isEmpty && !isOpen && !isPassing && !isOver
    }

    /// How many of the next bytes, at least 1, certainly belong to the current frame.
    func reach(atMost count: Int) -> Int {
        let position = start + Int64(heldCount)
        guard let end = segments.last?.end, end > position else { return min(1, count) }
        return Int(min(Int64(count), end - position))
    }

    /// Forwards messages that were not inspected.
    mutating func skip(_ bytes: [UInt8], into commands: inout [GateCommand]) {
        guard !bytes.isEmpty else { return }
        start += Int64(bytes.count)
        skipped += Int64(bytes.count)
        Self.pass(bytes, of: sender, into: &commands)
    }

    /// Bytes that wait.
    var heldCount: Int { held.count - first }

    /// Whether a control message waits for the message between whose fragments it arrived.
    var isBlocked: Bool { segments.contains { $0.isControl && $0.decision != nil } }

    /// The maximum number of bytes that may be held.
    var limit: Int { isAltered ? Self.maxRecoded : Self.maxHeld }

    mutating func append(_ bytes: [UInt8], at: Instant, into events: inout [WebSocketEvent]) {
        // Of those that were forwarded one is kept, in which the first byte held may be.
        if let kept = times.lastIndex(where: { $0.offset <= start }) { times.removeFirst(kept) }
        if times.last?.at != at || times.isEmpty { times.append((start + Int64(heldCount), at)) }
        held.append(contentsOf: bytes)
        if !isOver { assembler.consume(bytes.span, into: &events) }
    }

    /// When the byte at `offset` came, which waits.
    func time(of offset: Int64) -> Instant? { times.last { $0.offset <= offset }?.at }

    mutating func began(_ header: WebSocketFrameHeader) {
        let size = header.payloadSize.addingReportingOverflow(Int64(header.headerSize))
        let (end, isHuge) = (header.start + skipped).addingReportingOverflow(size.partialValue)
        segments.append(
            Segment(
                end: size.overflow || isHuge ? .max : end, isControl: header.opcode.isControl,
                mask: header.mask))
        if !header.opcode.isControl {
            isOpen = true
            endsMessage = header.fin
        }
    }

    /// Places of the frames of a message that just ended, oldest first.
    mutating func frames(isControl: Bool) -> [Int] {
        if !isControl { isOpen = false }
        let undecided = segments.indices.filter {
            segments[$0].isControl == isControl && segments[$0].decision == nil
        }
        return isControl ? undecided.suffix(1) : undecided
    }

    /// Decides about the frames of a message; the last of them represents all of it.
    mutating func settle(
        _ frames: [Int], before: [GateCommand] = [], _ decision: Decision, changesContext: Bool
    ) {
        guard let last = frames.last else { return }
        for index in frames.dropLast() {
            segments[index].decision =
                switch decision {
                case .pass: .pass
                case .replace: .replace([])
                case .offer: .offer
                case .keep: .keep
                }
        }
        segments[last].decision = decision
        segments[frames[0]].before = before
        if changesContext, takesContextOver { isAltered = true }
    }

    /// Appends all frames at the front that are decided.
    mutating func flush(into commands: inout [GateCommand]) {
        var count = 0
        while count < segments.count, let decision = segments[count].decision {
            give(segments[count], decision, into: &commands)
            count += 1
        }
        segments.removeFirst(count)
        if segments.isEmpty { blockedSince = nil }
        if segments.isEmpty, !isOpen {
            isPassing = false
            commands += waiting
            waiting = []
        }
    }

    /// Appends everything that waits; what is not decided is forwarded unchanged.
    mutating func release(into commands: inout [GateCommand]) {
        let undecided: Decision = isClosed ? .replace([]) : .pass
        for segment in segments { give(segment, segment.decision ?? undecided, into: &commands) }
        segments.removeAll { $0.end <= start }
        for index in segments.indices { segments[index].before = [] }
        guard heldCount > 0 || isOpen || !segments.isEmpty else { return }
        isPassing = true
        blockedSince = nil
        // A part of a header.
        let bytes = take(heldCount)
        if isClosed, !bytes.isEmpty {
            commands.append(.replace(sender: sender, bytes, by: []))
        } else {
            Self.pass(bytes, of: sender, into: &commands)
        }
    }

    private mutating func give(
        _ segment: Segment, _ decision: Decision, into commands: inout [GateCommand]
    ) {
        commands += segment.before
        let bytes = take(Int(min(max(0, segment.end - start), Int64(heldCount))))
        guard !bytes.isEmpty else { return }
        switch decision {
        case .pass: Self.pass(bytes, of: sender, into: &commands)
        case .replace(let others): commands.append(.replace(sender: sender, bytes, by: others))
        case .offer: commands.append(.replace(sender: sender, bytes, by: bytes))
        case .keep: commands.append(.keep(sender: sender, bytes))
        }
    }

    /// Appends injected bytes, as soon as no message is incomplete.
    mutating func make(_ bytes: [UInt8], into commands: inout [GateCommand]) {
        guard !isClosed else { return }
        if isPassing {
            waiting.append(.make(sender: sender, bytes))
        } else {
            commands.append(.make(sender: sender, bytes))
        }
    }

    private mutating func take(_ count: Int) -> [UInt8] {
        let bytes =
            first == 0 && count == held.count
            ? held : Array(held[first..<(first + max(0, count))])
        first += bytes.count
        start += Int64(bytes.count)
        if first == held.count {
            held = []
            first = 0
        } else if first > 65_536 {
            held.removeFirst(first)
            first = 0
        }
        return bytes
    }

    /// Appends bytes that are forwarded unchanged to those directly before them.
    static func pass(_ bytes: [UInt8], of sender: Peer, into commands: inout [GateCommand]) {
        guard !bytes.isEmpty else { return }
        guard case .pass(sender, var others)? = commands.last else {
            commands.append(.pass(sender: sender, bytes))
            return
        }
        commands.removeLast()
        others += bytes
        commands.append(.pass(sender: sender, others))
    }
}
