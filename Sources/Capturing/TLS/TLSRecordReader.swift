/// Cuts what one side of a connection sent into records, and finds them again after a gap.
///
/// Keeps no more than one record and the bytes of one call. How the bytes are divided makes no
/// difference.
struct TLSRecordReader: Sendable {
    /// What comes out.
    enum Item: Sendable {
        /// A record whose bytes are all there.
        case record(TLSRecord)
        /// Bytes that belong to no whole record: captured ones, and ones that were not.
        case torn(captured: Int64, missing: Int64)
        /// What follows is not a record, though nothing is missing.
        case garbled
    }

    /// What the next byte is.
    private enum Step {
        /// The first of a record.
        case record
        /// One of a record of which others are missing; as many are still to come.
        case rest(Int)
        /// Anything: the next record has to be found.
        case anything
    }

    private var buffer: [UInt8] = []
    /// What was taken from the front of the buffer.
    private var start = 0
    private var step = Step.record
    /// Bytes of the record that was returned last, which is judged before the next is requested.
    private var given = 0
    private var captured: Int64 = 0
    private var missing: Int64 = 0
    private var at: Int64 = 0

    /// Whether no part of a record waits for the rest.
    var isEmpty: Bool { start + given == buffer.count && captured == 0 && missing == 0 }

    /// Processes bytes as they follow.
    mutating func consume(_ bytes: ArraySlice<UInt8>, atUnixNanoseconds: Int64) {
        at = atUnixNanoseconds
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            start = 0
        } else if start > 1 << 16 {
            buffer.removeSubrange(..<start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// Notes that `count` bytes are missing before those that follow.
    ///
    /// All items were read before.
    mutating func lose(_ count: Int64) {
        missing += count
        let kept = buffer.count - start
        switch step {
        case .record where kept >= TLSRecord.headerCount:
            // The header has the start of the next record.
            let length = TLSRecord.length(buffer[start...], isSearched: false) ?? 0
            step = rest(of: TLSRecord.headerCount + length - kept, without: count)
        case .rest(let left): step = rest(of: left, without: count)
        case .record, .anything: step = .anything
        }
        captured += Int64(kept)
        start = buffer.count
    }

    /// What comes after `count` bytes, when `left` are left of a record.
    private func rest(of left: Int, without count: Int64) -> Step {
        guard count <= left else { return .anything }
        return count == left ? .record : .rest(left - Int(count))
    }

    /// The next item, nil where more bytes are needed.
    mutating func next() -> Item? {
        if given > 0 {
            start += given
            given = 0
            step = .record
        }
        if case .rest(let left) = step {
            let count = min(left, buffer.count - start)
            start += count
            captured += Int64(count)
            step = count == left ? .record : .rest(left - count)
        }
        if case .anything = step { search() }
        // What was skipped is reported first, once its end is known.
        if case .rest = step { return nil }
        let available = buffer.count - start
        guard available >= TLSRecord.headerCount else { return nil }
        let isFound = if case .anything = step { true } else { false }
        guard let length = TLSRecord.length(buffer[start...], isSearched: isFound),
            let type = TLSRecord.ContentType(rawValue: buffer[start])
        else {
            step = .anything
            return .garbled
        }
        if captured > 0 || missing > 0 { return torn() }
        let count = TLSRecord.headerCount + length
        guard available >= count else { return nil }
        given = count
        let version = UInt16(buffer[start + 1]) << 8 | UInt16(buffer[start + 2])
        return .record(
            TLSRecord(
                type: type, version: version,
                fragment: buffer[start + TLSRecord.headerCount..<start + count],
                atUnixNanoseconds: at, isFound: isFound))
    }

    /// Revokes the record that was returned last: it was not a record.
    mutating func reject() {
        guard given > 0 else { return }
        given = 0
        start += 1
        captured += 1
        step = .anything
    }

    /// What is left at the end, in captured and missing bytes; whether a record was cut short.
    mutating func finish() -> Item? {
        captured += Int64(buffer.count - start)
        start = buffer.count
        return captured > 0 || missing > 0 ? torn() : nil
    }

    /// Skips bytes until a record may begin.
    private mutating func search() {
        let before = start
        while buffer.count - start >= TLSRecord.headerCount,
            TLSRecord.length(buffer[start...], isSearched: true) == nil
        {
            start += 1
        }
        captured += Int64(start - before)
    }

    /// What was skipped, which is reported once.
    private mutating func torn() -> Item {
        defer { (captured, missing) = (0, 0) }
        return .torn(captured: captured, missing: missing)
    }
}
