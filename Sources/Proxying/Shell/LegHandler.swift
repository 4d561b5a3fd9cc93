import NIOCore
import NIOSSL
import NIOTLS
import Wire

/// The end of a leg's pipeline: reports events to the connection, and reads when it may.
///
/// Makes no decisions. Runs on the connection's event loop.
final class LegHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let leg: LegID
    private let connection: ProxyConnection
    private var context: ChannelHandlerContext?
    private var isPaused = false
    private var wantsRead = false
    /// Errors since the leg opened, oldest first: the TLS library gives the cause before the close.
    private(set) var errors: [any Error] = []
    private var isOver = false

    init(leg: LegID, connection: ProxyConnection) {
        self.leg = leg
        self.connection = connection
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        // A client's channel that was closed before it was active never becomes inactive.
        if leg == connection.clientLeg { end() }
    }

    func channelActive(context: ChannelHandlerContext) {
        if leg == connection.clientLeg { connection.accepted() }
        context.fireChannelActive()
    }

    /// Pauses reading, or resumes it.
    func setPaused(_ paused: Bool) {
        guard paused != isPaused else { return }
        isPaused = paused
        if !paused, wantsRead {
            wantsRead = false
            context?.read()
        }
    }

    /// Writes without flushing.
    ///
    /// From here and not from the end of the pipeline, which is behind this handler and asks for its
    /// thread each time.
    func write(_ buffer: ByteBuffer) { context?.write(wrapOutboundOut(buffer), promise: nil) }

    /// Flushes what was written.
    func flush() { context?.flush() }

    func read(context: ChannelHandlerContext) {
        if isPaused { wantsRead = true } else { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        connection.received(leg, unwrapInboundIn(data))
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        connection.updateReading()
        connection.account()
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed where isOver: break
        case ChannelEvent.inputClosed:
            connection.inputClosed(leg, errors: errors)
        case TLSUserEvent.handshakeCompleted(let negotiated):
            connection.secured(leg, alpn: negotiated)
        default:
            break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isOver else { return context.close(promise: nil) }
        if errors.count < 8 { errors.append(error) }
        connection.failed(leg, errors: errors)
        // The connection is unusable after an error; its close notifies the relay.
        if !(error is NIOSSLError) || connection.isHandshaking(leg) {
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    /// Reports nothing more: the leg goes on with another channel.
    func leave() { isOver = true }

    /// Notifies the connection that the channel is closed, once.
    func end() {
        guard !isOver else { return }
        isOver = true
        connection.inactive(leg, errors: errors)
    }
}

@available(*, unavailable)
extension LegHandler: Sendable {}
