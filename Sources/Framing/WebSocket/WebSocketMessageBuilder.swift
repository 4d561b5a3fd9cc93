/// A message while its frames arrive.
struct WebSocketMessageBuilder {
    /// What happens to the payload's bytes.
    enum Mode {
        /// They are the payload.
        case plain
        /// They are inflated.
        case inflating(MessageInflater)
        /// Inflating them failed; what follows of the message is only counted.
        case stopped
        /// They are compressed and the context is lost, so that they are kept as they are.
        case contextLost
        /// They are inflated with what is known of the context after missing bytes; as long as
        /// that may fail, they are kept as they are too.
        case trying(MessageInflater, compressed: [UInt8], size: Int64)
        /// Bytes are missing; what follows of the message is only counted.
        case holed
    }

    let opcode: WebSocketOpcode
    let start: Int64
    let isCompressed: Bool
    private(set) var mode: Mode
    var frames = 1
    var wireSize: Int64 = 0
    private(set) var size: Int64 = 0
    private(set) var payload: [UInt8] = []
    /// Its errors, as far as known.
    var problems: [String] = []
    /// Why inflating it failed.
    private(set) var failure: MessageInflateError?
    /// The check of a text that continues beyond what is stored.
    private var check: UTF8Check?
    /// Whether what is stored of such a text is UTF-8.
    private var isStoredText = true
    /// Whether no more of it is stored, because others need the room.
    private var isShed = false
    /// Number of its bytes that are missing.
    private(set) var missing: Int64 = 0
    /// Offset in its payload on the wire of the first of them.
    private var firstMissing: Int64 = 0

    init(opcode: WebSocketOpcode, start: Int64, mode: Mode) {
        self.opcode = opcode
        self.start = start
        self.mode = mode
        isCompressed = if case .plain = mode { false } else { true }
    }

    /// Inflates what follows with another inflater in the same state.
    mutating func use(_ inflater: MessageInflater) {
        switch mode {
        case .inflating: mode = .inflating(inflater)
        case .trying(_, let compressed, let size):
            mode = .trying(inflater, compressed: compressed, size: size)
        case .plain, .stopped, .contextLost, .holed: return
        }
    }

    /// Whether it builds on messages that were not inflated.
    var isContextLost: Bool {
        if case .contextLost = mode { true } else { false }
    }

    /// The problem of missing bytes; nil where there are none.
    var gap: String? {
        missing == 0
            ? nil : "\(missing) bytes are missing, the first at byte \(firstMissing) as sent"
    }

    /// Whether its payload could be decoded so far.
    var isReadable: Bool {
        switch mode {
        case .plain, .inflating, .trying: true
        case .stopped, .contextLost, .holed: false
        }
    }

    /// Bytes of the payload that are stored.
    var heldBytes: Int {
        if case .trying(_, let compressed, _) = mode {
            payload.count + compressed.count
        } else {
            payload.count
        }
    }

    /// Discards what is stored of the payload beyond the first `count` bytes, and stores no more.
    mutating func shed(to count: Int, detail: String) {
        guard !isShed else { return }
        isShed = true
        if case .trying = mode { mode = .stopped }
        if check == nil {
            var check = UTF8Check()
            check.consume(payload.span)
            isStoredText = check.firstInvalidOffset == nil
            self.check = check
        }
        payload = Array(payload.prefix(count))
        problems.append(detail)
    }

    /// Skips `count` bytes of the payload that are missing.
    ///
    /// Those that follow are counted and not kept: joined to those before, they would be a text
    /// that was never sent.
    mutating func miss(_ count: Int64) {
        if missing == 0 { firstMissing = wireSize }
        missing = missing.advanced(past: count)
        wireSize = wireSize.advanced(past: count)
        switch mode {
        case .plain, .contextLost, .holed:
            size = size.advanced(past: count)
            mode = .holed
        case .inflating, .trying, .stopped:
            mode = .stopped
        }
    }

    /// Processes bytes of the payload of a frame.
    ///
    /// - Parameters:
    ///   - bytes: As on the wire.
    ///   - mask: The masking key of the frame.
    ///   - phase: Offset of the first of the bytes in the payload of the frame.
    ///   - remaining: Bytes of the payload of the frame from the first of the bytes on, as claimed.
    ///   - limit: Greatest number of bytes of the decoded payload to store.
    mutating func take(
        _ bytes: borrowing Span<UInt8>, mask: UInt32?, phase: Int64, remaining: Int64, limit: Int
    ) {
        wireSize += Int64(bytes.count)
        let limit = isShed ? payload.count : limit
        if case .plain = mode, bytes.count <= limit - payload.count {
            if payload.isEmpty, remaining > Int64(bytes.count) {
                // A claim is no reason to allocate much.
                payload.reserveCapacity(
                    Int(min(remaining, Int64(min(limit, max(bytes.count, 4096))))))
            }
            let begin = payload.count
            size += Int64(bytes.count)
            bytes.withUnsafeBufferPointer { payload.append(contentsOf: $0) }
            if let mask { WebSocketMask.apply(mask, phase: phase, to: &payload, from: begin) }
            return
        }
        switch mode {
        case .stopped: return
        case .holed:
            size += Int64(bytes.count)
            return
        case .plain, .inflating, .contextLost, .trying: break
        }
        guard let mask else {
            pass(bytes, limit: limit)
            return
        }
        var index = 0
        var scratch: [UInt8] = []
        while index < bytes.count {
            let piece = bytes.extracting(index..<min(bytes.count, index + 16_384))
            scratch.removeAll(keepingCapacity: true)
            piece.withUnsafeBufferPointer { scratch.append(contentsOf: $0) }
            WebSocketMask.apply(mask, phase: phase + Int64(index), to: &scratch, from: 0)
            pass(scratch.span, limit: limit)
            index += piece.count
        }
    }

    /// Ends a message of which all bytes arrived.
    mutating func finishInflating() {
        let inflater: MessageInflater
        switch mode {
        case .inflating(let its), .trying(let its, _, _): inflater = its
        case .plain, .stopped, .contextLost, .holed: return
        }
        // An empty payload inflates to nothing, though it should be one zero byte (RFC 7692,
        // 7.2.3.6).
        guard wireSize > 0 else { return }
        do {
            try inflater.finish()
        } catch {
            stop(error)
        }
    }

    /// Processes unmasked bytes.
    private mutating func pass(_ bytes: borrowing Span<UInt8>, limit: Int) {
        switch mode {
        case .plain, .contextLost:
            store(bytes, limit: limit)
        case .trying(let inflater, var compressed, let size):
            let room = max(0, limit - compressed.count)
            // Releases the array, so that it grows in place.
            mode = .stopped
            bytes.extracting(first: min(room, bytes.count)).withUnsafeBufferPointer {
                compressed.append(contentsOf: $0)
            }
            mode = .trying(inflater, compressed: compressed, size: size + Int64(bytes.count))
            do {
                try inflater.feed(bytes) { store($0, limit: limit) }
            } catch {
                stop(error)
            }
        case .inflating(let inflater):
            do {
                try inflater.feed(bytes) { store($0, limit: limit) }
            } catch {
                stop(error)
            }
        case .stopped, .holed:
            break
        }
    }

    private mutating func stop(_ error: MessageInflateError) {
        if case .trying(_, let compressed, let size) = mode {
            keepCompressed(compressed, size: size)
            return
        }
        failure = error
        mode = .stopped
        problems.append(error.description)
    }

    /// Keeps the message compressed after all.
    private mutating func keepCompressed(_ compressed: [UInt8], size: Int64) {
        mode = .contextLost
        payload = compressed
        self.size = size
        check = nil
        isStoredText = true
    }

    /// Keeps bytes of the decoded payload as far as there is room, and counts them.
    private mutating func store(_ bytes: borrowing Span<UInt8>, limit: Int) {
        size += Int64(bytes.count)
        let room = limit - payload.count
        let stored = min(room, bytes.count)
        if stored > 0 {
            bytes.extracting(first: stored).withUnsafeBufferPointer {
                payload.append(contentsOf: $0)
            }
        }
        guard stored < bytes.count else { return }
        if check == nil {
            var check = UTF8Check()
            check.consume(payload.span)
            isStoredText = check.firstInvalidOffset == nil
            self.check = check
        }
        if opcode == .text { check?.consume(bytes.extracting(droppingFirst: stored)) }
    }

    /// Determines what of the payload is text.
    ///
    /// - Parameter isWhole: Whether all bytes of the message arrived and could be decoded.
    /// - Returns: Whether what is stored is UTF-8, and where the whole payload first is not.
    func text(isWhole: Bool) -> (isText: Bool, invalidOffset: Int64?) {
        if let check {
            let offset = isWhole ? check.firstInvalidOffsetAtEnd : check.firstInvalidOffset
            return (isStoredText, offset)
        }
        var check = UTF8Check()
        check.consume(payload.span)
        let offset = isWhole ? check.firstInvalidOffsetAtEnd : check.firstInvalidOffset
        return (offset == nil, offset)
    }
}
