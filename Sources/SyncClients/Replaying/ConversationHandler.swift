internal import Framing
internal import NIOCore
internal import Replaying

/// The socket of a played conversation: bytes become messages for its coordinator.
final class ConversationHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let handshake: ConversationHandshake
    private var reader: WebSocketReader
    private let coordinator: NIOLoopBound<ConversationCoordinator>
    private var hasHeard = false
    private var hasEnded = false

    init(_ handshake: ConversationHandshake, coordinator: NIOLoopBound<ConversationCoordinator>) {
        self.handshake = handshake
        self.coordinator = coordinator
        reader = WebSocketReader(key: handshake.key, isDeflateOffered: handshake.offersDeflate)
    }

    func channelActive(context: ChannelHandlerContext) {
        coordinator.value.up(context.channel)
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: handshake.bytes)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasHeard = true
        hand(reader.consume(Array(unwrapInboundIn(data).readableBytesView)))
    }

    func channelInactive(context: ChannelHandlerContext) {
        hand(reader.endOfStream())
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if hasHeard {
            hand([.ended(Dialer.detail(error))])
        } else {
            hasEnded = true
            coordinator.value.take(.unreachable(Dialer.detail(error)))
        }
        context.close(promise: nil)
    }

    private func hand(_ events: [WebSocketReader.Event]) {
        for event in events where !hasEnded {
            switch event {
            case .opened(let head): coordinator.value.opened(head, reader.compression)
            case .refused(let head):
                hasEnded = true
                coordinator.value.refused(head.status ?? 0)
            case .message(let isText, let payload):
                coordinator.value.take(.received(SocketMessage(isText: isText, payload: payload)))
            case .ping(let payload): coordinator.value.pong(payload)
            case .closed(let code, let reason):
                hasEnded = true
                let with = code.map { " with \($0)" } ?? ""
                coordinator.value.closed(
                    code, "by the server\(with)\(reason.isEmpty ? "" : ": \(reason)")")
            case .ended(let reason):
                hasEnded = true
                coordinator.value.take(.closed(code: nil, reason: reason))
            }
        }
    }
}
