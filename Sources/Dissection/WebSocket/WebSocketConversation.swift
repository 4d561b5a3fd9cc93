import Framing
import Simperium
import Wire

/// The frames and messages of one WebSocket, and the Simperium commands in them.
final class WebSocketConversation {
    /// One direction.
    private struct Direction {
        var assembler: WebSocketAssembler
        var places = PlaceMap()
        var offset: Int64 = 0
        /// Numbers of the messages whose first frame has come: the data message under way, and a
        /// control message inside it.
        var dataMessage: MessageID?
        var dataFrames = 0
        var controlMessage: MessageID?
        var isOver = false
        /// Whether bytes are missing, so that a frame has to be found to begin with.
        var isLost = false
    }

    private let exchange: OpenExchange
    private let context: ConversationContext
    private let limits: DissectionLimits
    private let output: DissectorOutput
    private var simperium: SimperiumConversation
    private var directions: [Direction]
    private var events: [WebSocketEvent] = []
    private let deflate: PerMessageDeflate?
    private let bounds: WebSocketLimits

    init(
        exchange: OpenExchange, deflate: PerMessageDeflate?, context: ConversationContext,
        limits: DissectionLimits, output: DissectorOutput
    ) {
        self.exchange = exchange
        self.context = context
        self.limits = limits
        self.output = output
        self.deflate = deflate
        bounds = WebSocketLimits(maxStoredPayload: limits.storedPayload)
        let bounds = bounds
        directions = Peer.allCases.map {
            Direction(
                assembler: WebSocketAssembler(sender: $0, compression: deflate, limits: bounds))
        }
        simperium = SimperiumConversation(
            exchange: exchange, context: context, limits: limits, output: output)
    }

    /// Takes bytes of either direction.
    func consume(_ piece: Piece) {
        let sender = piece.sender.rawValue
        guard !directions[sender].isOver else { return }
        if directions[sender].isLost {
            guard Self.mayBeginFrame(piece) else { return }
            directions[sender] = Direction(
                assembler: WebSocketAssembler(
                    sender: piece.sender, compression: deflate, limits: bounds))
        }
        directions[sender].places.append(
            start: directions[sender].offset, place: piece.place, at: piece.at)
        directions[sender].offset += Int64(piece.bytes.count)
        events.removeAll(keepingCapacity: true)
        directions[sender].assembler.consume(piece.bytes.span, into: &events)
        handleEvents(sender: piece.sender, at: piece.at)
    }

    private func handleEvents(sender: Peer, at: Instant) {
        let index = sender.rawValue
        for event in events {
            switch event {
            case .frame(let header):
                frame(header, sender, at)
            case .message(let message):
                self.message(message, sender, at)
            case .note(let code, let offset):
                note(code.rawValue, code.says, sender, offset, at)
            case .failure(let error):
                note(
                    ConversationNote.webSocketFailed.rawValue, error.description, sender,
                    directions[index].offset, at)
                directions[index].isOver = true
            }
        }
    }

    private func frame(_ header: WebSocketFrameHeader, _ sender: Peer, _ at: Instant) {
        let index = sender.rawValue
        let message: MessageID
        var position = 0
        if header.opcode.isControl {
            message = output.nextMessage()
            directions[index].controlMessage = message
        } else if let open = directions[index].dataMessage, header.opcode == .continuation {
            message = open
            position = directions[index].dataFrames
            directions[index].dataFrames += 1
        } else {
            message = output.nextMessage()
            directions[index].dataMessage = message
            directions[index].dataFrames = 1
        }
        let found = directions[index].places.locate(header.start)
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
        let found = directions[index].places.locate(message.start)
        let row = MessageRow(
            id: id, connection: context.row.id, exchange: exchange.row.id, sender: sender,
            at: found?.at ?? at, endedAt: at, opcode: Int(message.opcode.rawValue),
            payload: message.payload, isText: message.isText, size: message.size,
            wireSize: message.wireSize, isCompressed: message.isCompressed,
            frames: message.frames, closeCode: message.closeCode, problem: message.problem,
            place: found?.place ?? Place(chunk: ChunkID(0), offset: 0))
        output.emit(.message(row))
        if directions[index].dataMessage == nil {
            directions[index].places.forget(before: message.end)
        }
        if message.opcode == .text { simperium.consume(row) }
    }

    private func note(
        _ code: String, _ says: String, _ sender: Peer, _ offset: Int64, _ at: Instant
    ) {
        let found = directions[sender.rawValue].places.locate(offset)
        output.emit(
            .note(
                NoteRow(
                    connection: context.row.id, exchange: exchange.row.id, sender: sender,
                    at: found?.at ?? at,
                    place: found?.place ?? Place(chunk: ChunkID(0), offset: 0), code: code,
                    says: says)))
    }

    /// Bytes are missing: frames are looked for anew at the start of each read, and a compressed
    /// message may refer to what is missing.
    func lostBytes(of sender: Peer?, at: Instant) {
        for peer in Peer.allCases where sender == nil || sender == peer {
            let index = peer.rawValue
            guard !directions[index].isOver, !directions[index].isLost else { continue }
            events.removeAll(keepingCapacity: true)
            directions[index].assembler.endOfStream(into: &events)
            handleEvents(sender: peer, at: at)
            directions[index].isOver = false
            directions[index].isLost = true
        }
    }

    /// Whether a read begins like a frame of its sender: a known opcode, masked as it must be
    /// (RFC 6455, 5.1 and 5.2), and not larger than what is kept.
    private static func mayBeginFrame(_ piece: Piece) -> Bool {
        let bytes = piece.bytes.prefix(10)
        guard bytes.count >= 2 else { return false }
        let first = bytes[bytes.startIndex]
        let second = bytes[bytes.startIndex + 1]
        guard [0, 1, 2, 8, 9, 10].contains(first & 0x0F), first & 0x30 == 0,
            (second & 0x80 != 0) == (piece.sender == .client)
        else { return false }
        // A length in eight bytes begins with zeros for every message that people send.
        return second & 0x7F != 127 || bytes.dropFirst(2).prefix(4).allSatisfy { $0 == 0 }
    }

    /// Nothing more will come.
    func finish(at: Instant) {
        for peer in Peer.allCases where !directions[peer.rawValue].isOver {
            directions[peer.rawValue].isOver = true
            events.removeAll(keepingCapacity: true)
            directions[peer.rawValue].assembler.endOfStream(into: &events)
            handleEvents(sender: peer, at: at)
        }
    }
}
