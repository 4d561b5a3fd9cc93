import Wire

/// What happens to frames and messages where bytes are missing.
extension WebSocketAssembler {
    /// The maximum number of bytes before the last one taken at which a frame found after missing
    /// bytes begins.
    public static let maxSearched: Int64 = 128 * 1024

    /// Skips bytes that are missing from what was seen, as far as their place is certain.
    ///
    /// It is certain inside the payload of a frame. The message continues after them, but keeps no
    /// more of its payload, and reports them. Where compressed messages refer to those before,
    /// later ones are inflated again once they refer to nothing before the missing bytes, and kept
    /// compressed until then.
    ///
    /// - Parameters:
    ///   - count: How many bytes are missing here.
    ///   - events: Gains what the end of the frame completes, where that is reached.
    /// - Returns: How many of them were skipped, in 0...count. Where that is less than `count`,
    ///   ``lose(_:into:)`` has to be called for the rest.
    public mutating func skip(_ count: Int64, into events: inout [WebSocketEvent]) -> Int64 {
        guard count > 0, let frame, !hasEnded else { return 0 }
        let skipped = min(count, remaining)
        if frame.opcode.isControl {
            control?.miss(skipped)
        } else {
            data?.miss(skipped)
        }
        remaining -= skipped
        offset = offset.advanced(past: skipped)
        if remaining == 0 { endFrame(at: offset, into: &events) }
        return skipped
    }

    /// Abandons the current message, since `count` bytes at an uncertain place are missing, and
    /// looks for the next frames from here on.
    ///
    /// Also continues after a ``WebSocketEvent/failure(_:)`` that way, but not after the end of the
    /// stream. Frames are found where a chain of them proves it; up to 64 KiB are buffered
    /// meanwhile, and what is skipped gives no events.
    public mutating func lose(_ count: Int64, into events: inout [WebSocketEvent]) {
        guard !hasEnded || hasFailed else { return }
        hasEnded = false
        hasFailed = false
        frame = nil
        head = []
        inflation.miss()
        finishControl(at: offset, cut: Self.lost, into: &events)
        finishData(at: offset, cut: Self.lost, into: &events)
        hasClosed = false
        offset = offset.advanced(past: count)
        search = WebSocketFrameSearch(
            sender: sender, mayCompress: compression != nil, at: offset)
    }

    /// Whether bytes are missing and no frames have been found after them yet.
    public var isSearching: Bool { search != nil }

    /// Why a message ends early where bytes are missing.
    static let lost = "bytes are missing before its end"

    mutating func searchFrames(
        _ bytes: borrowing Span<UInt8>, into events: inout [WebSocketEvent]
    ) {
        let found = search?.consume(bytes)
        offset += Int64(bytes.count)
        guard let found else { return }
        search = nil
        offset = found.start
        read(found.bytes.span, into: &events)
    }
}
