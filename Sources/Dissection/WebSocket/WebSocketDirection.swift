import Framing
import Wire

/// One direction of a WebSocket: its frames, with their places in the trace.
struct WebSocketDirection {
    /// Where a message begins.
    private struct Start {
        let offset: Int64
        let place: Place
        var at: Instant
    }

    private(set) var assembler: WebSocketAssembler
    /// The chunks that frames to come may begin in.
    private(set) var places = PlaceMap()
    /// Where the data message and the control message in progress begin, which may be long ago.
    private var dataStart: Start?
    private var controlStart: Start?
    /// Numbers of the messages whose first frame has come: the data message in progress, and a
    /// control message inside it.
    var dataMessage: MessageID?
    var dataFrames = 0
    var controlMessage: MessageID?
    var isOver = false
    /// When its last bytes came.
    private(set) var lastAt: Instant?
    /// Whether bytes are missing after which no frame was found yet.
    var isLost = false
    /// Whether what is found now may precede the bytes that revealed it.
    var isLate = false
    /// Whether bytes were ever missing, so that a failure may be their doing.
    var mayRecover = false

    init(assembler: WebSocketAssembler) { self.assembler = assembler }

    /// A direction in the same state that shares nothing with this one.
    func copied() -> WebSocketDirection {
        var copy = self
        copy.assembler = assembler.copied()
        return copy
    }

    /// Whether no message is in progress.
    var isQuiet: Bool { isOver || !isLost && assembler.isBetweenMessages }

    /// Whether the next message is read as in `other`; none is in progress in either.
    func isLike(_ other: WebSocketDirection) -> Bool {
        isOver == other.isOver && mayRecover == other.mayRecover
            && assembler.compression == other.assembler.compression
            && assembler.compression?.takesContextOver(assembler.sender) != true
    }

    /// Appends the next bytes; the results can be located until ``forget()``.
    mutating func consume(_ piece: Piece, into events: inout [WebSocketEvent]) {
        places.append(piece, start: assembler.offset)
        lastAt = piece.at
        assembler.consume(piece.bytes.span, into: &events)
    }

    /// Skips missing bytes, as ``WebSocketAssembler/skip(_:into:)`` does.
    mutating func skip(_ count: Int64, into events: inout [WebSocketEvent]) -> Int64 {
        assembler.skip(count, into: &events)
    }

    /// Looks for the next frames, as ``WebSocketAssembler/lose(_:into:)`` does.
    mutating func lose(_ count: Int64, into events: inout [WebSocketEvent]) {
        assembler.lose(count, into: &events)
    }

    /// Discards the incomplete message, as ``WebSocketAssembler/shed(to:detail:)`` does.
    mutating func shed(to count: Int, detail: String) { assembler.shed(to: count, detail: detail) }

    /// Notes the end of the stream.
    mutating func endOfStream(into events: inout [WebSocketEvent]) {
        assembler.endOfStream(into: &events)
    }

    /// The chunk and time of the byte at `offset` of the stream; nil where no chunk was seen yet.
    func locate(_ offset: Int64) -> (place: Place, at: Instant)? {
        if let dataStart, dataStart.offset == offset { return (dataStart.place, dataStart.at) }
        if let controlStart, controlStart.offset == offset {
            return (controlStart.place, controlStart.at)
        }
        return places.locate(offset)
    }

    /// Keeps the place of the first frame of a message, found at `found`, for the message's sake.
    mutating func keep(
        _ found: (place: Place, at: Instant)?, ofMessageAt offset: Int64, isControl: Bool
    ) {
        let start = found.map { Start(offset: offset, place: $0.place, at: $0.at) }
        if isControl { controlStart = start } else { dataStart = start }
    }

    /// Has what came of the message in progress at other times, by chunk.
    mutating func retime(_ times: [ChunkID: Instant]) {
        places.retime(times)
        if let start = dataStart, let at = times[start.place.chunk] { dataStart?.at = at }
        if let start = controlStart, let at = times[start.place.chunk] { controlStart?.at = at }
    }

    /// Drops the chunks that nothing to come can begin in.
    mutating func forget() { places.forget(before: assembler.pendingOffset) }
}
