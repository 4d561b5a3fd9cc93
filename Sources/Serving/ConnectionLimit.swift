internal import NIOCore

/// Accepts no connection while the maximum is open; others wait in the system's queue.
final class ConnectionLimit: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = any Channel
    typealias OutboundOut = any Channel

    private let maximum: Int
    private var open = 0
    /// Set while accepting waits for a connection to close.
    private var heldRead: ChannelHandlerContext?

    /// A limit of `maximum` connections, at least 1.
    init(_ maximum: Int) { self.maximum = max(1, maximum) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        open += 1
        let child = Self.unwrapInboundIn(data)
        child.closeFuture.hop(to: context.eventLoop).assumeIsolated().whenComplete { _ in
            self.open -= 1
            let held = self.heldRead
            self.heldRead = nil
            held?.read()
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        if open < maximum { context.read() } else { heldRead = context }
    }

    func handlerRemoved(context: ChannelHandlerContext) { heldRead = nil }
}

@available(*, unavailable)
extension ConnectionLimit: Sendable {}
