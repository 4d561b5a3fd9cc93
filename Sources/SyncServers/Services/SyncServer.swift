public import Interception
internal import NIOCore
internal import NIOPosix
internal import Serving
internal import Simperium

/// A CommCare server and a Simperium server on one port.
///
/// Everything is kept in memory and lost after ``stop()`` unless there is a state file. Source of
/// the behaviour: ``CommCareServer`` and ``SimperiumServer``.
public final class SyncServer: Sendable {
    /// How the servers behave.
    public struct Options: Sendable {
        /// The CommCare server.
        public var commCare: CommCareServer.Options
        /// What the Simperium server does now and then.
        public var simperium = SimperiumServer.Behavior()
        /// The accepted users.
        public var accounts: Accounts
        /// The file with what is kept; nil for none.
        public var state: String?
        /// What there is from the start; nil for nothing.
        ///
        /// Its accounts are those it was made with; a state file has to be new.
        public var initial: InitialState?
        /// Makes certificates for clients that begin with TLS, where others get plain HTTP; nil for
        /// plain HTTP alone.
        public var tls: LeafCache?
        /// What the admin's requests have to show; nil for no admin.
        public var adminToken: String?
        /// A cookie, `NAME=VALUE`, that is set wherever a request came without it; nil for none.
        public var cookie: String?
        /// Seconds between two pings to each WebSocket; nil for none.
        public var pingSeconds: Int64?
        /// Receives errors, as text.
        public var notice: @Sendable (String) -> Void
        /// Receives what was served, on any thread; nil where nobody watches.
        public var served: (@Sendable (ServedEvent) -> Void)?
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

    private let server: HTTPServer
    let router: RequestRouter
    /// A thread for each of the two servers.
    private let threads: MultiThreadedEventLoopGroup

    /// The address listened on, without port.
    public let host: String
    /// The port listened on.
    public let port: Int

    /// A server that listens already.
    private init(
        _ server: HTTPServer, _ router: RequestRouter, _ threads: MultiThreadedEventLoopGroup,
        host: String
    ) {
        self.server = server
        self.router = router
        self.threads = threads
        self.host = host
        port = server.port
    }

    /// Listens and serves until ``stop()``.
    ///
    /// - Parameters:
    ///   - host: IP address or name of this machine.
    ///   - port: TCP port; 0 selects a free one.
    ///   - options: How the servers behave.
    /// - Returns: The server, which accepts connections.
    /// - Throws: ``SyncServerError`` where it cannot listen, or the state file cannot be used.
    public static func start(
        host: String = "127.0.0.1", port: Int = 0, options: Options = Options()
    ) async throws(SyncServerError) -> SyncServer {
        let threads = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        do {
            let router = try makeRouter(options, threads)
            let server = try await listen(host, port, router, options.tls)
            return SyncServer(server, router, threads, host: host)
        } catch {
            try? await threads.shutdownGracefully()
            throw error
        }
    }

    /// What answers, with what the state file has.
    private static func makeRouter(
        _ options: Options, _ threads: MultiThreadedEventLoopGroup
    ) throws(SyncServerError) -> RequestRouter {
        var file: ServerState?
        if let path = options.state { file = try ServerState(path: path) }
        var heartbeats = options.heartbeats
        heartbeats.pings = options.pingSeconds.map { .seconds(max(1, $0)) }
        var accounts = options.initial?.accounts ?? options.accounts
        if let file {
            if let initial = options.initial {
                guard try file.isEmpty() else {
                    throw SyncServerError(
                        .badState,
                        "--state \(file.path) has data already; name a new file to begin with the "
                            + "trace, or leave out --from to go on with the file")
                }
                try file.write(initial.accounts)
            } else {
                accounts = try file.accounts(accounts)
            }
        }
        let simperium = try SimperiumService(
            accounts, file, threads.next(), heartbeats, initial: options.initial,
            behavior: options.simperium, notice: options.notice)
        let commCare = try CommCareService(
            options.commCare, accounts, file, threads.next(), initial: options.initial,
            notice: options.notice)
        return RequestRouter(
            commCare, simperium, adminToken: options.adminToken, cookie: options.cookie,
            served: options.served)
    }

    private static func listen(
        _ host: String, _ port: Int, _ router: RequestRouter, _ tls: LeafCache?
    ) async throws(SyncServerError) -> HTTPServer {
        var options = HTTPServer.Options()
        options.tls = tls
        options.webSockets = WebSocketOffer(
            maximumMessage: SocketHandler.limit, maximumFrames: SocketHandler.frames,
            isOffered: { request, _ in
                SimperiumEndpoint.recognise(path: request.target) != nil
            },
            opened: { channel, target in
                guard let endpoint = SimperiumEndpoint.recognise(path: target) else {
                    throw ChannelError.operationUnsupported
                }
                try channel.pipeline.syncOperations.addHandler(
                    SocketHandler(router.simperium, endpoint))
                router.served?(.socket(target: target))
            })
        do throws(ListenError) {
            return try await HTTPServer.start(
                at: .tcp(host: host, port: port), options: options
            ) { port in
                let authorities = LoopbackName.authorities(host, port)
                return Responder { request, peer, loop in
                    router.answer(request, from: peer, to: authorities, on: loop)
                }
            }
        } catch {
            throw SyncServerError(listening: host, port, error)
        }
    }

    /// Closes the port, sends close frames to WebSockets, and closes all connections.
    public func stop() async {
        await server.close()
        let ended = threads.next().makePromise(of: Void.self)
        router.simperium.add(.end(ended))
        try? await ended.futureResult.get()
        let alsoEnded = threads.next().makePromise(of: Void.self)
        router.commCare.end(alsoEnded)
        try? await alsoEnded.futureResult.get()
        await server.closeConnections()
        try? await threads.shutdownGracefully()
    }

    /// Waits until the server is stopped.
    public func wait() async { await server.wait() }
}
