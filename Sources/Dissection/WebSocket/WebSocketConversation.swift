import Framing
import Simperium
import Wire

/// The frames and messages of one WebSocket, and the Simperium commands in them.
final class WebSocketConversation {
    /// The exchange that opened it.
    let exchange: OpenExchange
    private let context: ConversationContext
    private let limits: DissectionLimits
    private let output: DissectorOutput
    private(set) var simperium: SimperiumConversation
    private(set) var directions: [WebSocketDirection]
    private var events: [WebSocketEvent] = []
    /// The last messages.
    private(set) var recent = RecentRows()

    init(
        exchange: OpenExchange, deflate: PerMessageDeflate?, context: ConversationContext,
        limits: DissectionLimits, output: DissectorOutput
    ) {
        self.exchange = exchange
        self.context = context
        self.limits = limits
        self.output = output
        let bounds = WebSocketLimits(maxStoredPayload: limits.storedPayload)
        directions = Peer.allCases.map {
            WebSocketDirection(
                assembler: WebSocketAssembler(sender: $0, compression: deflate, limits: bounds))
        }
        simperium = SimperiumConversation(
            exchange: exchange, context: context, limits: limits, output: output)
    }

    /// One that goes on from where `other` is.
    init(
        copying other: WebSocketConversation, context: ConversationContext, output: DissectorOutput
    ) {
        exchange = OpenExchange(finished: other.exchange)
        self.context = context
        limits = other.limits
        self.output = output
        directions = other.directions.map { $0.copied() }
        simperium = SimperiumConversation(
            copying: other.simperium, exchange: exchange, context: context, output: output)
    }

    /// Whether no message is in progress.
    var isQuiet: Bool { directions.allSatisfy(\.isQuiet) }

    /// Whether what follows is read as in `other`; both are quiet.
    func isLike(_ other: WebSocketConversation) -> Bool {
        exchange.row.requestPlace == other.exchange.row.requestPlace
            && simperium.isLike(other.simperium)
            && zip(directions, other.directions).allSatisfy { $0.isLike($1) }
    }

    /// Bytes that it holds of messages in progress.
    var heldBytes: Int { directions.reduce(0) { $0 + $1.assembler.heldBytes } }

    /// Discards most of the larger incomplete message.
    func shed(at: Instant, detail: String) {
        let bytes = directions.map(\.assembler.heldBytes)
        guard max(bytes[0], bytes[1]) > BodyCollector.leftOfShed else { return }
        let sender: Peer = bytes[0] >= bytes[1] ? .client : .server
        directions[sender.rawValue].shed(to: BodyCollector.leftOfShed, detail: detail)
        note(
            ConversationNote.shed.rawValue, detail, sender,
            directions[sender.rawValue].assembler.offset, at)
    }

    /// Whether no message of a sender is in progress.
    func isQuiet(_ sender: Peer) -> Bool { directions[sender.rawValue].isQuiet }

    /// Whether bytes of one direction are within a frame and complete none.
    func isWithinFrame(_ bytes: borrowing Span<UInt8>, of sender: Peer) -> Bool {
        let direction = directions[sender.rawValue]
        return !direction.isOver && !direction.isLost
            && !direction.assembler.mayCompleteFrame(bytes)
    }

    /// Has what came of messages in progress at other times, by chunk.
    func retime(_ times: [ChunkID: Instant]) {
        for index in directions.indices { directions[index].retime(times) }
    }

    /// Processes bytes of either direction.
    func consume(_ piece: Piece) {
        let sender = piece.sender.rawValue
        guard !directions[sender].isOver else { return }
        events.removeAll(keepingCapacity: true)
        directions[sender].isLate = directions[sender].isLost
        directions[sender].consume(piece, into: &events)
        handleEvents(sender: piece.sender, at: piece.at)
        directions[sender].isLate = false
        directions[sender].forget()
    }

    private func handleEvents(sender: Peer, at: Instant) {
        let index = sender.rawValue
        let wasOver = directions[index].isOver
        for event in events {
            switch event {
            case .frame(let header):
                frame(header, sender, at)
            case .message(let message):
                self.message(message, sender, at)
            case .note(let code, let offset):
                note(code.rawValue, code.detail, sender, offset, at)
            case .failure(let error):
                note(
                    ConversationNote.webSocketFailed.rawValue, error.description, sender,
                    directions[index].assembler.offset, at)
                directions[index].isOver = true
            }
        }
        if directions[index].isOver, !wasOver, directions[index].mayRecover {
            lose(sender, 0, at: at)
        }
    }

    private func frame(_ header: WebSocketFrameHeader, _ sender: Peer, _ at: Instant) {
        let index = sender.rawValue
        if directions[index].isLost {
            directions[index].isLost = false
            note(
                ConversationNote.webSocketResynchronised.rawValue,
                "a frame begins after missing bytes that cannot be decoded", sender, header.start,
                at)
        }
        let found = directions[index].locate(header.start)
        let message: MessageID
        var position = 0
        if let open = directions[index].dataMessage, header.opcode == .continuation {
            message = open
            position = directions[index].dataFrames
            directions[index].dataFrames += 1
        } else {
            message = output.nextMessage()
            let isControl = header.opcode.isControl
            directions[index].keep(found, ofMessageAt: header.start, isControl: isControl)
            if isControl {
                directions[index].controlMessage = message
            } else {
                directions[index].dataMessage = message
                directions[index].dataFrames = 1
            }
        }
        output.emit(
            .frame(
                FrameRow(
                    message: message, connection: context.row.id, sender: sender,
                    at: found?.at ?? at, position: position, fin: header.fin, rsv: header.rsv,
                    opcode: Int(header.opcode.rawValue), mask: header.mask,
                    headerSize: header.headerSize, payloadSize: header.payloadSize,
                    place: found?.place ?? Place(chunk: ChunkID(0), offset: 0))))
    }

    private func message(_ message: WebSocketMessage, _ sender: Peer, _ at: Instant) {
        let index = sender.rawValue
        let id: MessageID
        if message.opcode.isControl {
            id = directions[index].controlMessage ?? output.nextMessage()
            directions[index].controlMessage = nil
        } else {
            id = directions[index].dataMessage ?? output.nextMessage()
            directions[index].dataMessage = nil
        }
        let found = directions[index].locate(message.start)
        let ended =
            directions[index].isLate ? directions[index].locate(message.end - 1) : nil
        let row = MessageRow(
            id: id, connection: context.row.id, exchange: exchange.row.id, sender: sender,
            at: found?.at ?? at, endedAt: ended?.at ?? at, opcode: Int(message.opcode.rawValue),
            payload: message.payload, isText: message.isText, size: message.size,
            wireSize: message.wireSize, isCompressed: message.isCompressed,
            frames: message.frames, closeCode: message.closeCode, problem: message.problem,
            place: found?.place ?? Place(chunk: ChunkID(0), offset: 0))
        output.emit(.message(row))
        // Part of a command can look like all of another.
        let first = output.numbers.command
        if message.opcode == .text, !message.hasGap { simperium.consume(row) }
        recent.append(row, (first..<output.numbers.command).map { CommandID($0) })
    }

    private func note(
        _ code: String, _ detail: String, _ sender: Peer, _ offset: Int64, _ at: Instant
    ) {
        let found = directions[sender.rawValue].locate(offset)
        output.emit(
            .note(
                NoteRow(
                    connection: context.row.id, exchange: exchange.row.id, sender: sender,
                    at: found?.at ?? at,
                    place: found?.place ?? Place(chunk: ChunkID(0), offset: 0), code: code,
                    detail: detail)))
    }

    /// Bytes of one direction or both are missing.
    func lostBytes(_ gap: GapRow) {
        for peer in Peer.allCases where gap.sender == nil || gap.sender == peer {
            let index = peer.rawValue
            guard !directions[index].isOver else { continue }
            directions[index].mayRecover = true
            var rest: Int64 = 0
            if gap.sender != nil, (1...HTTPConversation.maxMissing).contains(gap.count) {
                events.removeAll(keepingCapacity: true)
                rest = gap.count - directions[index].skip(gap.count, into: &events)
                handleEvents(sender: peer, at: gap.until)
                if rest == 0 { continue }
            }
            lose(peer, rest, at: gap.at)
        }
    }

    /// Looks for the next frame of a sender.
    private func lose(_ sender: Peer, _ count: Int64, at: Instant) {
        let index = sender.rawValue
        directions[index].isOver = false
        events.removeAll(keepingCapacity: true)
        directions[index].lose(count, into: &events)
        handleEvents(sender: sender, at: at)
        directions[index].isLost = true
    }

    /// Nothing more follows.
    func finish(at: Instant) {
        for peer in Peer.allCases where !directions[peer.rawValue].isOver {
            directions[peer.rawValue].isOver = true
            events.removeAll(keepingCapacity: true)
            directions[peer.rawValue].endOfStream(into: &events)
            handleEvents(sender: peer, at: directions[peer.rawValue].lastAt ?? at)
        }
    }
}
