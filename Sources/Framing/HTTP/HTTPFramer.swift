/// Finds the messages in one direction of an HTTP/1.1 connection.
///
/// Processes bytes in any portions and reports where heads, content, trailers and messages begin
/// and end; the result does not depend on the portions. Changes nothing, copies nothing but heads
/// and trailers, and buffers no more than ``HTTPLimits`` allow. Oddities are framed as servers most
/// likely read them and noted; what cannot be framed ends the framing of this direction with a
/// ``HTTPEvent/failure(_:)``, after which all bytes come as ``HTTPEvent/opaque(_:)``.
///
/// The framer pauses where the protocol may change: after a request with `CONNECT` or one for an
/// upgrade, after a 101 response and a 2xx response to `CONNECT`. It then takes no bytes until
/// ``resume(_:)`` sets what follows.
///
/// Where bytes are missing from what was seen, ``skip(_:into:)`` continues if their place is
/// certain, and ``lose(_:)`` looks for the next start line if it is not.
///
/// Source: RFC 9112.
public struct HTTPFramer: Sendable {
    @usableFromInline enum Phase: Sendable {
        /// Between messages.
        case idle
        /// Between messages, after a CR that an LF should follow.
        case emptyLine
        /// In a head.
        case head
        /// In content of a known length, `remaining` bytes of which are to come.
        case length
        /// In content that continues until the direction ends.
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

    /// The maximum number of bytes before the last one taken at which a start line found after
    /// missing bytes begins.
    public static let maxSearched: Int64 = 64 * 1024

    private static let nothing: [UInt8] = []
    private static let carriageReturn: [UInt8] = [0x0D]

    /// Which kind of message the direction carries.
    public let role: HTTPRole
    /// Whether ``failedHead`` is kept, which is needed only to show invalid heads.
    public var keepsFailedHead = false
    /// The head that could not be framed, once one could not.
    public internal(set) var failedHead: HTTPFailedHead?
    /// Number of bytes taken so far.
    public internal(set) var streamOffset: Int64 = 0
    private let limits: HTTPLimits
    @usableFromInline var phase = Phase.idle
    var scanner = HTTPHeadScanner()
    private var headStart: Int64 = 0
    var chunks: HTTPChunkReader
    var remaining: Int64 = 0
    var pausesAtEnd = false
    @usableFromInline var seen = HTTPNoteList()
    @usableFromInline var expected = HTTPExpectations()
    /// Set only while a start line is looked for, which most directions never need.
    var search: HTTPStartLineSearch?

    /// A framer at the start of a direction, or after a message after which it pauses.
    ///
    /// `offset` is the number of bytes that were taken before it.
    public init(
        role: HTTPRole, limits: HTTPLimits = HTTPLimits(), isPaused: Bool = false,
        at offset: Int64 = 0
    ) {
        self.role = role
        self.limits = limits
        if isPaused { phase = .paused }
        chunks = HTTPChunkReader(limits: limits)
        streamOffset = offset
    }

    /// Offset of the first byte that an event to come may refer to.
    ///
    /// It is the next byte, unless a head or a line is in progress or a start line is looked for.
    public var pendingOffset: Int64 {
        switch phase {
        case .idle, .length, .untilEnd, .paused, .opaque, .ended: streamOffset
        // The last byte may turn out to be a CR without an LF, and trailers are judged together.
        case .emptyLine: streamOffset - 1
        case .chunked: streamOffset - Int64(max(1, chunks.heldBytes))
        case .head: headStart
        case .searching: streamOffset - Self.maxSearched
        }
    }

    /// Sets what the next response without a predecessor answers.
    ///
    /// Called once per request, in order, before the response's first byte; a response without it
    /// counts as one to ``HTTPRequestKind/other``.
    public mutating func expect(_ request: HTTPRequestKind) { expected.append(request) }

    /// Takes back an expectation: the request was not sent after all.
    ///
    /// - Parameter index: Its place among those whose response has not begun, from 0.
    public mutating func withdrawExpectation(at index: Int) { expected.remove(at: index) }

    /// Sets what the responses whose heads are still to come answer, replacing earlier calls.
    ///
    /// - Parameters:
    ///   - requests: What the next ones answer, in order.
    ///   - otherwise: What further responses answer.
    public mutating func expectOnly(
        _ requests: [HTTPRequestKind], otherwise: HTTPRequestKind = .other
    ) {
        expected = HTTPExpectations(otherwise: otherwise)
        for request in requests { expected.append(request) }
    }

    /// Continues after a pause.
    ///
    /// ``HTTPResumption/tunnel`` is heeded at any time, since a server may change the protocol
    /// before the request is complete; ``HTTPResumption/http`` only in a pause.
    public mutating func resume(_ resumption: HTTPResumption) {
        switch (resumption, phase) {
        case (_, .ended), (_, .opaque): break
        case (.tunnel, _): giveUp()
        case (.http, .paused): phase = .idle
        case (.http, _): break
        }
    }

    /// Processes bytes that follow those of the call before.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - events: Gains what was found, with indices relative to `bytes`.
    ///   - messages: How many messages may begin at most.
    ///   - known: Heads that this and other framers read before; nil where they are not kept.
    /// - Returns: How many bytes were taken: all, or those before a pause or a message too many.
    public mutating func consume(
        _ bytes: borrowing Span<UInt8>, into events: inout [HTTPEvent],
        beginning messages: Int = .max, known: HTTPKnownHeads? = nil
    ) -> Int {
        var (position, begun) = (0, 0)
        scanning: while position < bytes.count {
            switch phase {
            case .paused:
                break scanning
            case .idle where begun >= messages:
                break scanning
            case .searching:
                findStartLine(bytes, &position, &events)
            case .opaque, .ended:
                events.append(.opaque(position..<bytes.count))
                position = bytes.count
            case .idle, .emptyLine:
                skipEmptyLine(bytes, &position, &events)
                if phase == .head { begun += 1 }
            case .head:
                readHead(bytes, &position, known, &events)
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

    /// Abandons an incomplete head, because it will not be finished; the direction fails.
    ///
    /// Nothing happens where no head is in progress.
    public mutating func cutHead(into events: inout [HTTPEvent]) {
        guard isInHead else { return }
        failHead(.cutInHead(offset: streamOffset), Self.nothing.span, 0..<0, &events)
    }

    /// Ends framing: everything that follows is opaque, and nothing is buffered.
    public mutating func giveUp() {
        guard phase != .ended else { return }
        phase = .opaque
        scanner = HTTPHeadScanner()
        chunks = HTTPChunkReader(limits: limits)
        search = nil
    }

    /// Discards ``failedHead``.
    public mutating func forgetFailedHead() { failedHead = nil }

    /// The received part of the incomplete head; nil where there is none.
    public var headSoFar: HTTPFailedHead? {
        isInHead ? scanner.failed(role, start: headStart, Self.nothing.span, 0..<0) : nil
    }

    /// Notes the end of the stream.
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

    private mutating func findStartLine(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, _ events: inout [HTTPEvent]
    ) {
        guard let found = search?.consume(bytes, position: &position) else { return }
        search = nil
        phase = .head
        headStart = found.start
        let limit = limits.maxHeadBytes
        guard !found.held.isEmpty else { return }
        // These are less than a head, since the line that proved the start line came later.
        _ = scanner.scan(role, found.held.span, from: 0, to: found.held.count)
        guard found.held.count >= limit else { return }
        failHead(
            .headTooLong(limit: limit, offset: headStart + Int64(limit)), bytes, 0..<0, &events)
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
            headStart = offset - 1
            failHead(.startLine(offset: headStart), Self.carriageReturn.span, 0..<1, &events)
        default:
            headStart = offset
            phase = .head
        }
    }

    private mutating func readHead(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, _ known: HTTPKnownHeads?,
        _ events: inout [HTTPEvent]
    ) {
        let held = scanner.held.count
        if held == 0, let known, let head = known.head(in: bytes, at: position), isNext(head) {
            position += head.parts.bytes.count
            return pass(head, end: position, &events)
        }
        let end = min(bytes.count, position + limits.maxHeadBytes - held)
        if let index = HTTPStartLine.firstImpossible(
            role, in: bytes, position..<end, seen: held)
        {
            failHead(.startLine(offset: headStart), bytes, position..<index, &events)
            position = index
            return
        }
        switch scanner.scan(role, bytes, from: position, to: end) {
        case .more:
            position = end
            guard scanner.held.count >= limits.maxHeadBytes else { return }
            let offset = streamOffset + Int64(position)
            failHead(
                .headTooLong(limit: limits.maxHeadBytes, offset: offset), bytes, 0..<0, &events)
        case .noStartLine(let end):
            failHead(.startLine(offset: headStart), bytes, position..<end, &events)
            position = end
        case .complete(let end):
            guard scanner.lines <= limits.maxFields else {
                let error = HTTPFramingError.tooManyFields(
                    limit: limits.maxFields, offset: headStart)
                failHead(error, bytes, position..<end, &events)
                position = end
                return
            }
            let raw = scanner.takeBytes(bytes, position..<end)
            let head = HTTPReadHead(role, raw, scanner, answering: expected.upcoming)
            scanner = HTTPHeadScanner()
            known?.keep(head)
            position = end
            pass(head, end: end, &events)
        }
    }

    /// Whether a head that was read by another framer is one that this would read in the same way.
    private func isNext(_ head: HTTPReadHead) -> Bool {
        head.parts.role == role && head.parts.bytes.count <= limits.maxHeadBytes
            && head.lines <= limits.maxFields
            && (role == .request || head.isInterim || head.kind == expected.upcoming)
    }

    /// Goes on behind a head.
    private mutating func pass(_ head: HTTPReadHead, end: Int, _ events: inout [HTTPEvent]) {
        if role == .response, !head.isInterim { _ = expected.next() }
        pausesAtEnd = head.mayChangeProtocol
        events.append(.head(HTTPHead(head.parts, start: headStart), end: end))
        for item in head.notes.items where seen.insert(item.note, headStart + item.offset) {
            events.append(.note(item.note, offset: headStart + item.offset))
        }
        if head.hasUnknownEnd {
            seen.removeAll()
            search = HTTPStartLineSearch(role, at: streamOffset + Int64(end))
            phase = .searching
        } else {
            begin(head.framing, at: end, &events)
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

    mutating func finish(at index: Int, _ events: inout [HTTPEvent]) {
        events.append(.end(at: index))
        phase = pausesAtEnd ? .paused : .idle
        pausesAtEnd = false
        seen.removeAll()
    }

    /// Fails in a head of which the bytes of `range` were not buffered yet.
    private mutating func failHead(
        _ error: HTTPFramingError, _ bytes: borrowing Span<UInt8>, _ range: Range<Int>,
        _ events: inout [HTTPEvent]
    ) {
        if keepsFailedHead {
            failedHead = scanner.failed(role, start: headStart, bytes, range)
        }
        fail(error, &events)
    }

    private mutating func fail(_ error: HTTPFramingError, _ events: inout [HTTPEvent]) {
        events.append(.failure(error))
        phase = .opaque
        scanner = HTTPHeadScanner()
    }

}
