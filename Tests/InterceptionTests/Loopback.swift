import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// A connection over the loopback interface, and everything its two pipelines reported.
enum Loopback {
    /// What one end saw.
    struct Report: Sendable {
        /// Errors in the order in which the pipeline reported them.
        var errors: [any Error] = []
        /// Whether the handshake was completed.
        var isUp = false
    }

    /// Collects what a pipeline reports and closes it after an error or a handshake.
    final class Witness: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private var report = Report()
        private let done: EventLoopPromise<Report>
        private let greeting: [UInt8]?

        init(_ done: EventLoopPromise<Report>, greeting: [UInt8]? = nil) {
            self.done = done
            self.greeting = greeting
        }

        func channelActive(context: ChannelHandlerContext) {
            if let greeting {
                context.writeAndFlush(
                    NIOAny(context.channel.allocator.buffer(bytes: greeting)), promise: nil)
            }
            context.fireChannelActive()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            report.errors.append(error)
            if !(error is IOError) { context.close(promise: nil) }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if let event = event as? TLSUserEvent, case .handshakeCompleted = event {
                report.isUp = true
            }
        }

        func channelInactive(context: ChannelHandlerContext) { done.succeed(report) }
    }

    /// Connects `client` to `server` and waits until both ends are closed.
    ///
    /// Either end is given its pipeline's first handler, or bytes to send, and says when to close.
    static func run(
        server: @escaping @Sendable (any Channel) throws -> Void,
        client: @escaping @Sendable (any Channel) throws -> Void,
        serverSends: [UInt8]? = nil, clientSends: [UInt8]? = nil,
        then: @escaping @Sendable (any Channel) -> Void = { _ in }
    ) async throws -> (server: Report, client: Report) {
        let group = MultiThreadedEventLoopGroup.singleton
        let serverDone = group.next().makePromise(of: Report.self)
        let clientDone = group.next().makePromise(of: Report.self)
        let listener = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try server(channel)
                    try channel.pipeline.syncOperations.addHandler(
                        Witness(serverDone, greeting: serverSends))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let channel = try await ClientBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try client(channel)
                    try channel.pipeline.syncOperations.addHandler(
                        Witness(clientDone, greeting: clientSends))
                }
            }
            .connect(host: "127.0.0.1", port: listener.localAddress?.port ?? 0).get()
        then(channel)
        let reports = try await (serverDone.futureResult.get(), clientDone.futureResult.get())
        try await listener.close()
        return (server: reports.0, client: reports.1)
    }
}

@available(*, unavailable)
extension Loopback.Witness: Sendable {}
