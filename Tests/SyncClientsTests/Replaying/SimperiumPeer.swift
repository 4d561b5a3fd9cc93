import Framing
import NIOCore
import NIOPosix
import Notation
import Simperium
import Wire

/// A Simperium server on a port of 127.0.0.1, for tests; one thread has it all.
struct SimperiumPeer {
    let port: Int
    private let channel: any Channel

    /// Begins to listen; `distort` gives what is sent in place of each message.
    init(distort: @escaping @Sendable (SimperiumMessage) -> SimperiumMessage = { $0 }) async throws
    {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let model = NIOLoopBoundBox.makeBoxSendingValue(Model(distort), eventLoop: loop)
        channel = try await ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(model.value))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func close() async throws { try await channel.close() }

    /// The server and its sockets.
    final class Model {
        var server = ServerModel(seed: 7)
        var sockets: [SocketID: Handler] = [:]
        var next = 0
        let distort: @Sendable (SimperiumMessage) -> SimperiumMessage

        init(_ distort: @escaping @Sendable (SimperiumMessage) -> SimperiumMessage) {
            self.distort = distort
        }

        func receive(_ text: [UInt8], from id: SocketID) {
            let replies = server.receive(text: text, from: id) { _ in
                .admitted(user: "user@example.com", account: "user")
            }
            for reply in replies {
                for (session, message) in reply.messages {
                    sockets[session]?.send(distort(message).encoded(by: .server))
                }
            }
        }
    }

    /// One socket.
    final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let model: Model
        private let id: SocketID
        private var framer = HTTPFramer(role: .request)
        private var assembler = WebSocketAssembler(sender: .client, limits: WebSocketLimits())
        private var isOpen = false
        private var isSockJS = false
        private var context: ChannelHandlerContext?

        init(_ model: Model) {
            self.model = model
            model.next += 1
            id = SocketID(model.next)
        }

        func handlerAdded(context: ChannelHandlerContext) { self.context = context }
        func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

        func channelInactive(context: ChannelHandlerContext) {
            model.server.close(id)
            model.sockets[id] = nil
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = Array(unwrapInboundIn(data).readableBytesView)
            if isOpen { return frames(bytes, context) }
            var events: [HTTPEvent] = []
            _ = framer.consume(bytes.span, into: &events)
            for case .head(let head, let end) in events {
                let key = head.value(of: "Sec-WebSocket-Key") ?? ""
                let answer =
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                    + "Connection: Upgrade\r\nSec-WebSocket-Accept: "
                    + WebSocketHandshake.acceptKey(for: key) + "\r\n\r\n"
                write(Array(answer.utf8), context)
                isOpen = true
                let line = String(decoding: bytes.prefix { $0 != 0x0D }, as: UTF8.self)
                let path = line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
                isSockJS = SimperiumEndpoint.recognise(path: path)?.transport == .sockJS
                model.server.open(id, app: SimperiumEndpoint.recognise(path: path)?.app)
                model.sockets[id] = self
                if isSockJS { frame(.text, Array("o".utf8), context) }
                return frames(Array(bytes[end...]), context)
            }
        }

        private func frames(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
            var events: [WebSocketEvent] = []
            assembler.consume(bytes.span, into: &events)
            for case .message(let message) in events {
                switch message.opcode {
                case .close: context.close(promise: nil)
                case .text where isSockJS:
                    guard let document = try? JSONDocument.scan(message.payload) else { continue }
                    for element in document.root.elements {
                        model.receive(Array((element.string ?? "").utf8), from: id)
                    }
                case .text: model.receive(message.payload, from: id)
                default: break
                }
            }
        }

        func send(_ text: [UInt8]) {
            guard let context else { return }
            guard isSockJS else { return frame(.text, text, context) }
            let packed = JSONValue.array([.string(String(decoding: text, as: UTF8.self))]).bytes()
            frame(.text, Array("a".utf8) + packed, context)
        }

        private func frame(
            _ opcode: WebSocketOpcode, _ payload: [UInt8], _ context: ChannelHandlerContext
        ) {
            write(WebSocketFrameEncoder.encode(opcode: opcode, payload: payload), context)
        }

        private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        }
    }
}
