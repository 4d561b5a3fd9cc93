internal import Framing
internal import NIOCore
internal import NIOWebSocket
internal import Serving
internal import Simperium

/// Passes the messages of one WebSocket to the Simperium server.
final class SocketHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// Largest message, in bytes: an object of the largest size as a change, escaped.
    static let limit = 8 << 20
    /// The maximum number of frames of one message.
    static let frames = 1024
    /// Time between two heartbeats of SockJS, as its servers have it.
    static let heartbeat = TimeAmount.seconds(25)

    private let service: SimperiumService
    private let endpoint: SimperiumEndpoint
    private var line: SocketLine?
    /// Ends the heartbeats and the pings.
    private var still: [@Sendable () -> Void] = []
    /// Whether a read waits for the client to take what it was sent.
    private var isReadHeld = false

    /// A handler for one socket.
    init(_ service: SimperiumService, _ endpoint: SimperiumEndpoint) {
        self.service = service
        self.endpoint = endpoint
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let isSockJS = endpoint.transport == .sockJS
        if isSockJS { send(.text, ByteBuffer(bytes: SockJSFrame.open.encoded), context) }
        // Before it beats: a server that stops then knows of it, and says so.
        line = service.open(
            endpoint, WebSocketOutlet(channel: context.channel, transport: endpoint.transport))
        if isSockJS {
            beat(every: Self.heartbeat, .text, SockJSFrame.heartbeat.encoded, context)
        }
        if let pause = service.heartbeats.pings { beat(every: pause, .ping, [], context) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        switch frame.opcode {
        case .text: receive(Array(frame.unmaskedData.readableBytesView))
        case .ping: send(.pong, frame.unmaskedData, context)
        case .pong: break
        case .connectionClose:
            // The client's code goes back to it: RFC 6455, 5.5.1.
            let code = frame.unmaskedData.getInteger(
                at: frame.unmaskedData.readerIndex, as: UInt16.self)
            line?.finish(code ?? 1000)
        default: line?.end(1003, "Only text is understood")
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        for stop in still { stop() }
        still = []
        line?.leave()
        line = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge,
            NIOWebSocketFrameAggregator.Error.tooManyFragments:
            line?.end(1009, "A message may have \(Self.limit) bytes")
        case NIOWebSocketError.invalidFrameLength:
            line?.end(1009, "A message may have \(Self.limit) bytes")
        case is UnmaskedFrame: line?.end(1002, "A client has to mask its frames")
        case is NIOWebSocketError, is NIOWebSocketFrameAggregator.Error:
            line?.end(1002, "The frames make no sense")
        // Bytes after an invalid frame, which was reported to the client already.
        case is ByteToMessageDecoderError: break
        default: context.close(promise: nil)
        }
    }

    func read(context: ChannelHandlerContext) {
        // A client that sends faster than its messages are processed is not read from, nor is one
        // that requests more than it reads. The line reads again, or the channel once it can be
        // written to.
        guard line?.mayRead ?? true else { return }
        if context.channel.isWritable { context.read() } else { isReadHeld = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            line?.flush()
            if isReadHeld {
                isReadHeld = false
                context.channel.read()
            }
        }
        context.fireChannelWritabilityChanged()
    }

    /// Sends a frame again and again.
    private func beat(
        every pause: TimeAmount, _ opcode: NIOWebSocket.WebSocketOpcode, _ payload: [UInt8],
        _ context: ChannelHandlerContext
    ) {
        let channel = context.channel
        still.append(
            service.heartbeats.start(context.eventLoop, pause) {
                let frame = WebSocketFrame(
                    fin: true, opcode: opcode, data: ByteBuffer(bytes: payload))
                channel.writeAndFlush(frame, promise: nil)
            })
    }

    /// Passes on one message, or the messages in one SockJS frame.
    private func receive(_ bytes: [UInt8]) {
        switch endpoint.transport {
        case .webSocket: line?.receive(bytes)
        case .sockJS:
            do {
                for message in try SockJSFrame.parse(client: bytes.span) {
                    line?.receive(message.text)
                }
            } catch {
                line?.end(1003, "Broken framing")
            }
        }
    }

    /// Sends a frame.
    private func send(
        _ opcode: NIOWebSocket.WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext
    ) {
        let frame = WebSocketFrame(fin: true, opcode: opcode, data: data)
        context.writeAndFlush(Self.wrapOutboundOut(frame), promise: nil)
    }
}

@available(*, unavailable)
extension SocketHandler: Sendable {}
