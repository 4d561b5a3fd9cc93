internal import Framing
internal import Wire

/// What a server sends over a WebSocket: the answer to the handshake, then messages.
///
/// A value without a socket. How the stream is cut into calls makes no difference.
struct SocketReader {
    /// What came.
    enum Event: Hashable {
        /// Messages can be sent.
        case opened
        /// A text message, outside of SockJS.
        case message([UInt8])
        /// The payload of a ping, to be sent back in a pong.
        case ping([UInt8])
        /// Nothing follows; why, for people.
        case ended(String)
    }

    /// Most bytes of a message.
    static let longest = 64 << 20

    /// Code of the close frame, or of SockJS; nil before one came, and where it has none.
    private(set) var closeCode: Int?
    private let isSockJS: Bool
    private let key: String
    private var framer = HTTPFramer(role: .response)
    private var assembler = WebSocketAssembler(
        sender: .server, limits: WebSocketLimits(maxStoredPayload: Self.longest))
    private var phase = Phase.handshake

    private enum Phase { case handshake, open, ended }

    /// A reader of the answer to a request with this `Sec-WebSocket-Key`.
    init(key: String, isSockJS: Bool) {
        self.key = key
        self.isSockJS = isSockJS
        framer.expect(.other)
    }

    /// The request that opens the socket.
    static func request(path: String, host: String, key: String) -> [UInt8] {
        let lines = [
            "GET \(path) HTTP/1.1", "Host: \(host)", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13", "User-Agent: tapedeck", "",
            "",
        ]
        return Array(lines.joined(separator: "\r\n").utf8)
    }

    /// Takes the next bytes.
    mutating func consume(_ bytes: [UInt8]) -> [Event] {
        var events: [Event] = []
        var rest = bytes[...]
        if phase == .handshake { rest = readAnswer(bytes, &events) }
        if phase == .open, !rest.isEmpty { readFrames(Array(rest), &events) }
        return events
    }

    /// Says that no byte follows.
    mutating func endOfStream() -> [Event] {
        defer { phase = .ended }
        switch phase {
        case .handshake: return [.ended("the server closed the connection before it answered")]
        case .open: return [.ended("the server closed the connection")]
        case .ended: return []
        }
    }

    private mutating func end(_ reason: String, _ events: inout [Event]) {
        phase = .ended
        events.append(.ended(reason))
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
                    let help = 400..<500 ~= status ? "; check --to and --app" : ""
                    self.end("the server answered \(status) \(head.reason)\(help)", &events)
                    return []
                }
                guard isWell(head) else {
                    self.end("the server's answer is no WebSocket handshake", &events)
                    return []
                }
                phase = .open
                if !isSockJS { events.append(.opened) }
                return bytes[end...]
            case .failure(let error):
                end("the server does not speak HTTP: \(error)", &events)
                return []
            default: continue
            }
        }
        return []
    }

    private func isWell(_ head: HTTPHead) -> Bool {
        head.contains(token: "websocket", in: "Upgrade")
            && head.contains(token: "upgrade", in: "Connection")
            && head.value(of: "Sec-WebSocket-Accept") == WebSocketHandshake.acceptKey(for: key)
            && head.value(of: "Sec-WebSocket-Extensions") == nil
    }

    private mutating func readFrames(_ bytes: [UInt8], _ events: inout [Event]) {
        var found: [WebSocketEvent] = []
        assembler.consume(bytes.span, into: &found)
        for event in found where phase == .open {
            switch event {
            case .message(let message): take(message, &events)
            case .failure(let error): end("the server's frames are wrong: \(error)", &events)
            case .note(.masked, _), .note(.reservedBits, _), .note(.reservedOpcode, _):
                end("the server's frames break RFC 6455", &events)
            case .frame, .note: break
            }
        }
    }

    private mutating func take(_ message: WebSocketMessage, _ events: inout [Event]) {
        guard message.size <= Int64(Self.longest) else {
            return end("a message is longer than \(Self.longest >> 20) MiB", &events)
        }
        switch message.opcode {
        case .ping: events.append(.ping(message.payload))
        case .close:
            closeCode = message.closeCode
            let reason = String(decoding: message.closeReason, as: UTF8.self)
            let code = message.closeCode.map { " with \($0)" } ?? ""
            end(
                "the server closed the socket\(code)\(reason.isEmpty ? "" : ": \(reason)")", &events
            )
        case .text where isSockJS: takeSockJS(message.payload, &events)
        case .text: events.append(.message(message.payload))
        default: break
        }
    }

    private mutating func takeSockJS(_ payload: [UInt8], _ events: inout [Event]) {
        do throws(SockJSError) {
            switch try SockJSFrame.parse(server: payload.span) {
            case .open: events.append(.opened)
            case .heartbeat: break
            case .messages(let messages): events += messages.map { .message($0.text) }
            case .close(let code, let reason):
                closeCode = code
                let text = String(decoding: reason.text, as: UTF8.self)
                end("the server closed the SockJS session with \(code): \(text)", &events)
            }
        } catch {
            end("the server's SockJS is wrong: \(error)", &events)
        }
    }
}
