/// Finds the messages in one direction of an HTTP/1.1 connection.
///
/// Takes bytes in any portions and says where heads, content, trailers and messages begin and end;
/// the result does not depend on the portions. Changes nothing, copies nothing but heads and
/// trailers, and holds no more than ``HTTPLimits`` allow. What is odd is framed as servers most
/// likely read it and noted; what cannot be framed ends the framing of this direction with a
/// ``HTTPEvent/failure(_:)``, after which all bytes come as ``HTTPEvent/opaque(_:)``.
///
/// The framer pauses where the protocol may change: after a request with `CONNECT` or one that
/// asks for an upgrade, after a 101 response and a 2xx response to `CONNECT`. It then takes no
/// bytes until ``resume(_:)`` says what follows.
///
/// Where bytes are missing from what was seen, ``skip(_:into:)`` goes on if their place is certain,
/// and ``lose(_:)`` looks for the next start line if it is not.
///
/// Source: RFC 9112.
public struct HTTPFramer: Sendable {
    private enum Phase: Sendable {
        /// Between messages.
        case idle
        /// Between messages, after a CR that an LF should follow.
        case emptyLine
        /// In a head.
        case head
        /// In content of a known length, `remaining` bytes of which are to come.
        case length
        /// In content that goes on until the direction ends.
        case untilEnd
        /// In chunked content.
        case chunked
        /// After a message that may have changed the protocol.
        case paused
        /// After a failure or a change of protocol.
        case opaque
        /// After missing bytes, before the next start line.
        case searching
        /// After the end of the direction.
        case ended
    }

    /// Most bytes before the last one taken that a start line found behind missing bytes begins at.
    public static let mostSearched: Int64 = 64 * 1024

    /// Which kind of message the direction carries.
    public let role: HTTPRole
    /// Number of bytes taken so far.
    public private(set) var streamOffset: Int64 = 0
    private let limits: HTTPLimits
    private var phase = Phase.idle
    private var scanner = HTTPHeadScanner()
    private var headStart: Int64 = 0
    private var chunks: HTTPChunkReader
    private var remaining: Int64 = 0
    private var pausesAtEnd = false
    private var seen = HTTPNoteList()
    private var expected = HTTPExpectations()
    /// There only while a start line is looked for, which most directions never need.
    private var search: HTTPStartLineSearch?

    /// A framer at the start of a direction.
    public init(role: HTTPRole, limits: HTTPLimits = HTTPLimits()) {
        self.role = role
        self.limits = limits
        chunks = HTTPChunkReader(limits: limits)
    }

    /// Whether the framer waits for ``resume(_:)``.
    public var isPaused: Bool { phase == .paused }

    /// Whether all messages begun are complete, and nothing of the next has come.
    public var isBetweenMessages: Bool { phase == .idle || phase == .paused }

    /// Whether the bytes that follow are not framed any more.
    public var isOpaque: Bool { phase == .opaque }

    /// Whether bytes are missing and no start line has been found behind them yet.
    public var isSearching: Bool { phase == .searching }

    /// Offset of the first byte that an event to come may refer to.
    ///
    /// It is the next byte, unless a head or a line is under way or a start line is looked for.
    public var pendingOffset: Int64 {
        switch phase {
        case .idle, .length, .untilEnd, .paused, .opaque, .ended: streamOffset
        // The last byte may turn out to be a CR without an LF.
        case .emptyLine, .chunked: streamOffset - 1
        case .head: headStart
        case .searching: streamOffset - Self.mostSearched
        }
    }

    /// Says what the next response without a predecessor answers.
    ///
    /// Called once per request, in order, before the response's first byte; a response that
    /// nothing was said about counts as one to ``HTTPRequestKind/other``.
    public mutating func expect(_ request: HTTPRequestKind) { expected.append(request) }

    /// Says what the responses whose heads are still to come answer, whatever was said before.
    ///
    /// - Parameters:
    ///   - requests: What the next ones answer, in order.
    ///   - otherwise: What those behind them answer that nothing is said about.
    public mutating func expectOnly(
        _ requests: [HTTPRequestKind], otherwise: HTTPRequestKind = .other
    ) {
        expected = HTTPExpectations(otherwise: otherwise)
        for request in requests { expected.append(request) }
    }

    /// Goes on after a pause.
    ///
    /// ``HTTPResumption/tunnel`` is heeded at any time, since a server may change the protocol
    /// before the request is complete; ``HTTPResumption/http`` only in a pause.
    public mutating func resume(_ resumption: HTTPResumption) {
        switch (resumption, phase) {
        case (_, .ended), (_, .opaque): break
        case (.tunnel, _): phase = .opaque
        case (.http, .paused): phase = .idle
        case (.http, _): break
        }
    }

    /// Takes bytes that follow those of the call before.
    ///
    /// - Parameters:
    ///   - bytes: The bytes, as many as there are.
    ///   - events: Gains what was found, with indices relative to `bytes`.
    /// - Returns: How many bytes were taken: all, or those before a pause.
    public mutating func consume(
        _ bytes: borrowing Span<UInt8>, into events: inout [HTTPEvent]
    ) -> Int {
        var position = 0
        scanning: while position < bytes.count {
            switch phase {
            case .paused:
                break scanning
            case .searching:
                findStartLine(bytes, &position, &events)
            case .opaque, .ended:
                events.append(.opaque(position..<bytes.count))
                position = bytes.count
            case .idle, .emptyLine:
                skipEmptyLine(bytes, &position, &events)
            case .head:
                readHead(bytes, &position, &events)
            case .untilEnd:
                events.append(.content(position..<bytes.count))
                position = bytes.count
            case .length:
                let count = Int(min(remaining, Int64(bytes.count - position)))
                events.append(.content(position..<position + count))
                position += count
                remaining -= Int64(count)
                if remaining == 0 { finish(at: position, &events) }
            case .chunked:
                let progress = chunks.consume(
                    bytes, position: &position, base: streamOffset, seen: &seen, into: &events)
                switch progress {
                case .more: break
                case .done: finish(at: position, &events)
                case .failed(let error): fail(error, &events)
                }
            }
        }
        streamOffset += Int64(position)
        return position
    }

    /// Says that no more bytes will come.
    ///
    /// Completes content that lasts until the end; anything else that is not complete is a
    /// ``HTTPEvent/failure(_:)``. Indices in the events are 0.
    public mutating func endOfStream(into events: inout [HTTPEvent]) {
        switch phase {
        case .idle, .paused, .opaque, .searching, .ended: break
        case .untilEnd: finish(at: 0, &events)
        case .emptyLine, .head: events.append(.failure(.cutInHead(offset: streamOffset)))
        case .length:
            events.append(.failure(.cutInContent(missing: remaining, offset: streamOffset)))
        case .chunked: events.append(.failure(.cutInChunks(offset: streamOffset)))
        }
        phase = .ended
        scanner = HTTPHeadScanner()
        search = nil
    }

    /// Passes over bytes that are missing from what was seen, as far as their place is certain.
    ///
    /// It is certain inside content: as many as the content still has by its `Content-Length`, all
    /// of them where they lie inside one chunk of the chunked coding or where the content goes on
    /// until the end of the direction, and all of them where nothing is framed any more. The events
    /// are those that the bytes themselves would give, apart from `content` and `opaque`.
    ///
    /// - Parameters:
    ///   - count: How many bytes are missing here.
    ///   - events: Gains the end of the message where that is reached; indices are 0.
    /// - Returns: How many of them were passed over, in 0...count. Where that is less than `count`,
    ///   ``lose(_:)`` has to be told about the rest.
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

    /// Gives up what is under way, since `count` bytes of no certain place are missing, and looks
    /// for the next start line from here on.
    ///
    /// Also goes on after a failure that way. Bytes that are passed over give no events, and a
    /// start line counts only if a field or the end of the head follows it: of requests one with a
    /// target and `HTTP/1.0` or `HTTP/1.1`, of responses one with such a version and a status in
    /// 100...599. Lines are looked at up to 16 KiB. After the end of the direction, nothing changes.
    ///
    /// - Parameters:
    ///   - count: How many bytes are missing.
    ///   - unread: How many of the bytes taken last will be given to it again, which have come as
    ///     `opaque` after a failure.
    public mutating func lose(_ count: Int64, givingBack unread: Int = 0) {
        guard phase != .ended else { return }
        streamOffset = (streamOffset - Int64(unread)).advanced(past: count)
        scanner = HTTPHeadScanner()
        seen.removeAll()
        pausesAtEnd = false
        search = HTTPStartLineSearch(role, at: streamOffset)
        phase = .searching
    }

    private mutating func findStartLine(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, _ events: inout [HTTPEvent]
    ) {
        guard let found = search?.consume(bytes, position: &position) else { return }
        search = nil
        phase = .head
        headStart = found.start
        let limit = limits.maxHeadBytes
        guard found.held.count < limit else {
            fail(.headTooLong(limit: limit, offset: headStart + Int64(limit)), &events)
            return
        }
        guard !found.held.isEmpty else { return }
        // These are less than a head, since the line that proved the start line came later.
        _ = scanner.scan(role, found.held.span, from: 0, to: found.held.count)
    }

    private mutating func skipEmptyLine(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, _ events: inout [HTTPEvent]
    ) {
        let offset = streamOffset + Int64(position)
        switch (bytes[position], phase) {
        case (0x0A, _):
            if seen.insert(.leadingEmptyLine, offset) {
                events.append(.note(.leadingEmptyLine, offset: offset))
            }
            phase = .idle
            position += 1
        case (0x0D, .idle):
            phase = .emptyLine
            position += 1
        case (_, .emptyLine):
            fail(.startLine(offset: offset - 1), &events)
        default:
            headStart = offset
            phase = .head
        }
    }

    private mutating func readHead(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, _ events: inout [HTTPEvent]
    ) {
        let held = scanner.held.count
        let end = min(bytes.count, position + limits.maxHeadBytes - held)
        if let index = HTTPStartLine.firstImpossible(
            role, in: bytes, position..<end, seen: held)
        {
            position = index
            fail(.startLine(offset: headStart), &events)
            return
        }
        switch scanner.scan(role, bytes, from: position, to: end) {
        case .more:
            position = end
            guard scanner.held.count >= limits.maxHeadBytes else { return }
            let offset = streamOffset + Int64(position)
            fail(.headTooLong(limit: limits.maxHeadBytes, offset: offset), &events)
        case .noStartLine(let end):
            position = end
            fail(.startLine(offset: headStart), &events)
        case .complete(let end):
            let raw = scanner.takeBytes(bytes, position..<end)
            position = end
            completeHead(raw, end: end, &events)
        }
    }

    private mutating func completeHead(
        _ raw: [UInt8], end: Int, _ events: inout [HTTPEvent]
    ) {
        guard scanner.lines <= limits.maxFields else {
            fail(.tooManyFields(limit: limits.maxFields, offset: headStart), &events)
            return
        }
        var notes = scanner.notes
        var reader = HTTPFieldReader()
        reader.read(
            raw.span, from: scanner.startLineEnd, lines: scanner.lines, notes: &notes)
        let landmarks = reader.landmarks
        let head = HTTPHead(
            role: role, bytes: raw, start: headStart, line: scanner.startLine,
            fields: reader.fields)
        scanner = HTTPHeadScanner()

        let framing: HTTPBodyFraming
        var isInterim = false
        var isUnknown = false
        switch role {
        case .request:
            let kind = HTTPRequestKind(head)
            HTTPHostCheck.run(head, landmarks, notes: &notes)
            framing = .ofRequest(head, landmarks, notes: &notes)
            pausesAtEnd = kind == .connect || asksForUpgrade(head, landmarks)
        case .response:
            let status = head.status ?? 0
            isInterim = (100..<200).contains(status) && status != 101
            let kind = isInterim ? .other : expected.next()
            isUnknown = kind == .unknown && status != 101
            framing = .ofResponse(head, landmarks, to: kind, notes: &notes)
            pausesAtEnd =
                status == 101 || (kind == .connect && (200..<300).contains(status))
        }

        events.append(.head(head, end: end))
        for item in notes.items where seen.insert(item.note, headStart + item.offset) {
            events.append(.note(item.note, offset: headStart + item.offset))
        }
        if isUnknown {
            seen.removeAll()
            search = HTTPStartLineSearch(role, at: streamOffset + Int64(end))
            phase = .searching
        } else {
            begin(framing, at: end, &events)
        }
    }

    private mutating func begin(
        _ framing: HTTPBodyFraming, at end: Int, _ events: inout [HTTPEvent]
    ) {
        switch framing {
        case .none, .length(0):
            finish(at: end, &events)
        case .length(let count):
            remaining = count
            phase = .length
        case .chunked:
            chunks = HTTPChunkReader(limits: limits)
            phase = .chunked
        case .untilEnd:
            phase = .untilEnd
        case .unreadable(let offset):
            fail(.contentLength(offset: headStart + Int64(offset)), &events)
        case .overflow(let offset):
            fail(.contentLengthOverflow(offset: headStart + Int64(offset)), &events)
        }
    }

    private mutating func finish(at index: Int, _ events: inout [HTTPEvent]) {
        events.append(.end(at: index))
        phase = pausesAtEnd ? .paused : .idle
        pausesAtEnd = false
        seen.removeAll()
    }

    private mutating func fail(_ error: HTTPFramingError, _ events: inout [HTTPEvent]) {
        events.append(.failure(error))
        phase = .opaque
        scanner = HTTPHeadScanner()
    }

    private func asksForUpgrade(_ head: HTTPHead, _ landmarks: HTTPLandmarks) -> Bool {
        landmarks.hasUpgrade && landmarks.hasConnection
            && head.contains(token: "upgrade", in: "connection")
    }
}
