internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
public import NIOSSL
internal import NIOWebSocket
internal import Simperium
internal import Synchronization

/// A CommCare server and a Simperium server on one port.
///
/// Everything is kept in memory and gone after ``stop()``. Source of the behaviour:
/// ``CommCareServer`` and ``SimperiumServer``.
public final class SyncServer: Sendable {
    /// How the servers behave.
    public struct Options: Hashable, Sendable {
        /// The CommCare server.
        public var commCare: CommCareServer.Options

        /// Options with these values.
        public init(commCare: CommCareServer.Options = .init()) { self.commCare = commCare }
    }

    /// The connections that are open, so that ``stop()`` can close them.
    private final class Connections: Sendable {
        let all = Mutex<[ObjectIdentifier: any Channel]>([:])

        func add(_ channel: any Channel) {
            all.withLock { $0[ObjectIdentifier(channel)] = channel }
            channel.closeFuture.whenComplete { _ in
                self.all.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(channel)) }
            }
        }
    }

    private let listener: any Channel
    private let connections: Connections

    /// The address listened on, without port.
    public let host: String
    /// The port listened on.
    public let port: Int

    /// A server that listens already.
    private init(_ listener: any Channel, _ connections: Connections, host: String) {
        self.listener = listener
        self.connections = connections
        self.host = host
        port = listener.localAddress?.port ?? 0
    }

    /// Listens and serves until ``stop()``.
    ///
    /// - Parameters:
    ///   - host: IP address or name of this machine.
    ///   - port: TCP port; 0 asks for a free one.
    ///   - tls: The server side of TLS; plain HTTP where nil.
    ///   - options: How the servers behave.
    /// - Returns: The server, which accepts connections.
    /// - Throws: ``SyncServerError`` where it cannot listen.
    public static func start(
        host: String = "127.0.0.1", port: Int = 0, tls: NIOSSLContext? = nil,
        options: Options = Options()
    ) async throws(SyncServerError) -> SyncServer {
        let hub = SyncHub(options.commCare)
        let connections = Connections()
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                connections.add(channel)
                return channel.eventLoop.makeCompletedFuture { try configure(channel, hub, tls) }
            }
        do {
            let listener = try await bootstrap.bind(host: host, port: port).get()
            return SyncServer(listener, connections, host: host)
        } catch let error as IOError {
            let code: SyncServerError.Code = error.errnoCode == 98 ? .addressInUse : .badAddress
            throw SyncServerError(code, "cannot listen on \(host):\(port): \(error)")
        } catch {
            throw SyncServerError(.failed, "cannot listen on \(host):\(port): \(error)")
        }
    }

    /// Closes the port and all connections.
    public func stop() async {
        try? await listener.close().get()
        for channel in connections.all.withLock({ Array($0.values) }) {
            try? await channel.close().get()
        }
    }

    /// Waits until the server is stopped.
    public func wait() async { try? await listener.closeFuture.get() }

    /// Makes the pipeline of a connection.
    private static func configure(
        _ channel: any Channel, _ hub: SyncHub, _ tls: NIOSSLContext?
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: SocketHandler.limit,
            shouldUpgrade: { channel, head in
                let isOurs = SimperiumEndpoint.recognise(path: head.uri) != nil
                return channel.eventLoop.makeSucceededFuture(isOurs ? HTTPHeaders() : nil)
            },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture {
                    guard let endpoint = SimperiumEndpoint.recognise(path: head.uri) else {
                        throw ChannelError.operationUnsupported
                    }
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(
                        NIOWebSocketFrameAggregator(
                            minNonFinalFragmentSize: 0,
                            maxAccumulatedFrameCount: SocketHandler.frames,
                            maxAccumulatedFrameSize: SocketHandler.limit))
                    try pipeline.addHandler(SocketHandler(hub, endpoint))
                }
            })
        try pipeline.configureHTTPServerPipeline(
            withServerUpgrade: (
                upgraders: [upgrader],
                completionHandler: { context in
                    // What is HTTP's goes; the frames come in its place.
                    if let handler = try? context.pipeline.syncOperations.handler(
                        type: RequestHandler.self)
                    {
                        context.pipeline.syncOperations.removeHandler(handler, promise: nil)
                    }
                }
            ))
        try pipeline.addHandler(RequestHandler(hub, isSecure: tls != nil))
    }
}
