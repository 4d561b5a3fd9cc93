import Faults
import Serving

/// The control interface of a running proxy: HTTP with JSON.
public struct ControlServer: Sendable {
    /// The interval at which the plan's files are checked.
    static let pause = Duration.milliseconds(250)
    /// Seconds that ``stop()`` waits for answers that are being prepared.
    private static let patience: Int64 = 5

    /// The limits for clients, on each of the two sockets.
    static let limits = {
        var limits = HTTPServer.Limits()
        limits.bodyBytes = ControlResponder.longestBody
        limits.drainedBytes = ControlResponder.longestWaste
        limits.headBytes = 64 << 10
        limits.headFields = 100
        return limits
    }()

    /// The token for `Authorization: Bearer …` on loopback; nil where nothing listens
    /// there.
    public let token: String?
    /// `HOST:PORT` on loopback; nil where nothing listens there.
    public let address: String?
    /// The Unix-domain socket; nil where there is none.
    public let unixPath: String?
    private let placed: PlacedSocket?
    private let servers: [HTTPServer]
    /// Watches the plan's files; nil where there are none.
    private let watching: Task<Void, Never>?

    /// Listens and answers until ``stop()``.
    ///
    /// - Parameter configuration: What it controls, and where it listens.
    /// - Returns: The interface, which accepts connections.
    /// - Throws: ``ControlError`` where it cannot listen.
    public static func start(
        _ configuration: ControlConfiguration
    ) async throws(ControlError) -> ControlServer {
        let reloading = configuration.planFiles.map {
            PlanReloading($0, session: configuration.session, notice: configuration.notice)
        }
        let service = ControlService(
            configuration: configuration, plan: reloading, holders: Holders())
        var options = HTTPServer.Options()
        options.limits = limits
        options.limits.connections = configuration.maximumConnections
        options.limits.silenceMilliseconds = configuration.idleMilliseconds
        var servers: [HTTPServer] = []
        var placed: PlacedSocket?
        var token: String?
        var address: String?
        do throws(ControlError) {
            if let loopback = configuration.loopback {
                let secret = LoopbackAccess.makeToken()
                let server = try await listen(on: loopback, options, service, token: secret)
                servers.append(server)
                token = secret
                address = LoopbackName.text(loopback.host, server.port)
            }
            if let path = configuration.unixPath {
                let socket = try SocketPath(path)
                servers.append(try await listen(at: try socket.bind(), options, service))
                placed = try socket.place()
            }
        } catch {
            await end(servers)
            throw error
        }
        return ControlServer(
            token: token, address: address, unixPath: placed?.path, placed: placed,
            servers: servers,
            watching: reloading.map { plan in Task { await plan.watch(every: pause) } })
    }

    private static func listen(
        on loopback: ControlConfiguration.Loopback, _ options: HTTPServer.Options,
        _ service: ControlService, token: String
    ) async throws(ControlError) -> HTTPServer {
        let host = loopback.host
        guard LoopbackName.isLoopback(host) else {
            throw ControlError(
                .notLoopback,
                "\(host) can be reached from other machines; control listens on 127.0.0.1, ::1 or localhost"
            )
        }
        do throws(ListenError) {
            return try await HTTPServer.start(
                at: .tcp(host: LoopbackName.address(host), port: loopback.port), options: options
            ) { port in
                let authorities = LoopbackName.authorities(host, port)
                return ControlResponder(
                    service: service, access: .token(token, authorities: authorities)
                ).responder
            }
        } catch {
            throw ControlError(listening: LoopbackName.text(host, loopback.port), error)
        }
    }

    private static func listen(
        at socket: Int32, _ options: HTTPServer.Options, _ service: ControlService
    ) async throws(ControlError) -> HTTPServer {
        do throws(ListenError) {
            return try await HTTPServer.start(at: .bound(socket), options: options) { _ in
                ControlResponder(service: service, access: .owner).responder
            }
        } catch {
            throw ControlError(listening: "a Unix-domain socket", error)
        }
    }

    /// Stops listening, answers pending requests, closes every connection and removes the socket.
    public func stop() async {
        placed?.remove()
        watching?.cancel()
        await Self.end(servers)
        await watching?.value
    }

    private static func end(_ servers: [HTTPServer]) async {
        for server in servers { await server.close() }
        for server in servers { await server.drain(seconds: patience) }
    }
}
