import Interception
import NIOCore

/// Inspects what a client sends before the TLS library does, until the handshake is over.
///
/// Runs on the connection's event loop and passes everything on.
final class AlertTap: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var seen = PlainAlert()

    /// The code of an alert that came unencrypted.
    var code: UInt8? { seen.code }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        seen.consume(buffer.readableBytesUInt8Span)
        context.fireChannelRead(data)
    }
}

@available(*, unavailable)
extension AlertTap: Sendable {}
