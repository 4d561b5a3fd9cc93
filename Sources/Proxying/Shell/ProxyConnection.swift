import Faults
import Interception
import NIOCore
import NIOPosix
import NIOSSL
import Platform
import Wire

/// The sockets of one client connection, driven by a ``Relay``.
///
/// Carries out what the relay decides and passes events to it; decides nothing but when to read.
/// All its channels are on one event loop, which is the only thread that touches it.
final class ProxyConnection {
    /// One channel and how far its TLS is.
    ///
    /// A reference, since it is looked up several times for every read.
    final class Line {
        let channel: any Channel
        let handler: LegHandler
        var security: Security = .plain
        var deadline: Scheduled<Void>?
        var tap: HandshakeTap?
        /// Why the server's certificate was not accepted.
        var verdict: ServerVerdict?
        /// The address of a socket that may lead to the proxy itself.
        var own: SocketAddress?
        /// Where it leads to another proxy that gets requests and is to know who asks.
        var proxied: ProxiedLeg?
        /// Whether as much is read at once as within a long body.
        var readsContent = false
        /// Bytes that were written and that the peer did not take yet.
        var waiting: Int { (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }

        init(channel: any Channel, handler: LegHandler) {
            self.channel = channel
            self.handler = handler
        }
    }

    /// The lines of a connection by their legs.
    ///
    /// Nearly always two, which are compared sooner than hashed.
    struct Lines {
        private(set) var legs: [LegID] = []
        private(set) var all: [Line] = []
        var isEmpty: Bool { legs.isEmpty }

        subscript(leg: LegID) -> Line? {
            get { legs.firstIndex(of: leg).map { all[$0] } }
            set {
                let index = legs.firstIndex(of: leg)
                switch (index, newValue) {
                case (let index?, let line?): all[index] = line
                case (let index?, nil):
                    legs.remove(at: index)
                    all.remove(at: index)
                case (nil, let line?):
                    legs.append(leg)
                    all.append(line)
                case (nil, nil): break
                }
            }
        }
    }

    enum Security {
        case plain
        case handshaking(serverName: String)
        case secure(serverName: String)
    }

    let configuration: ProxyConfiguration
    let sink: any RecordSink
    let resources: ProxyResources
    let eventLoop: any EventLoop
    private let activity: LoopActivity
    let id: ConnectionID
    let clientLeg: LegID
    let listener: String
    /// Whether the address of the client's socket is that of the server it means.
    let takesAnyAddress: Bool
    var relay: Relay
    var judge: ConnectionJudge?
    var alarm: Scheduled<Void>?
    /// Why the client is refused, until that is sent.
    var refusal: Refusal?
    private var hasClientSpoken = false
    /// File descriptors of the legs, those that are being connected included.
    var descriptors = 1
    /// When the start of a head that is held is forwarded unchanged.
    var overdue: Scheduled<Void>?
    var lines = Lines()
    /// Legs on which something was written that was not flushed.
    private var dirty: [LegID] = []
    private var events: [RelayEvent] = []
    private var isRunning = false
    /// What is being received, as bytes and as the buffer that was read into.
    private(set) var read: (bytes: [UInt8], buffer: ByteBuffer)?
    /// Whether a leg is in a long body.
    var isReadingContent = false
    /// Why each peer is not read, by its raw value.
    var pauses: [ReadPause] = [[], []]
    /// Bytes of the peers that are held, as they were counted last.
    var held = 0
    /// Whether a peer does not accept what is written to it, as of the last change.
    var isSomebodyBehind = false
    /// How many commands an event nearly always has at most, for which there is room at once.
    private static let usualCommands = 4
    /// Whether all legs were closed.
    private(set) var isFinished = false
    private let onClose: () -> Void

    init(
        client: any Channel, listener place: ProxyListener, configuration: ProxyConfiguration,
        resources: ProxyResources, sink: any RecordSink, onClose: @escaping () -> Void
    ) {
        self.configuration = configuration
        self.resources = resources
        self.sink = sink
        self.onClose = onClose
        eventLoop = client.eventLoop
        activity = resources.activity(of: eventLoop)
        takesAnyAddress = place.takesAnyAddress
        let own = takesAnyAddress ? client.parent?.localAddress : client.localAddress
        let peer = client.remoteAddress
        let (ownHost, peerHost) = (own?.ipAddress, peer?.ipAddress)
        listener = ownHost ?? place.host
        clientLeg = sink.nextLeg()
        let at = sink.now()
        id = sink.nextConnection()
        let mode: ConnectionRow.Mode =
            switch place.relay.mode {
            case .forward: .forward
            case .reverse: .reverse
            case .transparent: .transparent
            }
        relay = Relay(
            connection: ConnectionRow(
                id: id, at: at, listener: own.text(host: ownHost),
                client: peer.text(host: peerHost), mode: mode),
            clientLeg: LegRow(
                id: clientLeg, connection: id, peer: .client, at: at,
                host: peerHost ?? "", port: peer?.port ?? 0),
            settings: place.relay, nextLeg: { sink.nextLeg() })
        relay.known = resources.knownHeads(of: eventLoop)
        let (clients, part) = (resources.clients, configuration.clientPart)
        let (address, clock) = (relay.clientLeg.host, relay.settings.clock)
        relay.clientPart = { userAgent, at in
            part(clients.client(at: address), userAgent, clock.unixSeconds(at: at))
        }
        judge = configuration.faults.map {
            ConnectionJudge($0, sessionID: configuration.session)
        }
        if resources.descriptors.takeRefusal(of: ObjectIdentifier(client as AnyObject)) {
            refusal = .exhausted(resources.descriptors)
        }
        let handler = LegHandler(leg: clientLeg, connection: self)
        lines[clientLeg] = Line(channel: client, handler: handler)
    }

    /// Puts the client's handler in place.
    func start() throws {
        guard let line = lines[clientLeg] else { return }
        resources.memory.join()
        try line.channel.pipeline.syncOperations.addHandler(line.handler)
    }

    /// Closes everything, because the proxy stops.
    func stop() {
        for leg in lines.legs {
            _ = breaksHandshakeOff(leg)
            lines[leg]?.channel.close(promise: nil)
        }
    }

    // MARK: What happens

    func received(_ leg: LegID, _ buffer: ByteBuffer) {
        let bytes = Array(buffer.readableBytesView)
        defer { read = nil }
        if leg == clientLeg, !hasClientSpoken {
            hasClientSpoken = true
            if refuses(bytes) { return }
            configuration.faults?.asker?.connected(relay.connection)
        }
        if lines[leg]?.proxied != nil {
            receivedOfProxy(leg, bytes)
        } else {
            read = (bytes, buffer)
            dispatch(.received(leg, bytes))
            sizeReads(of: leg, after: bytes.count)
        }
    }

    func inputClosed(_ leg: LegID, errors: [any Error]) {
        guard !isHandshaking(leg) else { return }
        proxyEnded(leg)
        dispatch(.ended(leg))
    }

    func isHandshaking(_ leg: LegID) -> Bool {
        if case .handshaking = lines[leg]?.security { true } else { false }
    }

    func secured(_ leg: LegID, alpn: String?) {
        guard case .handshaking(let name) = lines[leg]?.security else { return }
        lines[leg]?.security = .secure(serverName: name)
        lines[leg]?.deadline?.cancel()
        lines[leg]?.deadline = nil
        if leg == clientLeg { noteHandshake(name, nil) }
        let detail = particulars(of: leg, name: name, alpn: alpn)
        if let tap = lines[leg]?.tap {
            lines[leg]?.tap = nil
            lines[leg]?.channel.pipeline.syncOperations.removeHandler(tap, promise: nil)
        }
        note(.tls, leg, detail: detail)
        dispatch(leg == clientLeg ? .clientSecured : .ready(leg))
    }

    /// An error occurred; if it ends a handshake, the cause is reported now.
    func failed(_ leg: LegID, errors: [any Error]) {
        guard case .handshaking(let name) = lines[leg]?.security else {
            return refusedLate(leg, errors)
        }
        handshakeFailed(leg, failure(errors, on: leg), name)
    }

    func inactive(_ leg: LegID, errors: [any Error]) {
        if case .handshaking(let name) = lines[leg]?.security {
            handshakeFailed(leg, failure(errors, on: leg), name)
        }
        proxyEnded(leg)
        if let line = lines[leg] {
            line.deadline?.cancel()
            if leg != clientLeg { releaseDescriptor() }
            if let own = line.own { forget(own) }
        }
        lines[leg] = nil
        let isReset = errors.contains { ($0 as? IOError)?.errnoCode == 104 }
        dispatch(.closed(leg, isReset: isReset, CloseCause.detail(errors, isReset: isReset)))
        updateReading()
        if lines.isEmpty { finish() }
    }

    /// A leg that was to be is none.
    func endIfAlone() {
        if lines.isEmpty { finish() }
    }

    private func finish() {
        guard !isFinished else { return }
        isFinished = true
        alarm?.cancel()
        alarm = nil
        resources.memory.leave(holding: held)
        held = 0
        overdue?.cancel()
        overdue = nil
        onClose()
    }

    func note(_ kind: EventRow.Kind, _ leg: LegID, detail: String) {
        dispatch(.noted(leg, kind, detail))
    }

    // MARK: What is done

    /// Gives an event to the relay and carries out what it decides, in order, one event at a time.
    func dispatch(_ event: RelayEvent) {
        events.append(event)
        guard !isRunning else { return }
        isRunning = true
        activity.enter(id)
        defer {
            isRunning = false
            activity.leave()
        }
        var commands: [RelayCommand] = []
        commands.reserveCapacity(Self.usualCommands)
        repeat {
            var index = 0
            while index < events.count {
                commands.removeAll(keepingCapacity: true)
                if judge == nil {
                    relay.handle(events[index], at: sink.now(), into: &commands)
                } else {
                    judge?.handle(events[index], at: sink.now(), relay: &relay, into: &commands)
                }
                index += 1
                carryOut(commands)
            }
            events.removeAll(keepingCapacity: true)
            // A disconnected peer found by this is an event as well.
            flush()
        } while !events.isEmpty
        account()
    }

    func flush() {
        // What one learns by this may make it write again.
        var legs: [LegID] = []
        swap(&legs, &dirty)
        for leg in legs { lines[leg]?.handler.flush() }
        legs.removeAll(keepingCapacity: true)
        if dirty.isEmpty { swap(&legs, &dirty) }
    }

    func carryOut(_ commands: [RelayCommand]) {
        // What is sent is in the trace before an answer to it can be.
        var records: [Record] = []
        for case .record(let record) in commands { records.append(record) }
        put(records)
        for index in commands.indices where !commands[index].isRecord { carryOut(commands[index]) }
    }

    private func carryOut(_ command: RelayCommand) {
        switch command {
        case .record: break
        case .send(let leg, let bytes):
            guard let line = lines[leg], let bytes = forProxy(line, bytes) else { return }
            line.handler.write(asRead(bytes) ?? line.channel.allocator.buffer(bytes: bytes))
            if !dirty.contains(leg) { dirty.append(leg) }
        case .connect(let leg, let server):
            connect(leg, server)
        case .connectThrough(let leg, let server, let proxy, let isTunnel):
            connect(leg, server, through: proxy, isTunnel: isTunnel)
        case .end(let leg):
            guard endsProxied(leg) else { return }
            lines[leg]?.channel.flush()
            lines[leg]?.channel.close(mode: .output, promise: nil)
        case .close(let leg, let isReset):
            close(leg, isReset: isReset)
        case .secureClient(let host, let hello, let isExpired):
            secureClient(
                host: host.isEmpty ? listener : host, hello: hello, isExpired: isExpired)
        case .secureServer(let leg, let name):
            secureServer(leg, name)
        case .pauseClient:
            pauses[Peer.client.rawValue].insert(.relayHolds)
            updateReading()
        case .resumeClient:
            pauses[Peer.client.rawValue].remove(.relayHolds)
            updateReading()
        case .holdBack(let peer):
            pauses[peer.rawValue].insert(.faultsHold)
            updateReading()
        case .letCome(let peer):
            pauses[peer.rawValue].remove(.faultsHold)
            updateReading()
        case .wake(let moment):
            wake(at: moment)
        case .notice(let text):
            resources.notices.say(text, configuration.notice)
        }
    }

    private func put(_ records: [Record]) {
        guard !records.isEmpty, !sink.put(records), pause(.traceFull) else { return }
        updateReading()
        let resume = NIOLoopBound(self, eventLoop: eventLoop)
        let loop = eventLoop
        sink.whenRoom {
            loop.execute {
                resume.value.resume(.traceFull)
                resume.value.updateReading()
            }
        }
    }

    /// Closes a leg after what was sent before.
    private func close(_ leg: LegID, isReset: Bool) {
        guard let channel = lines[leg]?.channel else { return }
        let wasInHandshake = breaksHandshakeOff(leg)
        if isReset, let socket = channel as? any SocketOptionProvider {
            // Closing with a linger time of zero sends a RST.
            socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in
                channel.close(promise: nil)
            }
            return
        }
        if wasInHandshake { return channel.close(promise: nil) }
        channel.writeAndFlush(channel.allocator.buffer(capacity: 0)).whenComplete { _ in
            channel.close(promise: nil)
        }
    }
}

@available(*, unavailable)
extension ProxyConnection: Sendable {}
