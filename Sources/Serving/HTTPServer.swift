package import Interception
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import NIOWebSocket

/// The base of HTTP/1.1 servers: it listens, frames, enforces limits, and answers requests one
/// after the other on each connection.
package final class HTTPServer: Sendable {
    /// The limits for clients.
    package struct Limits: Hashable, Sendable {
        /// Longest body, in bytes.
        package var bodyBytes = 64 << 20
        /// Bytes of a body up to which one that is too long is read to its end and dropped, so that
        /// the client can read the reason; of a longer one the connection is closed.
        package var drainedBytes = 0
        /// Longest target, header field, and all header fields together, in bytes.
        package var headBytes = 80 << 10
        /// The maximum number of header fields.
        package var headFields = 256
        /// The maximum number of open connections, at least 1, and nil for no limit; others wait to
        /// be accepted.
        package var connections: Int?
        /// Milliseconds that a client has for each head, each body after it, and each part of an
        /// answer that it reads, at least 1, and nil for ever; then the connection is closed.
        package var silenceMilliseconds: Int64?

        /// Limits for embedded servers: bodies of 64 MiB, and patience.
        package init() {}
    }

    /// How requests come.
    package struct Options: Sendable {
        /// The limits for clients.
        package var limits = Limits()
        /// Makes certificates for clients that begin with TLS, where others get plain HTTP; nil for
        /// plain HTTP only.
        package var tls: LeafCache?
        /// WebSockets; nil for none.
        package var webSockets: WebSocketOffer?

        /// Plain HTTP, without WebSockets.
        package init() {}
    }

    private let listener: Listener
    /// The TCP port listened on; 0 for a Unix-domain socket.
    package var port: Int { listener.port }

    private init(_ listener: Listener) { self.listener = listener }

    /// Listens and answers until ``close()``.
    ///
    /// - Parameters:
    ///   - place: Where.
    ///   - options: How requests come.
    ///   - responder: Answers the requests of a connection to this port.
    /// - Returns: The server, which accepts connections.
    /// - Throws: ``ListenError`` where it cannot listen.
    package static func start(
        at place: ListeningPlace, options: Options = Options(),
        responder: @escaping @Sendable (_ port: Int) -> Responder
    ) async throws(ListenError) -> HTTPServer {
        let listening = Listener.Options(maximumConnections: options.limits.connections)
        return HTTPServer(
            try await Listener.start(at: place, options: listening) { channel in
                let responder = responder(channel.localAddress?.port ?? 0)
                guard let tls = options.tls else {
                    return try configure(channel, options, responder, isSecure: false)
                }
                try channel.pipeline.syncOperations.addHandler(
                    FirstByteHandler { channel, beginning in
                        guard case .tls(let name) = beginning else {
                            return try configure(channel, options, responder, isSecure: false)
                        }
                        try secure(channel, tls, name)
                        try configure(channel, options, responder, isSecure: true)
                    })
            })
    }

    /// Waits until it is closed.
    package func wait() async { await listener.wait() }

    /// Accepts no more connections; those that are open stay.
    package func close() async { await listener.close() }

    /// Closes all connections.
    package func closeConnections() async { await listener.closeConnections() }

    /// Closes the connections that wait for a request at once, others after their current answer,
    /// and all after this many seconds.
    package func drain(seconds: Int64) async { await listener.drain(patience: .seconds(seconds)) }

    private static func secure(_ channel: any Channel, _ tls: LeafCache, _ name: String?) throws {
        // An invalid name is reported by the TLS client.
        let asked = name.flatMap { try? tls.context(for: $0) }
        let local = channel.localAddress?.ipAddress ?? "localhost"
        let context = try asked ?? tls.context(for: local)
        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
    }

    /// Makes the pipeline of a connection.
    private static func configure(
        _ channel: any Channel, _ options: Options, _ responder: Responder, isSecure: Bool
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = options.limits.headBytes
        limits.maxHeaderListSize = options.limits.headBytes
        limits.maxHeaderFieldCount = options.limits.headFields
        try pipeline.configureHTTPServerPipeline(
            withServerUpgrade: options.webSockets.map(upgrade), withErrorHandling: false,
            withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
        // Before the responder: an upgrade is answered by a handler of the library.
        let encoder = try pipeline.handler(type: HTTPResponseEncoder.self)
        try pipeline.addHandler(DateHandler(), position: .after(encoder))
        try pipeline.addHandler(RequestHandler(responder, options.limits, isSecure: isSecure))
    }

    private static func upgrade(_ offer: WebSocketOffer) -> NIOHTTPServerUpgradeConfiguration {
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: offer.maximumMessage, automaticErrorHandling: false,
            shouldUpgrade: { channel, head in
                let request = ServedRequest(
                    head.method.rawValue, head.uri,
                    fields: head.headers.map { .init($0.name, $0.value) })
                let port = channel.localAddress?.port ?? 0
                return channel.eventLoop.makeSucceededFuture(
                    offer.isOffered(request, port) ? HTTPHeaders() : nil)
            },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(MaskedFrames())
                    try channel.pipeline.syncOperations.addHandler(
                        NIOWebSocketFrameAggregator(
                            minNonFinalFragmentSize: 0,
                            maxAccumulatedFrameCount: offer.maximumFrames,
                            maxAccumulatedFrameSize: offer.maximumMessage))
                    try offer.opened(channel, head.uri)
                }
            })
        return (
            upgraders: [upgrader],
            completionHandler: { context in
                // The HTTP handlers are removed; the frame handlers replace them.
                let pipeline = context.pipeline.syncOperations
                if let handler = try? pipeline.handler(type: RequestHandler.self) {
                    pipeline.removeHandler(handler, promise: nil)
                }
                if let handler = try? pipeline.handler(type: DateHandler.self) {
                    pipeline.removeHandler(handler, promise: nil)
                }
            }
        )
    }
}
