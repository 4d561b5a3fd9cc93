public import Wire

/// Finds the frames and messages in what one peer sends over a WebSocket.
///
/// It is passive and changes nothing: violations of the specification are noted and read
/// nevertheless, as long as frames can be found. How the stream is divided into calls makes no
/// difference to the events. Memory does not depend on the length of frames: beyond what
/// ``WebSocketLimits/maxStoredPayload`` keeps of an incomplete message, a few kilobytes are
/// buffered, and for compressed messages the 48 KiB of an inflater.
///
/// Theory: a frame's header is read as a whole, its payload as it arrives. Up to two messages are
/// incomplete at once, one of data and one control message between its fragments. A compressed data
/// message is inflated by the direction's one inflater, which exists from the first such message
/// on; since it is shared by copies, an assembler is not `Sendable`, and ``copied()`` makes one that
/// goes on by itself. Where bytes are missing from what was seen, ``skip(_:into:)`` continues if their place is
/// certain, and ``lose(_:into:)`` looks for the next frames if it is not.
///
/// Source: RFC 6455, sections 5 to 7; RFC 7692, section 7.
public struct WebSocketAssembler {
    /// Whose stream it is.
    public let sender: Peer
    /// How messages are compressed; nil where they are not.
    public let compression: PerMessageDeflate?
    /// What is kept.
    public let limits: WebSocketLimits
    /// Number of bytes consumed: the offset in the stream of the next byte.
    public internal(set) var offset: Int64 = 0
    /// Whether no further frame can be found or the stream ended.
    public internal(set) var hasEnded = false

    /// The bytes of a header that is not complete, at most 14.
    var head: [UInt8] = []
    /// The frame whose payload is in progress.
    var frame: WebSocketFrameHeader?
    /// Bytes of its payload still to come.
    var remaining: Int64 = 0
    /// The data message in progress.
    var data: WebSocketMessageBuilder?
    /// The control message in progress.
    var control: WebSocketMessageBuilder?
    var inflation: WebSocketInflation
    var hasClosed = false
    /// Whether it ended because frames could not be found any more.
    var hasFailed = false
    /// Set only while frames are looked for, which most streams never need.
    var search: WebSocketFrameSearch?

    /// An assembler of the stream of `sender` from the first byte after the HTTP upgrade on.
    public init(
        sender: Peer, compression: PerMessageDeflate? = nil,
        limits: WebSocketLimits = WebSocketLimits()
    ) {
        self.sender = sender
        self.compression = compression
        self.limits = limits
        inflation = WebSocketInflation(
            takesContextOver: compression?.takesContextOver(sender) ?? false)
    }

    /// Offset of the first byte that a frame to come may begin at.
    ///
    /// It is the next byte, unless a header is in progress or frames are looked for.
    public var pendingOffset: Int64 {
        offset - (isSearching ? Self.maxSearched : Int64(head.count))
    }

    /// Whether no frame and no message is in progress.
    public var isBetweenMessages: Bool {
        head.isEmpty && frame == nil && data == nil && control == nil && search == nil
    }

    /// An assembler in the same state that shares nothing with this one.
    public func copied() -> WebSocketAssembler {
        var copy = self
        if let inflater = copy.inflation.separate() {
            copy.data?.use(inflater)
            copy.control?.use(inflater)
        }
        return copy
    }

    /// Bytes that it holds of messages in progress.
    public var heldBytes: Int { (data?.heldBytes ?? 0) + (control?.heldBytes ?? 0) }

    /// Discards what is stored of the incomplete message beyond its first `count` bytes; the rest
    /// of it is only counted, and its problem has the reason.
    public mutating func shed(to count: Int, detail: String) {
        data?.shed(to: count, detail: detail)
    }

    /// Processes the next bytes of the stream and appends what they complete to `events`.
    ///
    /// At most a few events come of each two bytes, so callers bound memory by the size of `bytes`.
    public mutating func consume(
        _ bytes: borrowing Span<UInt8>, into events: inout [WebSocketEvent]
    ) {
        if search != nil {
            searchFrames(bytes, into: &events)
            return
        }
        read(bytes, into: &events)
    }

    mutating func read(
        _ bytes: borrowing Span<UInt8>, into events: inout [WebSocketEvent]
    ) {
        let base = offset
        offset += Int64(bytes.count)
        var index = 0
        while index < bytes.count, !hasEnded {
            if let frame {
                let count = Int(min(remaining, Int64(bytes.count - index)))
                takePayload(bytes.extracting(index..<(index + count)), of: frame)
                index += count
                if remaining == 0 { endFrame(at: base + Int64(index), into: &events) }
            } else {
                index = readHeader(bytes, from: index, base: base, into: &events)
            }
        }
    }

    /// Notes the end of the stream; nothing may be consumed afterwards.
    public mutating func endOfStream(into events: inout [WebSocketEvent]) {
        guard !hasEnded else { return }
        search = nil
        let failure: WebSocketError? =
            if let frame {
                .endInsidePayload(missing: remaining, offset: frame.start)
            } else if !head.isEmpty {
                .endInsideHeader(offset: offset - Int64(head.count))
            } else {
                nil
            }
        end(failure, at: offset, into: &events)
    }

    /// Reads on in a header.
    ///
    /// - Returns: The index of the first byte that was not read.
    private mutating func readHeader(
        _ bytes: borrowing Span<UInt8>, from first: Int, base: Int64,
        into events: inout [WebSocketEvent]
    ) -> Int {
        var index = first
        let start = base + Int64(index) - Int64(head.count)
        let scan: WebSocketFrameHeader.Scan
        if head.isEmpty {
            scan = WebSocketFrameHeader.scan(
                bytes.extracting(index..<min(bytes.count, index + 14)), start: start)
            switch scan {
            case .header(let header): index += header.headerSize
            case .short, .tooLong:
                for position in index..<bytes.count where head.count < 14 {
                    head.append(bytes[position])
                }
                index = bytes.count
            }
        } else {
            head.append(bytes[index])
            index += 1
            scan = WebSocketFrameHeader.scan(head.span, start: start)
        }
        switch scan {
        case .short: break
        case .header(let header):
            head.removeAll(keepingCapacity: true)
            begin(header, into: &events)
            if header.payloadSize == 0 { endFrame(at: base + Int64(index), into: &events) }
        case .tooLong(let claimed):
            end(.lengthTooLarge(claimed: claimed, offset: start), at: start, into: &events)
            hasFailed = true
        }
        return index
    }

    /// Takes a complete header: reports and judges it, and begins or continues its message.
    private mutating func begin(
        _ header: WebSocketFrameHeader, into events: inout [WebSocketEvent]
    ) {
        let isControl = header.opcode.isControl
        let interrupts = !isControl && header.opcode != .continuation && data != nil
        if interrupts {
            finishData(
                at: header.start, cut: "another message begins before its last fragment",
                into: &events)
        }
        events.append(.frame(header))
        frame = header
        remaining = header.payloadSize
        judge(header, interrupts: interrupts, into: &events)
        if isControl {
            control = WebSocketMessageBuilder(
                opcode: header.opcode, start: header.start, mode: .plain)
            if header.opcode == .close { hasClosed = true }
        } else if data == nil {
            var mode = WebSocketMessageBuilder.Mode.plain
            if compression != nil, header.rsv & 4 != 0, header.opcode != .continuation {
                mode = inflation.mode(limit: limits.maxInflated)
            }
            data = WebSocketMessageBuilder(opcode: header.opcode, start: header.start, mode: mode)
        } else {
            data?.frames += 1
        }
    }

    /// Notes what is odd about a header.
    private func judge(
        _ header: WebSocketFrameHeader, interrupts: Bool, into events: inout [WebSocketEvent]
    ) {
        func note(_ note: WebSocketNote, if condition: Bool) {
            if condition { events.append(.note(note, offset: header.start)) }
        }
        let opcode = header.opcode
        let mayCompress = compression != nil && !opcode.isControl && opcode != .continuation
        note(.afterClose, if: hasClosed)
        note(.unmasked, if: sender == .client && header.mask == nil)
        note(.masked, if: sender == .server && header.mask != nil)
        note(.reservedBits, if: header.rsv & (mayCompress ? 3 : 7) != 0)
        note(.reservedOpcode, if: opcode.isReserved)
        note(.lengthNotMinimal, if: !header.isMinimal)
        note(.controlTooLong, if: opcode.isControl && header.payloadSize > 125)
        note(.controlFragmented, if: opcode.isControl && !header.fin)
        note(.continuationWithoutStart, if: opcode == .continuation && data == nil)
        note(.messageInterrupted, if: interrupts)
    }

    private mutating func takePayload(
        _ bytes: borrowing Span<UInt8>, of frame: WebSocketFrameHeader
    ) {
        let phase = frame.payloadSize - remaining
        if frame.opcode.isControl {
            control?.take(
                bytes, mask: frame.mask, phase: phase, remaining: remaining,
                limit: limits.maxStoredPayload)
        } else {
            data?.take(
                bytes, mask: frame.mask, phase: phase, remaining: remaining,
                limit: limits.maxStoredPayload)
        }
        remaining -= Int64(bytes.count)
    }

    mutating func endFrame(at end: Int64, into events: inout [WebSocketEvent]) {
        guard let frame else { return }
        self.frame = nil
        if frame.opcode.isControl {
            finishControl(at: end, cut: nil, into: &events)
        } else if frame.fin {
            finishData(at: end, cut: nil, into: &events)
        }
    }

    mutating func finishControl(
        at end: Int64, cut: String?, into events: inout [WebSocketEvent]
    ) {
        guard let message = control.take() else { return }
        deliver(message, at: end, cut: cut, into: &events)
    }

    mutating func finishData(
        at end: Int64, cut: String?, into events: inout [WebSocketEvent]
    ) {
        guard var message = data.take() else { return }
        if message.isCompressed {
            if cut == nil { message.finishInflating() }
            if message.missing > 0 {
                inflation.miss()
            } else if !message.isReadable || cut != nil {
                inflation.abandon()
            }
            if message.isContextLost {
                message.problems.append("an earlier message was not inflated; kept compressed")
                events.append(.note(.contextLost, offset: message.start))
            }
            switch message.failure {
            case nil: break
            case .tooLarge?: events.append(.note(.inflateLimit, offset: message.start))
            case .some: events.append(.note(.inflateFailed, offset: message.start))
            }
        }
        deliver(message, at: end, cut: cut, into: &events)
    }

    /// Appends the event of a message, and what is to be noted about its payload before it.
    private func deliver(
        _ message: consuming WebSocketMessageBuilder, at end: Int64, cut: String?,
        into events: inout [WebSocketEvent]
    ) {
        let isWhole = cut == nil && message.isReadable
        var problems = message.problems
        if let gap = message.gap { problems.append(gap) }
        if let cut { problems.append(cut) }
        let (isText, invalidOffset) = message.text(isWhole: isWhole)
        var closeCode: Int?
        switch message.opcode {
        case .text:
            if let invalidOffset, message.isReadable {
                events.append(.note(.notUTF8, offset: message.start))
                problems.append("not UTF-8 from byte \(invalidOffset) of the payload on")
            }
        case .close:
            closeCode = judgeClose(message, isWhole: isWhole, &problems, into: &events)
        default: break
        }
        events.append(
            .message(
                WebSocketMessage(
                    opcode: message.opcode, payload: message.payload, size: message.size,
                    wireSize: message.wireSize, isCompressed: message.isCompressed,
                    frames: message.frames, closeCode: closeCode, isText: isText,
                    start: message.start, end: end,
                    problem: problems.isEmpty ? nil : problems.joined(separator: "; "),
                    hasGap: message.missing > 0 || cut == Self.lost)))
    }

    /// Notes what is odd about the payload of a close frame.
    ///
    /// - Returns: The code, if there is one.
    private func judgeClose(
        _ message: borrowing WebSocketMessageBuilder, isWhole: Bool, _ problems: inout [String],
        into events: inout [WebSocketEvent]
    ) -> Int? {
        let payload = message.payload
        guard payload.count >= 2 else {
            if message.size == 1, isWhole {
                events.append(.note(.closePayload, offset: message.start))
                problems.append("a payload of one byte is too short for a code")
            }
            return nil
        }
        let code = Int(payload[0]) << 8 | Int(payload[1])
        if !WebSocketCloseCode.maySend(code) {
            events.append(.note(.closeCode, offset: message.start))
            problems.append("close code \(code) may not be sent")
        }
        var check = UTF8Check()
        check.consume(payload.span.extracting(droppingFirst: 2))
        let isStoredWhole = isWhole && message.size == Int64(payload.count)
        if let offset = isStoredWhole ? check.firstInvalidOffsetAtEnd : check.firstInvalidOffset {
            events.append(.note(.notUTF8, offset: message.start))
            problems.append("not UTF-8 from byte \(offset) of the reason on")
        }
        return code
    }

    /// Abandons the current message; nothing is read any more.
    private mutating func end(
        _ failure: WebSocketError?, at end: Int64, into events: inout [WebSocketEvent]
    ) {
        hasEnded = true
        frame = nil
        head = []
        let cut = failure?.description ?? "the stream ends before its last fragment"
        finishControl(at: end, cut: cut, into: &events)
        if failure == nil, let data {
            events.append(.note(.messageUnfinished, offset: data.start))
        }
        finishData(at: end, cut: cut, into: &events)
        if let failure { events.append(.failure(failure)) }
    }
}
