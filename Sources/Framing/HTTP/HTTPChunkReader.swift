import Notation

/// Takes the chunked transfer coding off.
///
/// Source: RFC 9112, 7.1. Sizes that lenient parsers read are read and noted.
struct HTTPChunkReader: Sendable {
    /// The result of a call.
    enum Progress: Equatable {
        /// All bytes are taken and more must come.
        case more
        /// The last chunk and the trailer section are complete.
        case done
        /// The coding is invalid.
        case failed(HTTPFramingError)
    }

    private enum State {
        /// Before the first digit of a size.
        case sizeStart
        /// Within the digits of a size.
        case size
        /// In whitespace after a size.
        case sizeSpace
        /// In extensions.
        case extensions
        /// After the CR of a size line.
        case sizeLineFeed
        /// After a CR in extensions.
        case extensionLineFeed
        /// In a chunk's content.
        case content
        /// Before the line ending of a chunk.
        case chunkEnd
        /// After the CR of a chunk's line ending.
        case chunkLineFeed
        /// In the trailer section.
        case trailers
    }

    private var state = State.sizeStart
    private var remaining: UInt64 = 0
    /// Digits of the size, a sign or `0x` not counted.
    private var digits = 0
    private var lineBytes = 0
    private var extensions = HTTPChunkExtensions()
    private var trailers: [UInt8] = []
    private var trailerLine = 0
    private let limits: HTTPLimits

    init(limits: HTTPLimits) { self.limits = limits }

    /// Processes bytes from `position` on.
    ///
    /// - Parameters:
    ///   - span: The bytes.
    ///   - position: Moves after what was taken.
    ///   - base: Offset in the direction of the first byte of `span`.
    ///   - seen: The notes of this message.
    ///   - events: Gains what was found.
    /// - Returns: The result.
    mutating func consume(
        _ span: borrowing Span<UInt8>, position: inout Int, base: Int64,
        seen: inout HTTPNoteList, into events: inout [HTTPEvent]
    ) -> Progress {
        while position < span.count {
            switch state {
            case .content:
                let count = Int(min(remaining, UInt64(span.count - position)))
                events.append(.content(position..<position + count))
                position += count
                remaining -= UInt64(count)
                if remaining == 0 { state = .chunkEnd }
            case .trailers:
                let progress = readTrailers(
                    span, position: &position, base: base, seen: &seen, into: &events)
                if progress != .more { return progress }
            case .chunkEnd, .chunkLineFeed:
                let offset = base + Int64(position)
                switch (span[position], state) {
                case (0x0D, .chunkEnd):
                    state = .chunkLineFeed
                case (0x0A, _):
                    if case .chunkEnd = state {
                        note(.bareLineFeed, offset, seen: &seen, into: &events)
                    }
                    beginSize()
                default:
                    return .failed(.chunkEnd(offset: offset))
                }
                position += 1
            default:
                let offset = base + Int64(position)
                if let failure = readSize(span[position], offset, &seen, &events) {
                    return .failed(failure)
                }
                position += 1
                lineBytes += 1
                if lineBytes > limits.maxChunkLineBytes {
                    return .failed(
                        .chunkLineTooLong(limit: limits.maxChunkLineBytes, offset: offset + 1))
                }
            }
        }
        return .more
    }

    /// Number of bytes of the trailer section that are buffered.
    var heldBytes: Int { trailers.count }

    /// Skips `count` bytes of content that are missing.
    ///
    /// - Returns: Whether they are inside the current chunk; if not, nothing changes.
    mutating func skip(_ count: Int64) -> Bool {
        guard case .content = state, count >= 0, UInt64(count) <= remaining else { return false }
        remaining -= UInt64(count)
        if remaining == 0 { state = .chunkEnd }
        return true
    }

    private mutating func beginSize() {
        state = .sizeStart
        remaining = 0
        digits = 0
        lineBytes = 0
    }

    private func note(
        _ note: HTTPNote, _ offset: Int64, seen: inout HTTPNoteList,
        into events: inout [HTTPEvent]
    ) {
        if seen.insert(note, offset) { events.append(.note(note, offset: offset)) }
    }

    private mutating func readSize(
        _ byte: UInt8, _ offset: Int64, _ seen: inout HTTPNoteList, _ events: inout [HTTPEvent]
    ) -> HTTPFramingError? {
        switch state {
        case .sizeStart, .size:
            if let value = Hexadecimal.digit(byte) {
                guard remaining <= UInt64(Int64.max) >> 4 else {
                    return .chunkSizeOverflow(offset: offset)
                }
                remaining = remaining << 4 | UInt64(value)
                // Saturates: leading zeros may continue for as long as the line may.
                digits = min(digits + 1, 17)
                if digits == 17 { note(.chunkSize, offset, seen: &seen, into: &events) }
                state = .size
                return nil
            }
            if case .sizeStart = state, byte.isSpace || (byte == 0x2B && lineBytes == 0) {
                note(.chunkSize, offset, seen: &seen, into: &events)
                return nil
            }
            if byte | 0x20 == 0x78, digits == 1, remaining == 0, lineBytes == 1 {
                note(.chunkSize, offset, seen: &seen, into: &events)
                digits = 0
                state = .sizeStart
                return nil
            }
            guard digits > 0 else { return .chunkSize(offset: offset) }
            return afterSize(byte, offset, &seen, &events)
        case .sizeSpace:
            return afterSize(byte, offset, &seen, &events)
        case .sizeLineFeed:
            guard byte == 0x0A else { return .chunkSize(offset: offset) }
            endSizeLine()
        case .extensionLineFeed:
            if byte == 0x0A {
                endExtensions(offset, &seen, &events)
            } else {
                note(.bareCarriageReturn, offset - 1, seen: &seen, into: &events)
                if byte != 0x0D {
                    extensions.take(byte)
                    state = .extensions
                }
            }
        default:
            if byte == 0x0A {
                note(.bareLineFeed, offset, seen: &seen, into: &events)
                endExtensions(offset, &seen, &events)
            } else if byte == 0x0D {
                state = .extensionLineFeed
            } else {
                extensions.take(byte)
            }
        }
        return nil
    }

    private mutating func afterSize(
        _ byte: UInt8, _ offset: Int64, _ seen: inout HTTPNoteList, _ events: inout [HTTPEvent]
    ) -> HTTPFramingError? {
        switch byte {
        case 0x0D:
            state = .sizeLineFeed
        case 0x0A:
            note(.bareLineFeed, offset, seen: &seen, into: &events)
            endSizeLine()
        case 0x3B:
            extensions = HTTPChunkExtensions()
            state = .extensions
        case 0x20, 0x09:
            note(.chunkSize, offset, seen: &seen, into: &events)
            state = .sizeSpace
        default:
            return .chunkSize(offset: offset)
        }
        return nil
    }

    private mutating func endExtensions(
        _ offset: Int64, _ seen: inout HTTPNoteList, _ events: inout [HTTPEvent]
    ) {
        if !extensions.isValid { note(.chunkExtension, offset, seen: &seen, into: &events) }
        endSizeLine()
    }

    private mutating func endSizeLine() {
        state = remaining == 0 ? .trailers : .content
    }

    private mutating func readTrailers(
        _ span: borrowing Span<UInt8>, position: inout Int, base: Int64,
        seen: inout HTTPNoteList, into events: inout [HTTPEvent]
    ) -> Progress {
        let end = min(span.count, position + limits.maxHeadBytes - trailers.count)
        let lineFeed = span.firstIndex(of: 0x0A, in: position..<end)
        let next = min(lineFeed + 1, end)
        trailers.append(span, position..<next)
        position = next
        guard lineFeed < end else {
            guard trailers.count >= limits.maxHeadBytes else { return .more }
            return .failed(
                .trailersTooLong(limit: limits.maxHeadBytes, offset: base + Int64(position)))
        }
        let line = trailers.count - 1 - trailerLine
        let endsInCR = line > 0 && trailers[trailers.count - 2] == 0x0D
        if !endsInCR {
            note(.bareLineFeed, base + Int64(lineFeed), seen: &seen, into: &events)
        }
        guard line == 0 || (line == 1 && endsInCR) else {
            trailerLine = trailers.count
            guard trailers.count >= limits.maxHeadBytes else { return .more }
            return .failed(
                .trailersTooLong(limit: limits.maxHeadBytes, offset: base + Int64(position)))
        }
        if trailerLine > 0 {
            checkTrailers(base + Int64(position), &seen, &events)
            trailers.removeLast(trailers.count - trailerLine)
            events.append(.trailers(trailers, end: position))
        }
        return .done
    }

    /// Notes what is odd about the trailer section, which is complete and ends at `end`.
    private func checkTrailers(
        _ end: Int64, _ seen: inout HTTPNoteList, _ events: inout [HTTPEvent]
    ) {
        var reader = HTTPFieldReader()
        var found = HTTPNoteList()
        reader.read(trailers.span, from: 0, lines: 0, notes: &found)
        let start = end - Int64(trailers.count)
        for item in found.items {
            note(item.note, start + item.offset, seen: &seen, into: &events)
        }
    }
}
