internal import Framing
internal import NIOCore
internal import NIOWebSocket
internal import Simperium

/// Passes the messages of one WebSocket to the Simperium server.
final class SocketHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// Largest message, in bytes: an object of the largest size as a change, escaped.
    static let limit = 8 << 20
    /// Most frames of one message.
    static let frames = 1024

    private let hub: SyncHub
    private let endpoint: SimperiumEndpoint
    private var connection: Int?
    private var isClosing = false
    /// Whether a read waits for the client to take what it was sent.
    private var isReadHeld = false

    /// A handler for one socket.
    init(_ hub: SyncHub, _ endpoint: SimperiumEndpoint) {
        self.hub = hub
        self.endpoint = endpoint
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if endpoint.transport == .sockJS {
            let bytes = ByteBuffer(bytes: SockJSFrame.open.encoded)
            send(WebSocketFrame(fin: true, opcode: .text, data: bytes), context)
        }
        connection = hub.open(endpoint, SocketOutlet(context.channel, endpoint.transport))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        guard !isClosing else { return }
        switch frame.opcode {
        case .text: receive(Array(frame.unmaskedData.readableBytesView), context)
        case .ping:
            send(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData), context)
        case .pong: break
        case .connectionClose:
            // The client's code goes back to it: RFC 6455, 5.5.1.
            let code = frame.unmaskedData.getInteger(
                at: frame.unmaskedData.readerIndex, as: UInt16.self)
            end(code.map { WebSocketErrorCode(codeNumber: Int($0)) } ?? .normalClosure, context)
        default: end(.unacceptableData, context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let connection { hub.close(connection) }
        connection = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge,
            NIOWebSocketFrameAggregator.Error.tooManyFragments:
            end(.messageTooLarge, context)
        case is NIOWebSocketFrameAggregator.Error: end(.protocolError, context)
        default: context.close(promise: nil)
        }
    }

    func read(context: ChannelHandlerContext) {
        // A client that asks for more than it reads is not read from.
        if context.channel.isWritable { context.read() } else { isReadHeld = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, isReadHeld {
            isReadHeld = false
            context.read()
        }
        context.fireChannelWritabilityChanged()
    }

    /// Passes on one message, or the messages in one SockJS frame.
    private func receive(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        guard let connection else { return }
        switch endpoint.transport {
        case .webSocket: hub.receive(bytes, from: connection)
        case .sockJS:
            do {
                for message in try SockJSFrame.parse(client: bytes.span) {
                    hub.receive(message.text, from: connection)
                }
            } catch {
                end(.unacceptableData, context)
            }
        }
    }

    /// Closes the socket with a code.
    private func end(_ code: WebSocketErrorCode, _ context: ChannelHandlerContext) {
        guard !isClosing else { return }
        isClosing = true
        var data = context.channel.allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: code)
        let channel = context.channel
        let done = context.eventLoop.makePromise(of: Void.self)
        done.futureResult.whenComplete { _ in channel.close(promise: nil) }
        context.writeAndFlush(
            Self.wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: data)),
            promise: done)
    }

    /// Sends a frame.
    private func send(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) {
        context.writeAndFlush(Self.wrapOutboundOut(frame), promise: nil)
    }
}

@available(*, unavailable)
extension SocketHandler: Sendable {}
