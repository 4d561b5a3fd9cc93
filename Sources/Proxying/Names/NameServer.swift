import NIOCore
import NIOPosix

/// Answers questions for names with addresses that stand for them.
///
/// A name that this machine does not know is answered as unknown, so that programs that try a name with
/// several endings find the right one.
public final class NameServer: Sendable {
    private let channel: any Channel

    private init(_ channel: any Channel) { self.channel = channel }

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
        do {
            // What is looked up may take longer than the recording: this loop does not end.
            let channel = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            NameHandler(table, known: known))
                    }
                }
                .withBoundSocket(descriptor).get()
            return NameServer(channel)
        } catch {
            throw ProxyError(.failed, "names cannot be answered: \(error)")
        }
    }

    /// Stops answering.
    public func stop() async { try? await channel.close() }
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
        let table = table
        // Of a name that is given nothing is known but that it is there: one address leads to it.
        guard query.kind != .other, !known(query.name.lowercased()) else {
            let own = query.kind == .address ? table.address(for: query.name) : nil
            return Self.send(query.answer(own), to: address, channel)
        }
        NIOThreadPool.singleton.runIfActive(eventLoop: context.eventLoop) {
            try HostLookup.addresses(of: query.name, port: 0).get().map(\.protocol)
        }.whenComplete { result in
            let kinds = (try? result.get()) ?? []
            let answer: [UInt8]? =
                switch query.kind {
                case _ where kinds.isEmpty: query.unknown
                case .address6 where kinds.contains(.inet6):
                    table.address6(for: query.name).map { query.answer($0) }
                case .address6, .other: query.answer(nil)
                case .address: table.address(for: query.name).map { query.answer($0) }
                }
            if let answer { Self.send(answer, to: address, channel) }
        }
    }

    private static func send(_ answer: [UInt8], to address: SocketAddress, _ channel: any Channel) {
        let buffer = channel.allocator.buffer(bytes: answer)
        channel.writeAndFlush(AddressedEnvelope(remoteAddress: address, data: buffer), promise: nil)
    }
}
