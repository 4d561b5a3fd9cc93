public import Faults
import Interception
import NIOCore
import NIOPosix
import Platform
import Synchronization
public import Wire

/// A listening proxy.
public final class ProxyServer: Sendable {
    /// The ports it listens on, in the order of the listeners.
    public let ports: [Int]

    private let group: MultiThreadedEventLoopGroup
    private let listeners: [any Channel]
    private let connections: ConnectionList
    private let sink: any RecordSink
    private let resources: ProxyResources
    private let watchdog: Watchdog
    private let notice: @Sendable (String) -> Void

    /// How long the connections may take to close when the proxy stops.
    private static let patience = Duration.seconds(5)

    private init(
        group: MultiThreadedEventLoopGroup, listeners: [any Channel], connections: ConnectionList,
        sink: any RecordSink, resources: ProxyResources, watchdog: Watchdog,
        notice: @escaping @Sendable (String) -> Void
    ) {
        ports = listeners.map { $0.localAddress?.port ?? 0 }
        self.group = group
        self.listeners = listeners
        self.connections = connections
        self.sink = sink
        self.resources = resources
        self.watchdog = watchdog
        self.notice = notice
    }

    /// Listens and relays until ``stop()``.
    ///
    /// - Parameters:
    ///   - configuration: What to do with the traffic.
    ///   - sink: Gets what is to be written to the trace.
    ///   - threads: Number of event loops, at least 1.
    /// - Returns: The proxy, which accepts connections.
    /// - Throws: ``ProxyError`` when an address can not be listened on.
    public static func start(
        _ configuration: ProxyConfiguration, sink: any RecordSink, threads: Int
    ) async throws(ProxyError) -> ProxyServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, threads))
        let connections = ConnectionList()
        let loops = Array(group.makeIterator())
        let resources = ProxyResources(loops: loops, bytes: configuration.heldBytes)
        var listeners: [any Channel] = []
        for listener in configuration.listeners {
            do {
                let bootstrap = Self.bootstrap(
                    listener, configuration, group, connections, sink, resources)
                let binding =
                    listener.socket.map { bootstrap.withBoundSocket($0) }
                    ?? bootstrap.bind(host: listener.host, port: listener.port)
                let channel = try await binding.get()
                resources.ownSockets.listens(
                    on: channel.localAddress?.port ?? 0,
                    isTransparent: listener.relay.mode == .transparent && listener.socket == nil)
                listeners.append(channel)
            } catch {
                try? await group.shutdownGracefully()
                throw ProxyError(listening: listener, error)
            }
        }
        let watchdog = Watchdog(loops.map { ($0, resources.activity(of: $0)) }) { detail, id in
            configuration.notice("tapedeck: \(detail)")
            _ = sink.put([
                .event(EventRow(.warning, connection: id, at: sink.now(), detail: detail))
            ])
        }
        return ProxyServer(
            group: group, listeners: listeners, connections: connections, sink: sink,
            resources: resources, watchdog: watchdog, notice: configuration.notice)
    }

    /// What accepts the clients of a listener.
    private static func bootstrap(
        _ listener: ProxyListener, _ configuration: ProxyConfiguration,
        _ group: MultiThreadedEventLoopGroup, _ connections: ConnectionList,
        _ sink: any RecordSink, _ resources: ProxyResources
    ) -> ServerBootstrap {
        var bootstrap = ServerBootstrap(group: group)
        if listener.takesAnyAddress {
            // IP_TRANSPARENT (linux/in.h), which a socket of IPv6 takes as well.
            bootstrap = bootstrap.serverChannelOption(
                ChannelOptions.Types.SocketOption(
                    level: .init(rawValue: 0), name: .init(rawValue: 19)), value: 1)
        }
        return
            bootstrap
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptGate(
                            descriptors: resources.descriptors, notice: configuration.notice))
                }
            }
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try ProxyConnection.setOptions(of: channel)
                    let id = ObjectIdentifier(channel as AnyObject)
                    let connection = ProxyConnection(
                        client: channel, listener: listener, configuration: configuration,
                        resources: resources, sink: sink, onClose: { connections.remove(id) })
                    let bound = NIOLoopBound(connection, eventLoop: channel.eventLoop)
                    try connection.start()
                    connections.add(id, connection.id, bound)
                }
            }
    }

    /// The connections that are open, in order of their numbers.
    public func openConnections() async -> [ConnectionDescription] {
        await connections.all(resources) { $0.description }.sorted { $0.id < $1.id }
    }

    /// Whether a client is connected, be it that its connection has not been accepted yet; false
    /// after 5 seconds where an event loop does not answer.
    public func hasClients() async -> Bool {
        await Once.first(false, after: Self.patience) { answer in
            Task { answer(await connects()) }
        }
    }

    private func connects() async -> Bool {
        for listener in listeners where await Self.waiting(at: listener) > 0 { return true }
        // What has just been accepted is set up by its event loop, behind all that it has to do.
        for loop in group.makeIterator() { try? await loop.submit {}.get() }
        return await !openConnections().isEmpty
    }

    /// The connections that the kernel has made for a listener, and that wait to be accepted.
    private static func waiting(at listener: any Channel) async -> UInt32 {
        // Of a listening socket, `tcpi_unacked` is the length of this queue (net/ipv4/tcp.c).
        guard let socket = listener as? any SocketOptionProvider else { return 0 }
        return (try? await socket.getTCPInfo().get().tcpi_unacked) ?? 0
    }

    /// Carries out an action once, now, on an open connection, or on all of them where nil.
    ///
    /// - Returns: The connections it was carried out on.
    public func fire(_ firing: Firing, on id: ConnectionID?) async -> [ConnectionID] {
        await connections.all(resources) { connection -> ConnectionID? in
            let open = connection.description.id
            guard id == nil || id == open else { return nil }
            return connection.fire(firing) ? open : nil
        }.compactMap(\.self).sorted()
    }

    /// The messages that somebody has to decide about, oldest first.
    public func held() async -> [HeldMessage] {
        await connections.all(resources) { $0.heldMessages }
            .flatMap(\.self).sorted { $0.id < $1.id }
    }

    /// Carries out what was decided about a held message.
    ///
    /// - Returns: Whether it was held: it may have gone on by itself, or its sender left.
    public func decide(_ id: HeldMessage.ID, _ decision: HoldDecision) async -> Bool {
        await connections.all(resources) { $0.decide(id, decision) }.contains(true)
    }

    /// Carries out, soon, what was decided about a message of a connection.
    ///
    /// Decisions about messages of one connection are carried out in the order of the calls.
    public func decide(_ held: HeldMessage, _ decision: HoldDecision) {
        connections.with(held.connection) { _ = $0.decide(held.id, decision) }
    }

    /// Carries out an action once, soon, on a connection.
    public func fireSoon(_ firing: Firing, on id: ConnectionID) {
        connections.with(id) { _ = $0.fire(firing) }
    }

    /// Stops listening and closes every connection; returns when all are closed, or after 5 seconds
    /// where an event loop does not answer.
    public func stop() async {
        watchdog.stop()
        let hasClosed = await Once.first(false, after: Self.patience) { isOver in
            Task {
                await close()
                isOver(true)
            }
        }
        if !hasClosed {
            notice("tapedeck: an event loop does not answer; its connections were not closed")
        }
        let refused = resources.descriptors.refused
        if refused > 0 {
            notice(
                "tapedeck: \(refused) connection\(refused == 1 ? " was" : "s were") answered with 503: \(resources.descriptors.detail)"
            )
        }
    }

    private func close() async {
        for listener in listeners { try? await listener.close() }
        await connections.stopAll()
        // What comes from other threads needs the event loops, too.
        resources.names.stop()
        await ServerTrust.settled()
        // Callbacks that wait for memory run on an event loop, which has to exist until then.
        await withCheckedContinuation { done in sink.whenRoom { done.resume() } }
        try? await group.shutdownGracefully()
    }
}

/// The connections that are open, so that they can be closed.
private final class ConnectionList: Sendable {
    private struct Entry {
        let id: ConnectionID
        let connection: NIOLoopBound<ProxyConnection>
    }

    private struct State {
        var open: [ObjectIdentifier: Entry] = [:]
        var numbered: [ConnectionID: NIOLoopBound<ProxyConnection>] = [:]
    }

    private let state = Mutex(State())

    func add(
        _ key: ObjectIdentifier, _ id: ConnectionID, _ connection: NIOLoopBound<ProxyConnection>
    ) {
        state.withLock {
            $0.open[key] = Entry(id: id, connection: connection)
            $0.numbered[id] = connection
        }
    }

    func remove(_ key: ObjectIdentifier) {
        state.withLock {
            if let entry = $0.open.removeValue(forKey: key) { $0.numbered[entry.id] = nil }
        }
    }

    /// Calls `body` with a connection that is open, on its loop, soon.
    func with(_ id: ConnectionID, _ body: @escaping @Sendable (ProxyConnection) -> Void) {
        guard let bound = state.withLock({ $0.numbered[id] }) else { return }
        bound.eventLoop.execute { body(bound.value) }
    }

    private var all: [NIOLoopBound<ProxyConnection>] {
        state.withLock { $0.open.values.map(\.connection) }
    }

    /// How long an event loop may take to answer before it is left out.
    private static let patience = Duration.seconds(2)

    /// Queries every connection on its own loop, except loops that do not answer.
    func all<T: Sendable>(
        _ resources: ProxyResources, _ ask: @escaping @Sendable (ProxyConnection) -> T
    ) async -> [T] {
        let connections = Dictionary(
            grouping: all, by: { ObjectIdentifier($0.eventLoop) })
        var answers: [T] = []
        for group in connections.values {
            guard let loop = group.first?.eventLoop, !resources.activity(of: loop).isStuck else {
                continue
            }
            answers += await Once.first([], after: Self.patience) { answer in
                loop.execute { answer(group.map { ask($0.value) }) }
            }
        }
        return answers
    }

    func stopAll() async {
        let closing = all.map { connection in
            connection.eventLoop.submit { connection.value.stop() }
        }
        for each in closing { try? await each.get() }
    }
}

/// Resumes once, for the first caller.
private final class Once<Value: Sendable>: Sendable {
    private let waiting: Mutex<CheckedContinuation<Value, Never>?>

    private init(_ waiting: CheckedContinuation<Value, Never>) { self.waiting = Mutex(waiting) }

    private func resume(_ value: Value) {
        waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }?.resume(returning: value)
    }

    /// What `begin` gives to the function that it gets, or `late` where that takes longer.
    static func first(
        _ late: Value, after patience: Duration,
        _ begin: (@escaping @Sendable (Value) -> Void) -> Void
    ) async -> Value {
        await withCheckedContinuation { waiting in
            let once = Once(waiting)
            let timer = Task {
                guard (try? await Task.sleep(for: patience)) != nil else { return }
                once.resume(late)
            }
            begin { value in
                once.resume(value)
                timer.cancel()
            }
        }
    }
}

extension ProxyError {
    /// Why there can be no such listener.
    fileprivate init(listening listener: ProxyListener, _ error: any Error) {
        if listener.takesAnyAddress, ConnectCause.systemError(error) == EPERM {
            self.init(
                .notPermitted,
                "tproxy:\(listener.port) needs root, or CAP_NET_ADMIN: it takes connections to any address"
            )
            return
        }
        let failure = ListenFailure(
            (error as? IOError)?.errnoCode, host: listener.host, port: listener.port,
            otherwise: error is SocketAddressError.UnknownHost
                ? "the name cannot be resolved; use an address" : ConnectCause.detail(error))
        let code: Code =
            switch failure.kind {
            case .taken: .addressInUse
            case .notHere, .other: .badAddress
            case .notPermitted: .notPermitted
            }
        self.init(code, failure.reason)
    }
}
