internal import NIOCore
internal import NIOWebSocket

/// Lets the frames of a client through that are masked, as all of a client have to be.
///
/// Before frames are joined to messages, since the mask of a frame is lost there.
final class MaskedFrames: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketFrame

    /// Whether one came that is not masked; nothing after it counts.
    private var hasFailed = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasFailed else { return }
        guard Self.unwrapInboundIn(data).maskKey != nil else {
            hasFailed = true
            return context.fireErrorCaught(UnmaskedFrame())
        }
        context.fireChannelRead(data)
    }
}

/// A client sent a frame without a mask, with which its server has to fail the connection
/// (RFC 6455, 5.1).
package struct UnmaskedFrame: Error {}

@available(*, unavailable)
extension MaskedFrames: Sendable {}
