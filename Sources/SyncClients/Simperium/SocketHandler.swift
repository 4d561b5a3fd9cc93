internal import Framing
internal import NIOCore
internal import Notation

/// The socket of a client: bytes become messages for the listener, and no more are read until those
/// were processed.
final class SocketHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The delivered messages were processed.
    struct Taken: Sendable {}

    private var reader: SocketReader
    private let request: [UInt8]
    private let channelIsUp: @Sendable (any Channel) -> Void
    private let tell: @Sendable ([SocketReader.Event]) -> Void
    private var hasEnded = false
    private var isTaking = false
    private var isReadHeld = false

    init(
        request: [UInt8], reader: SocketReader,
        channelIsUp: @escaping @Sendable (any Channel) -> Void,
        tell: @escaping @Sendable ([SocketReader.Event]) -> Void
    ) {
        self.request = request
        self.reader = reader
        self.channelIsUp = channelIsUp
        self.tell = tell
    }

    func handlerAdded(context: ChannelHandlerContext) {
        try? context.pipeline.syncOperations.addHandler(CloseGate(), position: .before(self))
    }

    func channelActive(context: ChannelHandlerContext) {
        // Before any message of the socket.
        channelIsUp(context.channel)
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: request)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = Array(unwrapInboundIn(data).readableBytesView)
        hand(reader.consume(bytes), context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        hand(reader.endOfStream(), context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        hand([.ended(Dialer.detail(error))], context)
        context.close(promise: nil)
    }

    func read(context: ChannelHandlerContext) {
        if isTaking { isReadHeld = true } else { context.read() }
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard event is Taken else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        isTaking = false
        if isReadHeld {
            isReadHeld = false
            context.read()
        }
        promise?.succeed()
    }

    private func hand(_ events: [SocketReader.Event], _ context: ChannelHandlerContext) {
        guard !hasEnded else { return }
        var reported: [SocketReader.Event] = []
        var answer: [UInt8]?
        for event in events {
            if case .ping(let payload) = event {
                let pong = Self.frame(.pong, payload)
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: pong)), promise: nil)
                continue
            }
            if case .close(let payload) = event {
                answer = payload
                continue
            }
            reported.append(event)
            guard case .ended = event else { continue }
            hasEnded = true
            Self.close(context, answer)
            break
        }
        guard !reported.isEmpty else { return }
        isTaking = true
        tell(reported)
    }

    /// Closes the connection, after a Close where the server sent one.
    static func close(_ context: ChannelHandlerContext, _ answer: [UInt8]?) {
        guard let answer else { return context.close(promise: nil) }
        let channel = context.channel
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.whenComplete { _ in channel.close(promise: nil) }
        let bytes = ByteBuffer(bytes: Self.frame(.close, answer))
        context.writeAndFlush(Self.wrapOutboundOut(bytes), promise: sent)
    }

    /// A frame as a client sends it.
    static func frame(_ opcode: WebSocketOpcode, _ payload: [UInt8]) -> [UInt8] {
        WebSocketFrameEncoder.encode(
            opcode: opcode, payload: payload, mask: UInt32.random(in: 0 ... .max))
    }

    /// A fresh value for `Sec-WebSocket-Key`: 16 random bytes in base64.
    static func key() -> String {
        Base64.encode((0..<16).map { _ in UInt8.random(in: 0 ... .max) })
    }
}
