import Faults
import Framing
import Notation
import Wire

/// One end of a WebSocket: bytes on one side, texts of Simperium commands on the other.
struct SocketEnd {
    private let role: Peer
    private let way: SocketWay
    /// The head of the handshake as far as it has come.
    private var head: [UInt8] = []
    private var assembler: WebSocketAssembler
    private let deflater: MessageDeflater?
    private var masks: SplitMix64
    /// Whether the handshake is done.
    private(set) var isOpen = false
    /// Whether the other end said good-bye, or what came cannot be understood.
    private(set) var isOver = false
    /// Texts that have come.
    private(set) var texts: [[UInt8]] = []
    private var next = 0

    init(_ role: Peer, _ way: SocketWay, seed: UInt64) {
        self.role = role
        self.way = way
        assembler = WebSocketAssembler(
            sender: role.other, compression: way.compression, limits: WebSocketLimits())
        deflater = way.compression.flatMap {
            MessageDeflater(level: 1, contextTakeover: $0.takesContextOver(role))
        }
        masks = SplitMix64(seed: seed)
    }

    /// How many texts have come and were not taken.
    var waiting: Int { texts.count - next }

    /// Takes the oldest text that has come.
    mutating func takeText() -> [UInt8]? {
        guard next < texts.count else { return nil }
        next += 1
        return texts[next - 1]
    }

    /// The bytes of a message with one command.
    mutating func frame(_ text: [UInt8]) -> [UInt8] {
        var payload = text
        if way.isSockJS {
            payload = (role == .server ? [0x61] : []) + SockJSFrame.encode(client: [text])
        }
        return frame(.text, payload)
    }

    private mutating func frame(_ opcode: WebSocketOpcode, _ payload: [UInt8]) -> [UInt8] {
        let mask = role == .client ? UInt32(truncatingIfNeeded: masks.next()) : nil
        if let deflater, !opcode.isControl {
            return WebSocketFrameEncoder.encode(
                opcode: opcode, payload: deflater.deflate(payload.span), rsv: 4, mask: mask)
        }
        return WebSocketFrameEncoder.encode(opcode: opcode, payload: payload, mask: mask)
    }

    /// Takes bytes of the other end.
    ///
    /// - Returns: What is answered at once.
    mutating func take(_ bytes: [UInt8]) -> [UInt8] {
        guard !isOver else { return [] }
        if isOpen { return read(bytes) }
        head += bytes
        guard let end = head.indices.first(where: { head[$0...].starts(with: Self.blank) }) else {
            return []
        }
        let rest = Array(head[(end + Self.blank.count)...])
        let isGood =
            role == .server
            ? head.starts(with: Array("GET /sock/1/app/".utf8))
            : head.starts(with: Array("HTTP/1.1 101 ".utf8))
        isOpen = isGood
        isOver = !isGood
        head = []
        guard isGood else { return [] }
        var answer: [UInt8] = []
        if role == .server {
            answer = way.response
            if way.isSockJS { answer += frame(.text, [0x6F]) }
        }
        return answer + read(rest)
    }

    private static let blank = Array("\r\n\r\n".utf8)

    private mutating func read(_ bytes: [UInt8]) -> [UInt8] {
        var events: [WebSocketEvent] = []
        assembler.consume(bytes.span, into: &events)
        var answer: [UInt8] = []
        for event in events where !isOver {
            switch event {
            case .message(let message): answer += receive(message)
            case .failure: isOver = true
            case .frame, .note: break
            }
        }
        return answer
    }

    private mutating func receive(_ message: WebSocketMessage) -> [UInt8] {
        guard message.problem == nil else {
            isOver = true
            return []
        }
        switch message.opcode {
        case .text:
            guard way.isSockJS else {
                texts.append(message.payload)
                return []
            }
            unwrap(message.payload)
            return []
        case .close:
            isOver = true
            return frame(.close, Array(message.payload.prefix(2)))
        case .ping: return frame(.pong, message.payload)
        default: return []
        }
    }

    private mutating func unwrap(_ payload: [UInt8]) {
        do throws(SockJSError) {
            if role == .server {
                texts += try SockJSFrame.parse(client: payload.span).map(\.text)
                return
            }
            switch try SockJSFrame.parse(server: payload.span) {
            case .messages(let messages): texts += messages.map(\.text)
            case .close: isOver = true
            case .open, .heartbeat: break
            }
        } catch {
            isOver = true
        }
    }
}
