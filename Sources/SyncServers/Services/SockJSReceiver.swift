internal import Framing
internal import Notation
internal import Serving

/// A request of SockJS that gets what the server sends, over HTTP.
///
/// Source: SockJS protocol 0.3.3.
struct SockJSReceiver {
    /// How frames are sent.
    enum Transport: Hashable {
        /// One frame for each request, with a line end.
        case polling
        /// Frames with line ends, after 2 KiB that make browsers show them.
        case streaming
        /// Events of `text/event-stream`.
        case eventSource
        /// A call of this function of JavaScript for each request.
        case script(callback: String)
    }

    /// Bytes after which a streamed answer ends, so that clients need not keep all of it.
    static let largest = 128 << 10

    let transport: Transport
    let stream: ServedStream
    private var sent = 0
    /// Whether nothing more is sent with this request.
    private(set) var isOver = false

    /// A receiver of which nothing was sent.
    init(_ transport: Transport, _ stream: ServedStream) {
        self.transport = transport
        self.stream = stream
        switch transport {
        case .polling, .script: break
        case .streaming:
            stream.write([UInt8](repeating: UInt8(ascii: "h"), count: 2_048) + [0x0A])
        case .eventSource: stream.write([0x0D, 0x0A])
        }
    }

    /// The `Content-Type` of the answer.
    var contentType: String {
        switch transport {
        case .polling, .streaming, .script: "application/javascript; charset=UTF-8"
        case .eventSource: "text/event-stream; charset=UTF-8"
        }
    }

    /// Sends a frame, which is the last with this request where it gets one alone.
    mutating func send(_ frame: SockJSFrame) {
        guard !isOver else { return }
        let bytes = Self.wrapped(frame.encoded, transport)
        stream.write(bytes)
        sent += bytes.count
        switch transport {
        case .polling, .script: end()
        case .streaming, .eventSource: if sent >= Self.largest { end() }
        }
    }

    /// Ends the answer.
    mutating func end() {
        isOver = true
        stream.end()
    }

    private static func wrapped(_ frame: [UInt8], _ transport: Transport) -> [UInt8] {
        switch transport {
        case .polling, .streaming: return frame + [0x0A]
        case .eventSource: return Array("data: ".utf8) + frame + Array("\r\n\r\n".utf8)
        case .script(let callback):
            // The comment keeps the answer from being taken for another type of file.
            var text = Array("/**/\(callback)(".utf8)
            JSONString.write(frame, to: &text)
            return text + Array(");\r\n".utf8)
        }
    }
}
