/// What happens to the framing where bytes are missing.
extension HTTPFramer {
    /// Skips bytes that are missing from what was seen, as far as their place is certain.
    ///
    /// It is certain inside content: as many as the content still has by its `Content-Length`, all
    /// of them where they lie inside one chunk of the chunked coding or where the content continues
    /// until the end of the direction, and all of them where nothing is framed any more. The events
    /// are those of the bytes themselves, apart from `content` and `opaque`.
    ///
    /// - Parameters:
    ///   - count: How many bytes are missing here.
    ///   - events: Gains the end of the message where that is reached; indices are 0.
    /// - Returns: How many of them were skipped, in 0...count. Where that is less than `count`,
    ///   ``lose(_:)`` has to be called for the rest.
    public mutating func skip(_ count: Int64, into events: inout [HTTPEvent]) -> Int64 {
        guard count > 0 else { return 0 }
        var skipped: Int64 = 0
        switch phase {
        case .untilEnd, .opaque, .ended:
            skipped = count
        case .length:
            skipped = min(count, remaining)
            remaining -= skipped
            if remaining == 0 { finish(at: 0, &events) }
        case .chunked:
            if chunks.skip(count) { skipped = count }
        case .idle, .emptyLine, .head, .paused, .searching:
            break
        }
        streamOffset = streamOffset.advanced(past: skipped)
        return skipped
    }

    /// Abandons the current message, since `count` bytes at an uncertain place are missing, and
    /// looks for the next start line from here on.
    ///
    /// Also continues after a failure that way. Bytes that are skipped give no events, and a start
    /// line counts only if a field or the end of the head follows it: of requests one with a target
    /// and `HTTP/1.0` or `HTTP/1.1`, of responses one with such a version and a status in
    /// 100...599. Lines are inspected up to 16 KiB. After the end of the direction, nothing
    /// changes.
    ///
    /// - Parameters:
    ///   - count: How many bytes are missing.
    ///   - unread: How many of the bytes taken last will be given to it again, which have come as
    ///     `opaque` after a failure.
    public mutating func lose(_ count: Int64, givingBack unread: Int = 0) {
        guard phase != .ended else { return }
        streamOffset = (streamOffset - Int64(unread)).advanced(past: count)
        scanner = HTTPHeadScanner()
        failedHead = nil
        seen.removeAll()
        pausesAtEnd = false
        search = HTTPStartLineSearch(role, at: streamOffset)
        phase = .searching
    }
}
