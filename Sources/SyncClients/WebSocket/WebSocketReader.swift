internal import Framing
internal import Wire

/// What a server sends over a WebSocket: the answer to the handshake, then frames.
///
/// What breaks the specification ends it. A value without a socket; how the stream is cut into calls
/// makes no difference. Source: RFC 6455, sections 4.1, 5 and 7; RFC 7692, section 7.1.
struct WebSocketReader {
    /// What was received.
    enum Event: Hashable {
        /// The socket is open; the head of the answer.
        case opened(HTTPHead)
        /// The server opens none; the head of its answer. Nothing follows.
        case refused(HTTPHead)
        /// A message, inflated.
        case message(isText: Bool, [UInt8])
        /// The payload of a ping, to be sent back in a pong.
        case ping([UInt8])
        /// The server closed the socket with a close frame. Nothing follows.
        case closed(code: Int?, reason: String)
        /// Nothing follows; with the reason as text.
        case ended(String)
    }

    /// The maximum size of a message in bytes.
    static let longest = 64 << 20

    /// How messages are compressed, once the socket is open; nil where they are not.
    private(set) var compression: PerMessageDeflate?
    private let key: String
    private let isDeflateOffered: Bool
    private var framer = HTTPFramer(role: .response)
    private var assembler = WebSocketAssembler(sender: .server)
    private var phase = Phase.handshake

    private enum Phase { case handshake, open, ended }

    /// A reader of the answer to a handshake.
    ///
    /// - Parameters:
    ///   - key: The `Sec-WebSocket-Key` of the request.
    ///   - isDeflateOffered: Whether the request offers permessage-deflate.
    init(key: String, isDeflateOffered: Bool) {
        self.key = key
        self.isDeflateOffered = isDeflateOffered
        framer.expect(.other)
    }

    /// Processes the next bytes.
    mutating func consume(_ bytes: [UInt8]) -> [Event] {
        var events: [Event] = []
        var rest = bytes[...]
        if phase == .handshake { rest = readAnswer(bytes, &events) }
        if phase == .open, !rest.isEmpty { readFrames(Array(rest), &events) }
        return events
    }

    /// Notes the end of the stream.
    mutating func endOfStream() -> [Event] {
        defer { phase = .ended }
        switch phase {
        case .handshake: return [.ended("the server closed the connection before it answered")]
        case .open: return [.ended("the server closed the connection")]
        case .ended: return []
        }
    }

    private mutating func end(_ event: Event, _ events: inout [Event]) {
        phase = .ended
        events.append(event)
    }

    /// Reads the head of the answer.
    ///
    /// - Returns: What follows it.
    private mutating func readAnswer(
        _ bytes: [UInt8], _ events: inout [Event]
    ) -> ArraySlice<UInt8> {
        var found: [HTTPEvent] = []
        _ = framer.consume(bytes.span, into: &found)
        for event in found {
            switch event {
            case .head(let head, let end):
                guard let status = head.status, status == 101 || status >= 200 else { continue }
                guard status == 101 else {
                    self.end(.refused(head), &events)
                    return []
                }
                guard open(head) else {
                    self.end(.ended("the server's answer is not a WebSocket handshake"), &events)
                    return []
                }
                events.append(.opened(head))
                return bytes[end...]
            case .failure(let error):
                end(.ended("the server does not speak HTTP: \(error)"), &events)
                return []
            default: continue
            }
        }
        return []
    }

    /// - Returns: Whether the answer is one that opens the socket.
    private mutating func open(_ head: HTTPHead) -> Bool {
        let extensions = head.values(of: "Sec-WebSocket-Extensions")
        let agreed = PerMessageDeflate.negotiated(responseExtensions: extensions)
        // What was not offered is not accepted (RFC 6455, 4.1).
        let isAgreed =
            agreed.map { isDeflateOffered && $0.problem == nil && $0.unknownExtensions.isEmpty }
            ?? WebSocketExtension.parse(extensions).isEmpty
        guard isAgreed, head.contains(token: "websocket", in: "Upgrade"),
            head.contains(token: "upgrade", in: "Connection"),
            head.value(of: "Sec-WebSocket-Accept") == WebSocketHandshake.acceptKey(for: key)
        else { return false }
        phase = .open
        compression = agreed
        assembler = WebSocketAssembler(
            sender: .server, compression: agreed,
            limits: WebSocketLimits(
                maxStoredPayload: Self.longest, maxInflated: Int64(Self.longest)))
        return true
    }

    private mutating func readFrames(_ bytes: [UInt8], _ events: inout [Event]) {
        var found: [WebSocketEvent] = []
        assembler.consume(bytes.span, into: &found)
        for event in found where phase == .open {
            switch event {
            case .message(let message): take(message, &events)
            case .failure(let error):
                end(.ended("invalid frames from the server: \(error)"), &events)
            case .note(.masked, _), .note(.reservedBits, _), .note(.reservedOpcode, _):
                end(.ended("the server's frames violate RFC 6455"), &events)
            case .frame, .note: break
            }
        }
    }

    private mutating func take(_ message: WebSocketMessage, _ events: inout [Event]) {
        guard message.size <= Int64(Self.longest) else {
            return end(
                .ended("a message is longer than \(Self.longest >> 20) MiB"), &events)
        }
        switch message.opcode {
        case .ping: events.append(.ping(message.payload))
        case .close:
            let reason = String(decoding: message.closeReason, as: UTF8.self)
            end(.closed(code: message.closeCode, reason: reason), &events)
        case .text, .binary:
            if message.isCompressed, let problem = message.problem {
                return end(.ended("invalid compressed message: \(problem)"), &events)
            }
            events.append(.message(isText: message.opcode == .text, message.payload))
        default: break
        }
    }
}
