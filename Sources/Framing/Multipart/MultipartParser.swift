/// Finds the parts of a multipart body.
///
/// Processes bytes in any portions and emits content as ranges of them; only what may be the
/// beginning of a delimiter is held back. Lines may end in LF alone. What is before the first
/// delimiter and after the closing one is skipped.
///
/// Source: RFC 2046, 5.1.1; RFC 7578.
public struct MultipartParser: Sendable {
    private enum Phase: Sendable {
        /// Before the first delimiter.
        case preamble
        /// Behind a delimiter's boundary, up to the end of its line.
        case padding
        /// In the fields of a part.
        case head
        /// In the content of a part.
        case content
        /// After the closing delimiter.
        case epilogue
        /// After a failure or the end of the body.
        case over
    }

    /// Number of bytes taken so far.
    public private(set) var streamOffset: Int64 = 0
    private let limits: MultipartLimits
    private var phase = Phase.preamble
    private var matcher: MultipartDelimiter
    /// Bytes of earlier calls that the matcher has matched.
    private var held: [UInt8] = []
    private var head: [UInt8] = []
    private var headStart: Int64 = 0
    private var lineStart = 0
    private var parts = 0
    private var contentStart: Int64 = 0

    /// A parser for the body of a message with this `Content-Type`.
    ///
    /// Nil where the type is not `multipart/…` or has no usable boundary.
    public init?(contentType: String, limits: MultipartLimits = MultipartLimits()) {
        let type = ParameterizedValue.parse(contentType)
        guard type.value.lowercased().hasPrefix("multipart/"), let boundary = type["boundary"]
        else { return nil }
        self.init(boundary: boundary, limits: limits)
    }

    /// A parser for a body whose parts are separated by `boundary`.
    ///
    /// Nil where the boundary is empty, longer than 1024 bytes (RFC 2046 allows 70) or has a line
    /// break.
    ///
    /// - Parameters:
    ///   - boundary: Without the two hyphens before it.
    ///   - limits: How much is buffered and accepted.
    public init?(boundary: String, limits: MultipartLimits = MultipartLimits()) {
        guard let matcher = MultipartDelimiter(boundary: boundary) else { return nil }
        self.matcher = matcher
        self.limits = limits
    }

    /// Processes bytes that follow those of the call before.
    ///
    /// - Parameters:
    ///   - bytes: The bytes, as many as there are.
    ///   - events: Gains what was found, with ranges relative to `bytes`.
    public mutating func consume(
        _ bytes: borrowing Span<UInt8>, into events: inout [MultipartEvent]
    ) {
        var position = 0
        while position < bytes.count {
            switch phase {
            case .preamble, .content: readContent(bytes, &position, &events)
            case .padding: readPadding(bytes, &position, &events)
            case .head: readHead(bytes, &position, &events)
            case .epilogue, .over: position = bytes.count
            }
        }
        streamOffset += Int64(bytes.count)
    }

    /// Number of bytes that are buffered until more have arrived.
    public var heldBytes: Int { held.count + head.count }

    /// Notes the end of the stream.
    ///
    /// A body without its closing delimiter is a ``MultipartEvent/failure(_:)``.
    public mutating func endOfStream(into events: inout [MultipartEvent]) {
        switch phase {
        case .epilogue, .over:
            break
        case .preamble:
            events.append(
                .failure(
                    matcher.hasBoundary
                        ? .cut(offset: streamOffset) : .noBoundary(offset: streamOffset)))
        case .content:
            var end = streamOffset
            if matcher.hasBoundary {
                // Only the end of the delimiter's line is missing.
                end -= Int64(held.count)
            } else if !held.isEmpty {
                events.append(.held(held))
            }
            events.append(.partEnd(size: end - contentStart, offset: end))
            events.append(.failure(.cut(offset: streamOffset)))
        case .padding, .head:
            events.append(.failure(.cut(offset: streamOffset)))
        }
        phase = .over
        held = []
        head = []
    }

    private mutating func readContent(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, _ events: inout [MultipartEvent]
    ) {
        let start = position
        // Where the bytes that the matcher has matched begin, unless they began in `held`.
        var candidate = start
        var index = start
        while index < bytes.count {
            guard !matcher.isIdle else {
                let lineFeed = bytes.firstIndex(of: 0x0A, in: index..<bytes.count)
                if lineFeed < bytes.count {
                    let hasCR = lineFeed > index && bytes[lineFeed - 1] == 0x0D
                    candidate = hasCR ? lineFeed - 1 : lineFeed
                    matcher.beginLine()
                    index = lineFeed + 1
                } else {
                    if bytes[bytes.count - 1] == 0x0D {
                        candidate = bytes.count - 1
                        matcher.beginCR()
                    }
                    index = bytes.count
                }
                continue
            }
            let step = matcher.step(bytes[index])
            switch step {
            case .matched:
                index += 1
            case .mismatched:
                release(held, &events)
                held = []
            case .mismatchedAfterCR:
                if index > start {
                    release(held, &events)
                    held = []
                    candidate = index - 1
                } else {
                    release([UInt8](held.dropLast()), &events)
                    held = [0x0D]
                }
                matcher.beginCR()
            case .part, .partWithPadding, .close:
                let end = held.isEmpty ? candidate : start - held.count
                emit(start..<max(start, end), &events)
                held = []
                position = index + 1
                endContent(step, contentEnd: end, at: position, &events)
                return
            }
        }
        position = bytes.count
        guard !matcher.isIdle else {
            emit(start..<bytes.count, &events)
            return
        }
        if held.isEmpty { emit(start..<candidate, &events) }
        held.append(bytes, (held.isEmpty ? candidate : start)..<bytes.count)
    }

    private mutating func emit(_ range: Range<Int>, _ events: inout [MultipartEvent]) {
        if case .content = phase, !range.isEmpty { events.append(.content(range)) }
    }

    private mutating func release(_ bytes: [UInt8], _ events: inout [MultipartEvent]) {
        if case .content = phase, !bytes.isEmpty { events.append(.held(bytes)) }
    }

    /// Ends the content before a delimiter, indices being relative to the span.
    private mutating func endContent(
        _ step: MultipartDelimiter.Step, contentEnd: Int, at index: Int,
        _ events: inout [MultipartEvent]
    ) {
        if case .content = phase {
            let end = streamOffset + Int64(contentEnd)
            events.append(.partEnd(size: end - contentStart, offset: end))
        }
        switch step {
        case .close:
            events.append(.end(offset: streamOffset + Int64(index)))
            phase = .epilogue
        case .partWithPadding:
            phase = .padding
        default:
            beginHead(at: index, &events)
        }
    }

    private mutating func beginHead(at index: Int, _ events: inout [MultipartEvent]) {
        parts += 1
        guard parts <= limits.maxParts else {
            let offset = streamOffset + Int64(index)
            fail(.tooManyParts(limit: limits.maxParts, offset: offset), &events)
            return
        }
        headStart = streamOffset + Int64(index)
        head = []
        lineStart = 0
        phase = .head
    }

    private mutating func readPadding(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, _ events: inout [MultipartEvent]
    ) {
        let lineFeed = bytes.firstIndex(of: 0x0A, in: position..<bytes.count)
        position = min(lineFeed + 1, bytes.count)
        if lineFeed < bytes.count { beginHead(at: position, &events) }
    }

    private mutating func readHead(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, _ events: inout [MultipartEvent]
    ) {
        let end = min(bytes.count, position + limits.maxHeadBytes - head.count)
        let lineFeed = bytes.firstIndex(of: 0x0A, in: position..<end)
        let next = min(lineFeed + 1, end)
        head.append(bytes, position..<next)
        position = next
        if lineFeed < end {
            let line = head[lineStart...]
            if line.count == 1 || (line.count == 2 && line.first == 0x0D) {
                contentStart = streamOffset + Int64(position)
                events.append(.part(head: MultipartHead(bytes: head), offset: contentStart))
                head = []
                matcher.beginLine()
                phase = .content
                return
            }
            if matcher.begins(line) {
                fail(.delimiterInHead(offset: headStart + Int64(lineStart)), &events)
                return
            }
            lineStart = head.count
        }
        guard head.count >= limits.maxHeadBytes else { return }
        let offset = streamOffset + Int64(position)
        fail(.headTooLong(limit: limits.maxHeadBytes, offset: offset), &events)
    }

    private mutating func fail(_ error: MultipartError, _ events: inout [MultipartEvent]) {
        events.append(.failure(error))
        phase = .over
        head = []
    }
}
