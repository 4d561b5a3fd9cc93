import NIOCore

/// Lets nothing pass after a Close of the client, whoever writes it (RFC 6455, 5.5.1).
///
/// Stands between the handler of a socket and its server. A Close is written by itself.
final class CloseGate: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var isClosed = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isClosed else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        let frames = Self.unwrapOutboundIn(data)
        let first = frames.getInteger(at: frames.readerIndex, as: UInt8.self) ?? 0
        // The request for the socket begins with G.
        isClosed = first & 0x8F == 0x88
        context.write(data, promise: promise)
    }
}
