internal import Framing
internal import NIOCore
internal import NIOWebSocket
internal import Simperium
internal import Synchronization

/// The way to one client of the Simperium server, from any thread.
final class SocketOutlet: Sendable {
    /// Most bytes that wait for a client that does not read; then it is cut off.
    static let limit = 64 << 20

    private let channel: any Channel
    private let transport: SimperiumEndpoint.Transport
    /// Bytes that wait.
    private let waiting = Atomic<Int>(0)

    /// The way through `channel`.
    init(_ channel: any Channel, _ transport: SimperiumEndpoint.Transport) {
        self.channel = channel
        self.transport = transport
    }

    /// Queues a message; the order of calls is that of the messages.
    func send(_ text: String) {
        let count = text.utf8.count
        let (_, waits) = waiting.add(count, ordering: .relaxed)
        guard waits <= Self.limit else {
            channel.close(promise: nil)
            return
        }
        let bytes =
            switch transport {
            case .webSocket: ByteBuffer(string: text)
            case .sockJS:
                ByteBuffer(
                    bytes: SockJSFrame.messages([.init(text: Array(text.utf8), range: 0..<0)])
                        .encoded)
            }
        // Always through the event loop, on it as well: the caller holds the server's lock, which
        // a write that fails at once would ask for again.
        channel.eventLoop.execute { [self] in
            let frame = WebSocketFrame(fin: true, opcode: .text, data: bytes)
            channel.writeAndFlush(frame).whenComplete { _ in
                self.waiting.subtract(count, ordering: .relaxed)
            }
        }
    }
}
