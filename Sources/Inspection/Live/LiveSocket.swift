internal import NIOCore
internal import NIOWebSocket

/// The WebSocket of a page: what it asks for goes to its feed, and news go out a few times a second.
final class LiveSocket: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// Largest message of a page, in bytes.
    static let limit = 4 << 10
    /// Between two looks for news.
    private static let pause = TimeAmount.milliseconds(100)
    /// A page that does not answer for so many pings is gone.
    private static let patience = 3
    /// Looks between two pings.
    private static let looks = 150

    private let feed: LiveFeed
    private var ticking: RepeatedTask?
    private var ticks = 0
    private var unanswered = 0

    init(_ feed: LiveFeed) { self.feed = feed }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        ticking = context.eventLoop.scheduleRepeatedTask(
            initialDelay: .zero, delay: Self.pause
        ) { _ in handler.value.tick(channel) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        switch frame.opcode {
        case .text:
            let text = String(decoding: frame.unmaskedData.readableBytesView, as: UTF8.self)
            if let answer = feed.take(text) { send(answer, to: context.channel) }
            // A page that waits for rows gets the first of them now.
            tick(context.channel)
        case .ping:
            context.writeAndFlush(
                Self.wrapOutboundOut(
                    WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)),
                promise: nil)
        case .pong: unanswered = 0
        default: close(context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        ticking?.cancel()
        ticking = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { close(context) }

    private func tick(_ channel: any Channel) {
        // A page that does not read gets the newest state once it does.
        guard channel.isWritable else { return }
        for message in feed.news() { send(message, to: channel) }
        ticks += 1
        guard ticks.isMultiple(of: Self.looks) else { return }
        unanswered += 1
        guard unanswered <= Self.patience else { return channel.close(promise: nil) }
        let ping = WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer())
        channel.writeAndFlush(ping, promise: nil)
    }

    private func send(_ text: String, to channel: any Channel) {
        let frame = WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text))
        channel.writeAndFlush(frame, promise: nil)
    }

    private func close(_ context: ChannelHandlerContext) {
        let frame = WebSocketFrame(
            fin: true, opcode: .connectionClose, data: ByteBuffer(bytes: [0x03, 0xE8]))
        context.writeAndFlush(Self.wrapOutboundOut(frame), promise: nil)
        context.close(promise: nil)
    }
}
