public import Interception
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import NIOWebSocket
internal import Simperium
internal import Synchronization

/// A CommCare server and a Simperium server on one port.
///
/// Everything is kept in memory and gone after ``stop()`` unless there is a state file. Source of
/// the behaviour: ``CommCareServer`` and ``SimperiumServer``.
public final class SyncServer: Sendable {
    /// How the servers behave.
    public struct Options: Sendable {
        /// The CommCare server.
        public var commCare: CommCareServer.Options
        /// Who is let in.
        public var accounts: Accounts
        /// The file with what is kept; nil for none.
        public var state: String?
        /// Makes certificates for clients that begin with TLS, where others get plain HTTP; nil for
        /// plain HTTP alone.
        public var tls: LeafCache?
        /// What the admin's requests have to show; nil for no admin.
        public var adminToken: String?
        /// A cookie, `NAME=VALUE`, that is set wherever a request came without it; nil for none.
        public var cookie: String?
        /// Seconds between two pings to each WebSocket; nil for none.
        public var pingSeconds: Int64?
        /// Told what went wrong, for people.
        public var notice: @Sendable (String) -> Void
        /// What times the heartbeats of SockJS.
        var heartbeats = Heartbeats.timed

        /// Options with these values.
        public init(
            commCare: CommCareServer.Options = .init(), accounts: Accounts = .open,
            state: String? = nil, tls: LeafCache? = nil, adminToken: String? = nil,
            notice: @escaping @Sendable (String) -> Void = { _ in }
        ) {
            self.commCare = commCare
            self.accounts = accounts
            self.state = state
            self.tls = tls
            self.adminToken = adminToken
            self.notice = notice
        }
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
    private let desk: FrontDesk
    /// A thread for each of the two servers.
    private let threads: MultiThreadedEventLoopGroup

    /// The address listened on, without port.
    public let host: String
    /// The port listened on.
    public let port: Int

    /// A server that listens already.
    private init(
        _ listener: any Channel, _ connections: Connections, _ desk: FrontDesk,
        _ threads: MultiThreadedEventLoopGroup, host: String
    ) {
        self.listener = listener
        self.connections = connections
        self.desk = desk
        self.threads = threads
        self.host = host
        port = listener.localAddress?.port ?? 0
    }

    /// Listens and serves until ``stop()``.
    ///
    /// - Parameters:
    ///   - host: IP address or name of this machine.
    ///   - port: TCP port; 0 asks for a free one.
    ///   - options: How the servers behave.
    /// - Returns: The server, which accepts connections.
    /// - Throws: ``SyncServerError`` where it cannot listen, or the state file cannot be used.
    public static func start(
        host: String = "127.0.0.1", port: Int = 0, options: Options = Options()
    ) async throws(SyncServerError) -> SyncServer {
        let threads = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        do {
            let desk = try makeDesk(options, threads)
            let (listener, connections) = try await listen(host, port, desk, options.tls)
            return SyncServer(listener, connections, desk, threads, host: host)
        } catch {
            try? await threads.shutdownGracefully()
            throw error
        }
    }

    /// What answers, with what the state file has.
    private static func makeDesk(
        _ options: Options, _ threads: MultiThreadedEventLoopGroup
    ) throws(SyncServerError) -> FrontDesk {
        var file: ServerState?
        if let path = options.state { file = try ServerState(path: path) }
        var heartbeats = options.heartbeats
        heartbeats.pings = options.pingSeconds.map { .seconds(max(1, $0)) }
        let simperium = try SimperiumDesk(
            options.accounts, file, threads.next(), heartbeats, notice: options.notice)
        let commCare = try CommCareDesk(
            options.commCare, options.accounts, file, threads.next(), notice: options.notice)
        return FrontDesk(
            commCare, simperium, adminToken: options.adminToken, cookie: options.cookie)
    }

    private static func listen(
        _ host: String, _ port: Int, _ desk: FrontDesk, _ tls: LeafCache?
    ) async throws(SyncServerError) -> (any Channel, Connections) {
        let connections = Connections()
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
            .childChannelInitializer { channel in
                connections.add(channel)
                return channel.eventLoop.makeCompletedFuture {
                    guard let tls else { return try configure(channel, desk, isSecure: false) }
                    try channel.pipeline.syncOperations.addHandler(
                        FirstByteHandler { channel, beginning in
                            guard case .tls(let name) = beginning else {
                                return try configure(channel, desk, isSecure: false)
                            }
                            // A name that cannot be is the TLS client's to complain about.
                            let asked = name.flatMap { try? tls.context(for: $0) }
                            let local = channel.localAddress?.ipAddress ?? "localhost"
                            let context = try asked ?? tls.context(for: local)
                            try channel.pipeline.syncOperations.addHandler(
                                NIOSSLServerHandler(context: context))
                            try configure(channel, desk, isSecure: true)
                        })
                }
            }
        do {
            return (try await bootstrap.bind(host: host, port: port).get(), connections)
        } catch {
            throw SyncServerError(listening: host, port, error)
        }
    }

    /// Closes the port, tells WebSockets so, and closes all connections.
    public func stop() async {
        try? await listener.close().get()
        let ended = threads.next().makePromise(of: Void.self)
        desk.simperium.add(.end(ended))
        try? await ended.futureResult.get()
        let alsoEnded = threads.next().makePromise(of: Void.self)
        desk.commCare.end(alsoEnded)
        try? await alsoEnded.futureResult.get()
        for channel in connections.all.withLock({ Array($0.values) }) {
            // After what is on its way already.
            try? await channel.eventLoop.flatSubmit { channel.close() }.get()
        }
        try? await threads.shutdownGracefully()
    }

    /// Waits until the server is stopped.
    public func wait() async { try? await listener.closeFuture.get() }

    /// Makes the pipeline of a connection.
    private static func configure(
        _ channel: any Channel, _ desk: FrontDesk, isSecure: Bool
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: SocketHandler.limit, automaticErrorHandling: false,
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
                    try pipeline.addHandler(SocketHandler(desk.simperium, endpoint))
                }
            })
        try pipeline.configureHTTPServerPipeline(
            withServerUpgrade: (
                upgraders: [upgrader],
                completionHandler: { context in
                    // What is HTTP's goes; the frames come in its place.
                    let pipeline = context.pipeline.syncOperations
                    if let handler = try? pipeline.handler(type: RequestHandler.self) {
                        pipeline.removeHandler(handler, promise: nil)
                    }
                    if let handler = try? pipeline.handler(type: DateHandler.self) {
                        pipeline.removeHandler(handler, promise: nil)
                    }
                }
            ))
        // Before whatever answers: what is no HTTP is refused by a handler of the library.
        let encoder = try pipeline.handler(type: HTTPResponseEncoder.self)
        try pipeline.addHandler(DateHandler(), position: .after(encoder))
        try pipeline.addHandler(RequestHandler(desk, isSecure: isSecure))
    }
}
