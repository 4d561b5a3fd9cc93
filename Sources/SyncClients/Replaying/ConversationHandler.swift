internal import Framing
internal import NIOCore
internal import Replaying

/// The socket of a played conversation: bytes become messages for its desk.
final class ConversationHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let handshake: ConversationHandshake
    private var reader: WebSocketReader
    private let desk: NIOLoopBound<ConversationDesk>
    private var hasHeard = false
    private var hasEnded = false

    init(_ handshake: ConversationHandshake, desk: NIOLoopBound<ConversationDesk>) {
        self.handshake = handshake
        self.desk = desk
        reader = WebSocketReader(key: handshake.key, isDeflateOffered: handshake.offersDeflate)
    }

    func channelActive(context: ChannelHandlerContext) {
        desk.value.up(context.channel)
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
            hand([.ended(Dialer.says(error))])
        } else {
            hasEnded = true
            desk.value.take(.unreachable(Dialer.says(error)))
        }
        context.close(promise: nil)
    }

    private func hand(_ events: [WebSocketReader.Event]) {
        for event in events where !hasEnded {
            switch event {
            case .opened(let head): desk.value.opened(head, reader.compression)
            case .refused(let head):
                hasEnded = true
                desk.value.refused(head.status ?? 0)
            case .message(let isText, let payload):
                desk.value.take(.received(SocketMessage(isText: isText, payload: payload)))
            case .ping(let payload): desk.value.pong(payload)
            case .closed(let code, let reason):
                hasEnded = true
                let with = code.map { " with \($0)" } ?? ""
                desk.value.closed(
                    code, "by the server\(with)\(reason.isEmpty ? "" : ": \(reason)")")
            case .ended(let reason):
                hasEnded = true
                desk.value.take(.closed(code: nil, reason: reason))
            }
        }
    }
}
