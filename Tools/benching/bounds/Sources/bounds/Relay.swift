import NIOCore
import NIOPosix
import NIOSSL

/// One side of a relayed connection: what it reads is written to the other side as it is.
final class RelaySide: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let number: Int
    private let recorder: Recorder?
    private var context: ChannelHandlerContext?
    private var peer: RelaySide?
    private var wantsRead = false

    init(_ number: Int, _ recorder: Recorder?) {
        self.number = number
        self.recorder = recorder
    }

    /// Makes two sides each other's.
    func join(_ other: RelaySide) {
        peer = other
        other.peer = self
        readAgain()
        other.readAgain()
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        peer = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = Self.unwrapInboundIn(data)
        recorder?.note(number, bytes)
        peer?.context?.write(Self.wrapOutboundOut(bytes), promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) { peer?.context?.flush() }

    func channelInactive(context: ChannelHandlerContext) {
        guard let other = peer?.context else { return }
        let bound = NIOLoopBound(other, eventLoop: other.eventLoop)
        other.writeAndFlush(Self.wrapOutboundOut(ByteBuffer())).whenComplete { _ in
            bound.value.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { peer?.readAgain() }
    }

    func read(context: ChannelHandlerContext) {
        guard let other = peer?.context, other.channel.isWritable else {
            wantsRead = true
            return
        }
        context.read()
    }

    private func readAgain() {
        guard wantsRead, let context else { return }
        wantsRead = false
        context.read()
    }
}

@available(*, unavailable)
extension RelaySide: Sendable {}

/// The certificates of a relay that ends TLS on both sides.
struct RelayTLS: Sendable {
    let server: NIOSSLContext
    let client: NIOSSLContext

    /// - Parameters:
    ///   - certificate: Path of what the relay presents, in PEM.
    ///   - key: Path of its key.
    ///   - authority: Path of what it trusts.
    init(certificate: String, key: String, authority: String) throws {
        server = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: NIOSSLCertificate.fromPEMFile(certificate).map {
                    .certificate($0)
                }, privateKey: .privateKey(NIOSSLPrivateKey(file: key, format: .pem))))
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(authority)
        client = try NIOSSLContext(configuration: configuration)
    }
}

/// Listens, and relays each connection to a server on the same event loop.
func relay(
    to host: String, _ port: Int, tls: RelayTLS?, recorder: Recorder?, loops: Int
) throws -> any Channel {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: loops)
    let reads = AdaptiveRecvByteBufferAllocator(minimum: 2_048, initial: 2_048, maximum: 131_072)
    return try ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 1_024)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
        .childChannelOption(.maxMessagesPerRead, value: 1)
        .childChannelOption(.recvAllocator, value: reads)
        .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let number = recorder?.number() ?? 0
                let side = RelaySide(2 * number, recorder)
                if let tls {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLServerHandler(context: tls.server))
                }
                try channel.pipeline.syncOperations.addHandler(side)
                let bound = NIOLoopBound(side, eventLoop: channel.eventLoop)
                ClientBootstrap(group: channel.eventLoop)
                    .channelOption(.socketOption(.tcp_nodelay), value: 1)
                    .channelOption(.maxMessagesPerRead, value: 1)
                    .channelOption(.recvAllocator, value: reads)
                    .channelInitializer { upstream in
                        upstream.eventLoop.makeCompletedFuture {
                            if let tls {
                                try upstream.pipeline.syncOperations.addHandler(
                                    NIOSSLClientHandler(
                                        context: tls.client, serverHostname: "localhost"))
                            }
                            let other = RelaySide(2 * number + 1, recorder)
                            try upstream.pipeline.syncOperations.addHandler(other)
                            bound.value.join(other)
                        }
                    }
                    .connect(host: host, port: port)
                    .whenFailure { _ in channel.close(promise: nil) }
            }
        }
        .bind(host: "127.0.0.1", port: 0).wait()
}
