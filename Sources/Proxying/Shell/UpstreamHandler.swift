import NIOCore
import NIOTLS

/// Speaks with an upstream proxy on a connection that is to become one to a server, and then leaves
/// the pipeline.
///
/// Runs on the connection's event loop.
final class UpstreamHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// What came of it.
    enum Outcome {
        /// The server is connected.
        case connected
        /// The proxy wants to be asked again with an answer to this.
        case challenged(ProxyChallenge)
    }

    /// Why there is no way through.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private var negotiation: UpstreamNegotiation
    private var first: [UpstreamNegotiation.Step]
    private let isSecured: Bool
    private let name: String
    private var rest: [UInt8] = []
    private var result: Result<Outcome, any Error>?
    private var done: ((Result<Outcome, any Error>) -> Void)?

    /// A handler that speaks as soon as the connection is up, and where the proxy uses TLS that.
    init(
        _ proxy: UpstreamProxy, to server: ServerAddress, isTunnel: Bool, authorization: String?
    ) {
        var steps: [UpstreamNegotiation.Step] = []
        negotiation = UpstreamNegotiation(
            proxy, to: server, authorization: authorization, into: &steps)
        // Requests are sent to the proxy itself, as soon as it is connected.
        first = isTunnel ? steps : [.connected([])]
        isSecured = proxy.kind == .https
        name = proxy.address
    }

    /// Calls `body` with what came of it, once that is known.
    func whenDone(_ body: @escaping (Result<Outcome, any Error>) -> Void) {
        if let result { body(result) } else { done = body }
    }

    func channelActive(context: ChannelHandlerContext) {
        if !isSecured { carryOut(&first, context) }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event, result == nil {
            return carryOut(&first, context)
        }
        if case ChannelEvent.inputClosed = event, result == nil {
            context.close(promise: nil)
            return
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard result == nil else { return context.fireChannelRead(data) }
        let buffer = unwrapInboundIn(data)
        var steps = negotiation.consume(Array(buffer.readableBytesView))
        carryOut(&steps, context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard result == nil else { return context.fireErrorCaught(error) }
        finish(.failure(error))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        var steps = negotiation.ended()
        carryOut(&steps, context)
        context.fireChannelInactive()
    }

    func removeHandler(
        context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken
    ) {
        if !rest.isEmpty {
            context.fireChannelRead(
                wrapInboundOut(context.channel.allocator.buffer(bytes: rest)))
        }
        context.leavePipeline(removalToken: removalToken)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        finish(.failure(Failure(description: "the upstream proxy \(name): no connection")))
    }

    /// It took too long.
    func giveUp() {
        finish(
            .failure(
                Failure(description: "the upstream proxy \(name): it does not answer in time")))
    }

    private func carryOut(
        _ steps: inout [UpstreamNegotiation.Step], _ context: ChannelHandlerContext
    ) {
        for step in steps {
            switch step {
            case .send(let bytes):
                context.writeAndFlush(
                    wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
            case .connected(let rest):
                self.rest = rest
                finish(.success(.connected))
            case .challenged(let challenge):
                finish(.success(.challenged(challenge)))
                context.close(promise: nil)
            case .failed(let why):
                finish(.failure(Failure(description: why)))
                context.close(promise: nil)
            }
        }
        steps = []
    }

    private func finish(_ result: Result<Outcome, any Error>) {
        guard self.result == nil else { return }
        self.result = result
        done?(result)
        done = nil
    }
}

@available(*, unavailable)
extension UpstreamHandler: Sendable {}
