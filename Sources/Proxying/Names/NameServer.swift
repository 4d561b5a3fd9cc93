import NIOCore
import NIOPosix

/// Answers questions for names with addresses that stand for them.
///
/// A name that this machine does not know is answered as unknown, so that programs that try a name with
/// several endings find the right one.
public final class NameServer: Sendable {
    private let channel: any Channel
    private let group: MultiThreadedEventLoopGroup

    private init(_ channel: any Channel, _ group: MultiThreadedEventLoopGroup) {
        self.channel = channel
        self.group = group
    }

    /// Answers until ``stop()``.
    ///
    /// - Parameters:
    ///   - descriptor: A bound socket of UDP, which is closed at the end.
    ///   - table: Where the names are remembered.
    ///   - known: Names that are not looked up.
    /// - Returns: The server.
    /// - Throws: ``ProxyError`` where the socket cannot be used.
    public static func start(
        _ descriptor: Int32, _ table: NameTable, known: @escaping @Sendable (String) -> Bool
    ) async throws(ProxyError) -> NameServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let channel = try await DatagramBootstrap(group: group)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            NameHandler(table, known: known))
                    }
                }
                .withBoundSocket(descriptor).get()
            return NameServer(channel, group)
        } catch {
            try? await group.shutdownGracefully()
            throw ProxyError(.failed, "names cannot be answered: \(error)")
        }
    }

    /// Stops answering.
    public func stop() async {
        try? await channel.close()
        try? await group.shutdownGracefully()
    }
}

/// Answers each datagram; looking a name up does not hold up the others.
private final class NameHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias OutboundOut = AddressedEnvelope<ByteBuffer>

    private let table: NameTable
    private let known: @Sendable (String) -> Bool

    init(_ table: NameTable, known: @escaping @Sendable (String) -> Bool) {
        self.table = table
        self.known = known
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        guard let query = DNSQuery(Array(envelope.data.readableBytesView)) else { return }
        let channel = context.channel
        let address = envelope.remoteAddress
        guard query.kind == .address, !known(query.name.lowercased()) else {
            let own = query.kind == .address ? table.address(for: query.name) : nil
            return Self.send(query.answer(own), to: address, channel)
        }
        let table = table
        NIOThreadPool.singleton.runIfActive(eventLoop: context.eventLoop) {
            (try? SocketAddress.makeAddressResolvingHost(query.name, port: 0)) != nil
        }.whenComplete { result in
            let isKnown = (try? result.get()) ?? false
            let answer =
                isKnown ? table.address(for: query.name).map { query.answer($0) } : query.unknown
            if let answer { Self.send(answer, to: address, channel) }
        }
    }

    private static func send(_ answer: [UInt8], to address: SocketAddress, _ channel: any Channel) {
        let buffer = channel.allocator.buffer(bytes: answer)
        channel.writeAndFlush(AddressedEnvelope(remoteAddress: address, data: buffer), promise: nil)
    }
}
