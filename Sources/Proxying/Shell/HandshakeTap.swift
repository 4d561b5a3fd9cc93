import Interception
import NIOCore

/// Inspects the bytes of a handshake outside of the TLS library, until it is over: what the server's
/// first message agrees on, and an alert that a client sends in the clear.
///
/// Runs on the connection's event loop and passes everything on.
final class HandshakeTap: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// What was agreed on.
    private(set) var facts = HandshakeFacts()
    private var alert = PlainAlert()
    private let isServer: Bool

    /// A tap on a leg where Tapedeck is the server, or the client.
    init(isServer: Bool) { self.isServer = isServer }

    /// The code of an alert that the client sent unencrypted.
    var code: UInt8? { isServer ? alert.code : nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        if isServer {
            alert.consume(buffer.readableBytesUInt8Span)
        } else {
            facts.consume(buffer.readableBytesUInt8Span)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if isServer {
            let buffer = unwrapOutboundIn(data)
            facts.consume(buffer.readableBytesUInt8Span)
        }
        context.write(data, promise: promise)
    }
}

@available(*, unavailable)
extension HandshakeTap: Sendable {}
