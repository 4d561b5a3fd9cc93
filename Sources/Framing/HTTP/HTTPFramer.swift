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
        /// After the end of the direction.
        case ended
    }

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

    /// Says what the next response without a predecessor answers.
    ///
    /// Called once per request, in order, before the response's first byte; a response that
    /// nothing was said about counts as one to ``HTTPRequestKind/other``.
    public mutating func expect(_ request: HTTPRequestKind) { expected.append(request) }

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
        case .idle, .paused, .opaque, .ended: break
        case .untilEnd: finish(at: 0, &events)
        case .emptyLine, .head: events.append(.failure(.cutInHead(offset: streamOffset)))
        case .length:
            events.append(.failure(.cutInContent(missing: remaining, offset: streamOffset)))
        case .chunked: events.append(.failure(.cutInChunks(offset: streamOffset)))
        }
        phase = .ended
        scanner = HTTPHeadScanner()
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
            framing = .ofResponse(head, landmarks, to: kind, notes: &notes)
            pausesAtEnd =
                status == 101 || (kind == .connect && (200..<300).contains(status))
        }

        events.append(.head(head, end: end))
        for item in notes.items where seen.insert(item.note, headStart + item.offset) {
            events.append(.note(item.note, offset: headStart + item.offset))
        }
        begin(framing, at: end, &events)
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
