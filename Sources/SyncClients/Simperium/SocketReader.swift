internal import Framing
internal import Wire

/// What a Simperium server sends over a WebSocket: the answer to the handshake, then messages.
///
/// A value without a socket. How the stream is cut into calls makes no difference.
struct SocketReader {
    /// What was received.
    enum Event: Hashable {
        /// Messages can be sent.
        case opened
        /// A text message, outside of SockJS.
        case message([UInt8])
        /// The payload of a ping, to be sent back in a pong.
        case ping([UInt8])
        /// The payload of the server's Close, to be answered with a Close that has it.
        case close([UInt8])
        /// Nothing follows; with the reason as text.
        case ended(String)
    }

    /// Code of the close frame, or of SockJS; nil before one came, and where it has none.
    private(set) var closeCode: Int?
    private let isSockJS: Bool
    private var reader: WebSocketReader
    private var hasEnded = false

    /// A reader of the answer to a request with this `Sec-WebSocket-Key`.
    init(key: String, isSockJS: Bool) {
        self.isSockJS = isSockJS
        reader = WebSocketReader(key: key, isDeflateOffered: false)
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

    /// Processes the next bytes.
    mutating func consume(_ bytes: [UInt8]) -> [Event] { events(of: reader.consume(bytes)) }

    /// Notes the end of the stream.
    mutating func endOfStream() -> [Event] { events(of: reader.endOfStream()) }

    private mutating func events(of found: [WebSocketReader.Event]) -> [Event] {
        var events: [Event] = []
        for event in found where !hasEnded {
            switch event {
            case .opened: if !isSockJS { events.append(.opened) }
            case .refused(let head):
                let status = head.status ?? 0
                let help = 400..<500 ~= status ? "; check --to and --app" : ""
                end("the server answered \(status) \(head.reason)\(help)", &events)
            case .message(true, let text) where isSockJS: takeSockJS(text, &events)
            case .message(true, let text): events.append(.message(text))
            // Simperium has no binary messages.
            case .message(false, _): break
            case .ping(let payload): events.append(.ping(payload))
            case .closed(let code, let reason):
                closeCode = code
                events.append(.close(Self.answer(to: code)))
                let with = code.map { " with \($0)" } ?? ""
                end(
                    "the server closed the socket\(with)\(reason.isEmpty ? "" : ": \(reason)")",
                    &events)
            case .ended(let reason): end(reason, &events)
            }
        }
        return events
    }

    /// The payload of a Close that answers one with this code (RFC 6455, 5.5.1 and 7.4).
    private static func answer(to code: Int?) -> [UInt8] {
        guard let code else { return [] }
        let isSendable = 1_000..<5_000 ~= code && ![1_004, 1_005, 1_006, 1_015].contains(code)
        let sent = UInt16(isSendable ? code : 1_002)
        return [UInt8(sent >> 8), UInt8(sent & 0xFF)]
    }

    private mutating func end(_ reason: String, _ events: inout [Event]) {
        hasEnded = true
        events.append(.ended(reason))
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
            end("invalid SockJS from the server: \(error)", &events)
        }
    }
}
