import Wire

/// Looks for frames in a stream of which bytes are missing.
///
/// A header is two bytes that often occur by coincidence, so a place counts only once a chain of
/// frames from there on has scored enough: two points for each header of a text or a compressed
/// message and one for any other, six for a text that is UTF-8 (two or four if it is short), and
/// two for each of the first two frames that begin or end where a read does, as most senders write
/// them. Twelve points are enough. The memory is 64 KiB, one portion of 16 KiB and the list of
/// places that are waited for; the work for each place is bounded as well.
struct WebSocketFrameSearch {
    /// A place where frames begin.
    struct Found {
        /// Offset in the stream of the first frame.
        var start: Int64
        /// Its bytes and all that follow.
        var bytes: [UInt8]
    }

    /// A place that more bytes have to decide about.
    private struct Candidate {
        let start: Int
        /// How many bytes have to be buffered for the next attempt.
        let needed: Int
    }

    private enum Verdict {
        case frames(from: Int)
        case wait(until: Int)
        case none
    }

    /// The maximum number of bytes that are buffered between calls, so that longer frames prove
    /// nothing at their ends.
    static let maxHeld = 64 * 1024
    /// The maximum number of places that are waited for at a time.
    static let maxCandidates = 256
    /// The longest plausible payload.
    static let maxPayload: Int64 = 16 << 20
    /// Bytes of a text that are inspected.
    static let lookedAt = 64
    private static let portion = 16 * 1024
    private static let enough = 12

    private let sender: Peer
    private let mayCompress: Bool
    private var held: [UInt8] = []
    /// Offset in the stream of the first byte that is buffered.
    private var heldStart: Int64
    /// Indices where reads begin or end, ascending.
    private var edges: [Int] = [0]
    private var candidates: [Candidate] = []
    /// Index of the first byte that was not inspected as the start of a frame.
    private var next = 0

    /// A search in the stream of `sender` from `offset` on.
    init(sender: Peer, mayCompress: Bool, at offset: Int64) {
        self.sender = sender
        self.mayCompress = mayCompress
        heldStart = offset
    }

    /// Takes the bytes of one read; gives the place where frames begin, once it is certain.
    mutating func consume(_ bytes: borrowing Span<UInt8>) -> Found? {
        var index = 0
        while index < bytes.count {
            let end = min(bytes.count, index + Self.portion)
            held.append(bytes, index..<end)
            index = end
            if index == bytes.count { edges.append(held.count) }
            if let start = look() {
                held.append(bytes, index..<bytes.count)
                return Found(
                    start: heldStart + Int64(start), bytes: Array(held[start...]))
            }
            forget()
        }
        return nil
    }

    private mutating func look() -> Int? {
        if candidates.contains(where: { $0.needed <= held.count }) {
            let old = candidates
            candidates.removeAll(keepingCapacity: true)
            for candidate in old {
                if candidate.needed > held.count {
                    candidates.append(candidate)
                } else if let found = weigh(candidate.start) {
                    return found
                }
            }
        }
        while next < held.count {
            let start = next
            next += 1
            if let found = weigh(start) { return found }
        }
        return nil
    }

    /// Where frames begin for certain, if `start` leads to some; otherwise keeps it if it may.
    private mutating func weigh(_ start: Int) -> Int? {
        switch judge(start) {
        case .frames(let found):
            return min(found, held.count)
        case .wait(let needed):
            if candidates.count < Self.maxCandidates {
                candidates.append(Candidate(start: start, needed: needed))
            }
        case .none:
            break
        }
        return nil
    }

    private func judge(_ start: Int) -> Verdict {
        var points = 0
        var edgePoints = 0
        var position = start
        var isInMessage = false
        // What looks like a frame by coincidence may end where a real one begins: without evidence
        // of its own, the first only leads to those after it.
        var first = start
        let enough = enough(for: start)
        while true {
            if edgePoints < 2, isEdge(position) {
                edgePoints += 1
                points += 2
            }
            if points >= enough { return .frames(from: first) }
            let rest = held.span.extracting(position..<min(held.count, position + 14))
            switch WebSocketFrameHeader.scan(rest, start: 0) {
            case .tooLong:
                return .none
            case .short:
                guard rest.count == 0 || mayBegin(rest[0], isInMessage: isInMessage) else {
                    return .none
                }
                return .wait(until: position + rest.count + 1)
            case .header(let header):
                guard isPlausible(header, isInMessage: isInMessage) else { return .none }
                let payload = position + header.headerSize
                let end = payload + Int(header.payloadSize)
                guard let weight = weight(of: header, payload: payload, end: end) else {
                    return .none
                }
                if position == start, weight.points < 4, !isEdge(start) { first = end }
                points += (isUsual(header) ? 2 : 1) + weight.points
                if points >= enough { return .frames(from: first) }
                guard end <= held.count else { return .wait(until: weight.needed) }
                if !header.opcode.isControl { isInMessage = !header.fin }
                position = end
            }
        }
    }

    /// Whether a frame is of the kinds of most messages.
    private func isUsual(_ header: WebSocketFrameHeader) -> Bool {
        guard header.payloadSize > 0 else { return false }
        return header.opcode == .text || header.opcode == .continuation || header.rsv == 4
    }

    /// How many points a chain from `start` on needs.
    ///
    /// The second bytes of many letters look like the beginning of a frame, so that what may be the
    /// middle of one has to show more.
    private func enough(for start: Int) -> Int {
        start == 0 || held[start - 1] < 0x80 ? Self.enough : Self.enough + 2
    }

    /// The evidence of a payload for its frame, and how many bytes have to be buffered for more;
    /// nil where it contradicts it.
    private func weight(
        of header: WebSocketFrameHeader, payload: Int, end: Int
    ) -> (points: Int, needed: Int)? {
        let isText = header.opcode == .text && header.rsv == 0
        guard isText || header.opcode == .close, end > payload else { return (0, end) }
        let seenEnd = min(end, payload + Self.lookedAt, held.count)
        guard seenEnd > payload else { return (0, min(end, payload + Self.lookedAt)) }
        var seen = Array(held[payload..<seenEnd])
        if let mask = header.mask { WebSocketMask.apply(mask, phase: 0, to: &seen, from: 0) }
        guard isText else {
            guard seen.count >= 2 else { return (0, end) }
            return WebSocketCloseCode.maySend(Int(seen[0]) << 8 | Int(seen[1])) ? (6, end) : nil
        }
        var check = UTF8Check()
        check.consume(seen.span)
        guard check.firstInvalidOffset == nil else { return nil }
        let isWhole = seenEnd == end
        guard !isWhole || !header.fin || check.isComplete else { return nil }
        if isWhole { return (seen.count < 4 ? 2 : seen.count < 16 ? 4 : 6, end) }
        return seen.count == Self.lookedAt ? (6, end) : (0, min(end, payload + Self.lookedAt))
    }

    /// Whether a header may begin with `byte`.
    private func mayBegin(_ byte: UInt8, isInMessage: Bool) -> Bool {
        let opcode = WebSocketOpcode(rawValue: byte)
        let rsv = byte >> 4 & 7
        guard !opcode.isReserved else { return false }
        if opcode.isControl { return byte & 0xF0 == 0x80 }
        if isInMessage { return opcode == .continuation && rsv == 0 }
        return opcode != .continuation && (rsv == 0 || (rsv == 4 && mayCompress))
    }

    private func isPlausible(_ header: WebSocketFrameHeader, isInMessage: Bool) -> Bool {
        let first =
            (header.fin ? 0x80 : 0) | UInt8(truncatingIfNeeded: header.rsv) << 4
            | header.opcode.rawValue
        guard mayBegin(first, isInMessage: isInMessage), header.isMinimal,
            (header.mask != nil) == (sender == .client), header.payloadSize <= Self.maxPayload
        else { return false }
        if header.opcode.isControl {
            return header.payloadSize <= 125 && (header.opcode != .close || header.payloadSize != 1)
        }
        // Zeros would continue for ever as frames of nothing.
        return header.payloadSize > 0 || header.fin
    }

    /// Whether a read begins or ends at `index`.
    private func isEdge(_ index: Int) -> Bool {
        var low = 0
        var high = edges.count
        while low < high {
            let middle = (low + high) / 2
            if edges[middle] < index { low = middle + 1 } else { high = middle }
        }
        return low < edges.count && edges[low] == index
    }

    /// Discards what is too old to be decided.
    private mutating func forget() {
        // In large steps, since everything that is kept moves.
        guard held.count >= Self.maxHeld else { return }
        let gone = max(held.count - Self.maxHeld / 2, 0)
        held.removeFirst(gone)
        heldStart += Int64(gone)
        next -= gone
        edges = edges.filter { $0 >= gone }.map { $0 - gone }
        candidates = candidates.filter { $0.start >= gone }
            .map { Candidate(start: $0.start - gone, needed: $0.needed - gone) }
    }
}
