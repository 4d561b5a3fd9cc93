import Notation

/// Changes or ends the body of a message in transit.
struct BodyEditor {
    /// What happens to bytes of the body.
    enum Outcome {
        /// They are forwarded.
        case pass(ArraySlice<UInt8>)
        /// Others are forwarded in their place, because of a firing; nil where it was reported
        /// before.
        case change(ArraySlice<UInt8>, by: [UInt8], Firing?)
        /// They and all that follow are not forwarded.
        case cut(ArraySlice<UInt8>, Firing)
    }

    private struct Corruption {
        let firing: Firing
        let range: Range<Int64>
        var draws: SplitMix64
        var isReported = false
    }

    private var truncation: (at: Int64, firing: Firing)?
    private var isCut = false
    private var corruption: Corruption?
    private var position: Int64 = 0

    /// Whether it forwards everything unchanged.
    var isIdle: Bool { truncation == nil && corruption == nil }

    /// Ends the edits, and returns those whose place was not reached.
    mutating func end() -> [Firing] {
        var unreached: [Firing] = []
        if let truncation, !isCut { unreached.append(truncation.firing) }
        if let corruption, !corruption.isReported { unreached.append(corruption.firing) }
        (truncation, corruption) = (nil, nil)
        return unreached
    }

    /// Adds an edit; `size` is that of the whole content, where it is known.
    ///
    /// - Returns: Whether there was none of its kind.
    mutating func add(_ firing: Firing, size: Int64?) -> Bool {
        let action = firing.action
        switch action.kind {
        case .truncate where truncation == nil:
            truncation = (max(0, action.integer("at") ?? 0), firing)
        case .corrupt where corruption == nil:
            var draws = SplitMix64(seed: firing.draw)
            let span = max(1, min(size ?? Self.reach, Self.reach))
            let start = action.integer("at") ?? Int64.random(in: 0..<span, using: &draws)
            let (end, isFar) = start.addingReportingOverflow(max(1, action.integer("count") ?? 1))
            corruption = Corruption(
                firing: firing, range: max(0, start)..<max(0, isFar ? .max : end), draws: draws)
        default:
            return false
        }
        return true
    }

    /// How far into a body of unknown size a drawn place may be.
    static let reach: Int64 = 1 << 20

    /// Processes bytes of the body as received.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - isContent: Whether they are content rather than the framing of chunks.
    /// - Returns: What happens to them, in order.
    mutating func take(_ bytes: ArraySlice<UInt8>, isContent: Bool) -> [Outcome] {
        guard isContent, !isIdle else { return [.pass(bytes)] }
        var outcomes: [Outcome] = []
        var rest = bytes
        while !rest.isEmpty {
            if let truncation, position >= truncation.at {
                outcomes.append(.cut(rest, truncation.firing))
                isCut = true
                return outcomes
            }
            var end = position + Int64(rest.count)
            if let truncation { end = min(end, truncation.at) }
            var isHit = false
            if let range = corruption?.range {
                isHit = range.contains(position)
                if position < range.lowerBound { end = min(end, range.lowerBound) }
                if isHit { end = min(end, range.upperBound) }
            }
            let part = rest.prefix(Int(end - position))
            if isHit, let changed = corrupt(part) {
                outcomes.append(changed)
            } else {
                outcomes.append(.pass(part))
            }
            position = end
            rest = rest.dropFirst(part.count)
        }
        return outcomes
    }

    private mutating func corrupt(_ part: ArraySlice<UInt8>) -> Outcome? {
        guard var work = corruption else { return nil }
        // Never zero, so that every byte becomes another.
        let changed = part.map { $0 ^ UInt8(1 + work.draws.next() % 255) }
        let firing = work.isReported ? nil : work.firing
        work.isReported = true
        corruption = work
        return .change(part, by: changed, firing)
    }
}
