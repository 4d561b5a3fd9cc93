internal import Framing
internal import NIOCore
internal import Replaying
internal import Wire

/// The socket of a played client: bytes become commands for its coordinator.
final class PlayedSocketHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let id: ConnectionID
    private let request: [UInt8]
    private var reader: SocketReader
    private let coordinator: NIOLoopBound<SocketCoordinator>
    private var hasEnded = false

    init(
        _ id: ConnectionID, request: [UInt8], reader: SocketReader,
        coordinator: NIOLoopBound<SocketCoordinator>
    ) {
        self.id = id
        self.request = request
        self.reader = reader
        self.coordinator = coordinator
    }

    func handlerAdded(context: ChannelHandlerContext) {
        try? context.pipeline.syncOperations.addHandler(CloseGate(), position: .before(self))
    }

    func channelActive(context: ChannelHandlerContext) {
        coordinator.value.up(id, context.channel)
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: request)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hand(reader.consume(Array(unwrapInboundIn(data).readableBytesView)), context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        hand(reader.endOfStream(), context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        hand([.ended(Dialer.detail(error))], context)
        context.close(promise: nil)
    }

    private func hand(_ events: [SocketReader.Event], _ context: ChannelHandlerContext) {
        guard !hasEnded else { return }
        var reported: [SimperiumPlayEvent] = []
        var answer: [UInt8]?
        for event in events {
            switch event {
            case .opened: reported.append(.opened(id))
            case .message(let text): reported.append(.received(id, text))
            case .ping(let payload):
                let pong = SocketHandler.frame(.pong, payload)
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: pong)), promise: nil)
            case .close(let payload): answer = payload
            case .ended(let reason):
                hasEnded = true
                reported.append(.closed(id, code: reader.closeCode, reason: reason))
                SocketHandler.close(context, answer)
            }
            if hasEnded { break }
        }
        if !reported.isEmpty { coordinator.value.take(reported) }
    }
}
