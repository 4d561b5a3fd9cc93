internal import NIOCore
internal import NIOPosix
internal import Platform
internal import Serving

/// What is inspected, and how.
public struct InspectionConfiguration: Sendable {
    /// A trace.
    public struct Trace: Sendable {
        /// The file.
        public var path: String
        /// The socket of its recording's control interface; nil for the one beside it.
        public var controlPath: String?
        /// The baseline of its findings; nil for the one beside it, `TRACE.baseline`.
        public var baselinePath: String?

        /// The trace at `path`.
        public init(path: String, controlPath: String? = nil, baselinePath: String? = nil) {
            self.path = path
            self.controlPath = controlPath
            self.baselinePath = baselinePath
        }
    }

    /// The traces, at least one.
    public var traces: [Trace]
    /// What it needs of the program.
    public var tools: any InspectionTools
    /// The version of the program.
    public var version: String
    /// A name or address of this machine.
    public var host = "127.0.0.1"
    /// The TCP port; 0 for any free one.
    public var port = 0
    /// Other names and addresses by which browsers reach it, where it listens beyond loopback.
    public var names: [String] = []
    /// Whether pages may change nothing.
    public var isReadOnly = false

    /// These traces on a free port of loopback.
    public init(traces: [Trace], tools: any InspectionTools, version: String) {
        self.traces = traces
        self.tools = tools
        self.version = version
    }
}

/// Why the inspector does not start.
public struct InspectionError: Error, Hashable, CustomStringConvertible {
    /// Whether the port is taken, rather than the address wrong.
    public let isTaken: Bool
    /// What happened and what to do.
    public let description: String
}

/// The inspector: a page for browsers, and the API behind it.
public final class InspectionServer: Sendable {
    /// Where it listens, `HOST:PORT`.
    public let address: String
    /// The address that a browser opens, with the token.
    public let url: String
    /// The token for `Authorization: Bearer …`.
    public let token: String
    private let server: HTTPServer
    private let traces: [InspectedTrace]
    private let replays: Replays
    private let threads: MultiThreadedEventLoopGroup

    private init(
        _ server: HTTPServer, _ traces: [InspectedTrace], _ replays: Replays,
        _ threads: MultiThreadedEventLoopGroup, host: String, token: String
    ) {
        self.server = server
        self.traces = traces
        self.replays = replays
        self.threads = threads
        self.token = token
        address = LoopbackName.text(host, server.port)
        url = "http://\(address)/?token=\(token)"
    }

    /// Threads that read: pages wait for none of the others.
    private static let readers = 5

    static let limits = {
        var limits = HTTPServer.Limits()
        limits.bodyBytes = 1 << 20
        limits.drainedBytes = 16 << 20
        limits.headBytes = 32 << 10
        limits.headFields = 100
        limits.connections = 256
        limits.silenceMilliseconds = 60_000
        return limits
    }()

    /// Listens and answers until ``stop()``.
    ///
    /// - Parameter configuration: What is inspected, and where.
    /// - Returns: The server, which accepts connections.
    /// - Throws: ``InspectionError`` where it cannot listen.
    public static func start(
        _ configuration: InspectionConfiguration
    ) async throws(InspectionError) -> InspectionServer {
        let threads = MultiThreadedEventLoopGroup(numberOfThreads: readers)
        let traces = configuration.traces.enumerated().map { index, trace in
            InspectedTrace(id: index + 1, trace, tools: configuration.tools, on: threads)
        }
        let replays = Replays()
        let service = InspectionService(
            traces: traces, tools: configuration.tools, version: configuration.version,
            isReadOnly: configuration.isReadOnly, replays: replays)
        let token = LoopbackAccess.makeToken()
        let host = configuration.host
        let names = configuration.names
        @Sendable func responder(_ port: Int) -> InspectionResponder {
            let others = names.map { LoopbackName.text($0.lowercased(), port) }
            return InspectionResponder(
                service: service,
                access: .token(
                    token, authorities: LoopbackName.authorities(host, port).union(others),
                    cookie: "tapedeck-\(port)"))
        }
        var options = HTTPServer.Options()
        options.limits = limits
        // Its port is known when it is asked: a page has the Host of its own address.
        options.webSockets = WebSocketOffer(
            maximumMessage: LiveSocket.limit, maximumFrames: 16,
            isOffered: { request, port in responder(port).mayOpen(request) },
            opened: { channel, _ in
                try channel.pipeline.syncOperations.addHandler(LiveSocket(LiveFeed(traces)))
            })
        do throws(ListenError) {
            let server = try await HTTPServer.start(
                at: .tcp(host: LoopbackName.address(host), port: configuration.port),
                options: options
            ) { responder($0).responder }
            return InspectionServer(
                server, traces, replays, threads, host: host, token: token)
        } catch {
            try? await threads.shutdownGracefully()
            let place = LoopbackName.text(host, configuration.port)
            let isTaken = error.code == EADDRINUSE
            throw InspectionError(
                isTaken: isTaken,
                description: isTaken
                    ? "\(place) is taken by another program; choose another port with --listen, or 0 for a free one"
                    : "cannot listen on \(place): \(error.reason)")
        }
    }

    /// Stops listening, ends replays and readings, and closes every connection.
    public func stop() async {
        await server.close()
        for trace in traces { trace.stop() }
        await replays.stopAll()
        await server.closeConnections()
        try? await threads.shutdownGracefully()
    }
}
