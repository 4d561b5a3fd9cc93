package import NIOCore
internal import NIOPosix

/// A socket that accepts connections, and those that it accepted.
package final class Listener: Sendable {
    /// How connections are accepted.
    package struct Options: Sendable {
        /// The threads of the connections.
        package var group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
        /// The maximum number of open connections, at least 1, and nil for no limit; others wait to
        /// be accepted.
        package var maximumConnections: Int?
        /// Whether a client that ends what it sends is still answered.
        package var allowsHalfClosure = false

        /// Options with these values.
        package init(
            group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
            maximumConnections: Int? = nil, allowsHalfClosure: Bool = false
        ) {
            self.group = group
            self.maximumConnections = maximumConnections
            self.allowsHalfClosure = allowsHalfClosure
        }
    }

    private let channel: any Channel
    private let connections: OpenConnections
    /// The TCP port listened on; 0 for a Unix-domain socket.
    package let port: Int

    private init(_ channel: any Channel, _ connections: OpenConnections) {
        self.channel = channel
        self.connections = connections
        port = channel.localAddress?.port ?? 0
    }

    /// Listens until ``close()``.
    ///
    /// - Parameters:
    ///   - place: Where.
    ///   - options: How connections are accepted.
    ///   - initialize: Makes the pipeline of a connection, on its event loop.
    /// - Returns: The listener, which accepts connections.
    /// - Throws: ``ListenError`` where it cannot listen.
    package static func start(
        at place: ListeningPlace, options: Options = Options(),
        initialize: @escaping @Sendable (any Channel) throws -> Void
    ) async throws(ListenError) -> Listener {
        let connections = OpenConnections()
        var bootstrap = ServerBootstrap(group: options.group)
            .serverChannelOption(.backlog, value: 1024)
            .childChannelOption(.allowRemoteHalfClosure, value: options.allowsHalfClosure)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard connections.add(channel) else { throw ChannelError.ioOnClosedChannel }
                    try initialize(channel)
                }
            }
        if let maximum = options.maximumConnections {
            // Accepting several at a time could exceed the maximum.
            bootstrap =
                bootstrap
                .serverChannelOption(.maxMessagesPerRead, value: 1)
                .serverChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(ConnectionLimit(maximum))
                    }
                }
        }
        do {
            let channel =
                switch place {
                case .tcp(let host, let port):
                    try await bootstrap
                        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                        .childChannelOption(.socketOption(.so_keepalive), value: 1)
                        .bind(host: host, port: port).get()
                case .bound(let socket): try await bootstrap.withBoundSocket(socket).get()
                }
            return Listener(channel, connections)
        } catch {
            throw ListenError(error)
        }
    }

    /// Waits until it is closed.
    package func wait() async { try? await channel.closeFuture.get() }

    /// Accepts no more connections; those that are open stay.
    package func close() async { try? await channel.close().get() }

    /// Closes all connections.
    package func closeConnections() async {
        for channel in connections.end() {
            // After what is already queued.
            try? await channel.eventLoop.flatSubmit { channel.close() }.get()
        }
    }

    /// Closes the connections that wait for a request at once, others after their current answer,
    /// and all after `patience`.
    package func drain(patience: TimeAmount) async {
        let open = connections.end()
        let late = channel.eventLoop.scheduleTask(in: patience) {
            for channel in open { channel.close(promise: nil) }
        }
        for channel in open {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
        for channel in open { try? await channel.closeFuture.get() }
        late.cancel()
    }
}
