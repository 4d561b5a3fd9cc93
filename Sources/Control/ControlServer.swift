import Faults
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// The control interface of a running proxy: HTTP with JSON.
public struct ControlServer: Sendable {
    /// How often the plan's files are looked at.
    static let pause = Duration.milliseconds(250)

    /// What has to be sent as `Authorization: Bearer …` on loopback; nil where nothing listens there.
    public let token: String?
    /// `HOST:PORT` on loopback; nil where nothing listens there.
    public let address: String?
    /// The Unix-domain socket; nil where there is none.
    public let unixPath: String?
    private let placed: PlacedSocket?
    private let tasks: [Task<Void, Never>]

    /// Listens and answers until ``stop()``.
    ///
    /// - Parameter configuration: What it drives, and where it listens.
    /// - Returns: The interface, which accepts connections.
    /// - Throws: ``ControlError`` where it can not listen.
    public static func start(
        _ configuration: ControlConfiguration
    ) async throws(ControlError) -> ControlServer {
        let reloading = configuration.planFiles.map {
            PlanReloading($0, session: configuration.session, notice: configuration.notice)
        }
        let desk = ControlDesk(configuration: configuration, plan: reloading)
        var tasks: [Task<Void, Never>] = []
        var placed: PlacedSocket?
        var token: String?
        var address: String?
        do throws(ControlError) {
            if let loopback = configuration.loopback {
                guard LoopbackName.isLoopback(loopback.host) else {
                    throw ControlError(
                        .notLoopback,
                        "\(loopback.host) can be reached from other machines; control listens on 127.0.0.1, ::1 or localhost"
                    )
                }
                let secret = ControlAccess.makeToken()
                let listener = try await ControlListener.start(
                    on: loopback, configuration
                ) { port in
                    ControlResponder(
                        desk: desk,
                        access: .token(
                            secret, authorities: LoopbackName.authorities(loopback.host, port)))
                }
                tasks.append(listener.task)
                token = secret
                address = LoopbackName.text(loopback.host, listener.port)
            }
            if let path = configuration.unixPath {
                let socket = try SocketPath(path)
                let listener = try await ControlListener.start(
                    at: socket.temporary, configuration,
                    ControlResponder(desk: desk, access: .owner))
                tasks.append(listener.task)
                placed = try socket.place()
            }
        } catch {
            await end(tasks)
            throw error
        }
        if let reloading {
            tasks.append(Task { await reloading.watch(every: pause) })
        }
        return ControlServer(
            token: token, address: address, unixPath: placed?.path, placed: placed, tasks: tasks)
    }

    /// Stops listening, closes every connection and takes the socket away.
    public func stop() async {
        placed?.remove()
        await Self.end(tasks)
    }

    private static func end(_ tasks: [Task<Void, Never>]) async {
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}

/// A socket that answers requests.
private struct ControlListener {
    let task: Task<Void, Never>
    let port: Int

    static func start(
        on loopback: ControlConfiguration.Loopback, _ configuration: ControlConfiguration,
        _ responder: @escaping @Sendable (_ port: Int) -> ControlResponder
    ) async throws(ControlError) -> ControlListener {
        let late = LateResponder()
        let place = LoopbackName.text(loopback.host, loopback.port)
        return try await run(
            .hostname(loopback.host, port: loopback.port), configuration, place: place, late
        ) { port in late.set(responder(port)) }
    }

    static func start(
        at path: String, _ configuration: ControlConfiguration, _ responder: ControlResponder
    ) async throws(ControlError) -> ControlListener {
        let late = LateResponder()
        late.set(responder)
        return try await run(
            .unixDomainSocket(path: path), configuration, place: "a Unix-domain socket", late
        ) { _ in }
    }

    private static func run(
        _ address: BindAddress, _ configuration: ControlConfiguration, place: String,
        _ responder: LateResponder,
        opened: @escaping @Sendable (_ port: Int) -> Void
    ) async throws(ControlError) -> ControlListener {
        let (answers, answer) = AsyncStream<Result<Int, ControlError>>.makeStream()
        let logger = Logger(label: "tapedeck.control") { _ in SwiftLogNoOpLogHandler() }
        let application = Application(
            responder: responder,
            server: .http1(
                configuration: HTTP1Channel.Configuration(
                    idleTimeout: .milliseconds(max(1, configuration.idleMilliseconds)))),
            configuration: ApplicationConfiguration(
                address: address,
                availableConnectionsDelegate: .maximum(
                    max(1, configuration.mostConnections), logger: logger)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? 0
                opened(port)
                answer.yield(.success(port))
            },
            logger: logger)
        let task = Task {
            do {
                try await application.run()
            } catch {
                answer.yield(.failure(ControlError(listening: place, error)))
            }
            answer.finish()
        }
        for await result in answers {
            switch result {
            case .success(let port): return ControlListener(task: task, port: port)
            case .failure(let error): throw error
            }
        }
        throw ControlError(.failed, "can not listen on \(place)")
    }
}
