public import Interception
internal import NIOCore
internal import NIOPosix
public import Replaying
internal import Serving

/// The server side of a recorded session, played to live clients.
///
/// HTTP and Simperium on one port, to clients that take it for the server and to those that use it
/// as their proxy; nothing is ever sent anywhere else. One event loop with one clock does it all.
public final class ReplayServer: Sendable {
    /// What happens when something comes that was not recorded.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// It is the end.
        case strict
        /// It is refused, or stays without answer, and the replay continues.
        case lenient
        /// The embedded servers answer it, from the state that the recording implies.
        case model
    }

    /// How a recording is played.
    public struct Options: Sendable {
        /// What happens when something comes that was not recorded.
        public var mode: Mode
        /// How fast recorded time passes.
        public var pace: ReplayPace
        /// The random seed of what a model synthesizes.
        public var seed: UInt64
        /// What takes no part in comparing.
        public var ignored: [IgnoreRule]
        /// Whether it ends when everything recorded was played and no client is connected.
        public var endsWhenDone: Bool
        /// Makes certificates for clients that begin with TLS; nil to refuse them.
        public var tls: LeafCache?
        /// Receives what was missed, as text without a trailing line feed.
        public var notice: @Sendable (String) -> Void
        /// Called once when the replay ends on its own.
        public var stopped: @Sendable () -> Void

        /// Options with these values.
        public init(
            mode: Mode = .strict, pace: ReplayPace = .asFastAsPossible, seed: UInt64 = 0,
            ignored: [IgnoreRule] = [], endsWhenDone: Bool = false, tls: LeafCache? = nil,
            notice: @escaping @Sendable (String) -> Void = { _ in },
            stopped: @escaping @Sendable () -> Void = {}
        ) {
            self.mode = mode
            self.pace = pace
            self.seed = seed
            self.ignored = ignored
            self.endsWhenDone = endsWhenDone
            self.tls = tls
            self.notice = notice
            self.stopped = stopped
        }
    }

    /// The address listened on, without port.
    public let host: String
    /// The port listened on.
    public let port: Int
    private let listener: Listener
    private let coordinator: NIOLoopBound<ReplayCoordinator>
    private let group: MultiThreadedEventLoopGroup

    private init(
        _ host: String, _ listener: Listener, _ coordinator: NIOLoopBound<ReplayCoordinator>,
        _ group: MultiThreadedEventLoopGroup
    ) {
        self.host = host
        port = listener.port
        self.listener = listener
        self.coordinator = coordinator
        self.group = group
    }

    /// Listens and plays until ``stop()``.
    ///
    /// - Parameters:
    ///   - source: The recording.
    ///   - host: IP address or name of this machine.
    ///   - port: TCP port; 0 selects a free one.
    ///   - options: How it is played.
    /// - Returns: The server, which accepts connections.
    /// - Throws: ``SyncServerError`` where it cannot listen.
    public static func start(
        _ source: ReplaySource, host: String = "127.0.0.1", port: Int = 0,
        options: Options = Options()
    ) async throws(SyncServerError) -> ReplayServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        do {
            let coordinator = try await loop.submit {
                NIOLoopBound(ReplayCoordinator(source, options, loop), eventLoop: loop)
            }.get()
            let listener = try await Listener.start(
                at: .tcp(host: host, port: port),
                options: Listener.Options(group: group, allowsHalfClosure: true)
            ) { channel in
                try channel.pipeline.syncOperations.addHandler(
                    ReplayConnection(coordinator.value))
            }
            return ReplayServer(host, listener, coordinator, group)
        } catch {
            try? await group.shutdownGracefully()
            let error = (error as? ListenError) ?? ListenError(error)
            throw SyncServerError(listening: host, port, error)
        }
    }

    /// The result so far.
    public func report() async -> ReplayReport {
        let coordinator = coordinator
        let report = coordinator.eventLoop.submit { coordinator.value.report }
        return (try? await report.get()) ?? ReplayReport()
    }

    /// Closes the port and all connections, after what is on its way.
    ///
    /// - Returns: The result.
    @discardableResult
    public func stop() async -> ReplayReport {
        await listener.close()
        let report = await report()
        let coordinator = coordinator
        try? await coordinator.eventLoop.submit {
            for connection in coordinator.value.connections.values { connection.end() }
        }.get()
        try? await group.shutdownGracefully()
        return report
    }
}
