internal import Framing
internal import NIOCore
internal import Replaying
internal import Simperium
internal import Wire

/// Carries out the commands of a play of sockets; on its event loop alone.
final class SocketCoordinator {
    private struct Line {
        var channel: (any Channel)?
        var isSockJS = false
        var tell: (@Sendable (PlayedSocket) -> Void)?
        /// Frames that go out at the end of the turn.
        var frames = ByteBuffer()
    }

    private var play: SimperiumPlay
    private let target: ReplayTarget
    private let loop: any EventLoop
    private var lines: [ConnectionID: Line] = [:]
    private var dialers: [SimperiumTarget: Dialer] = [:]
    private var timer: PlayTimer
    private var events: [SimperiumPlayEvent] = []
    private var commands: [SimperiumPlayCommand] = []
    /// Sockets with frames to go out, or to be closed, in this turn.
    private var touched: [ConnectionID] = []
    private var closing: [ConnectionID] = []
    private var finished: Set<ConnectionID> = []
    private var isTaking = false
    private var mask = SystemRandomNumberGenerator()

    init(_ play: SimperiumPlay, target: ReplayTarget, loop: any EventLoop) {
        self.play = play
        self.target = target
        self.loop = loop
        timer = PlayTimer(loop)
    }

    /// Opens a socket, and reports its result when it has ended.
    func begin(
        _ id: ConnectionID, _ transport: SocketPlayer.Recording.Transport?,
        tell: @escaping @Sendable (PlayedSocket) -> Void
    ) {
        // It may have been given up before.
        if finished.contains(id) { return tell(played(id)) }
        lines[id] = Line(tell: tell)
        guard let transport, let server = target.server(for: transport.host) else {
            let host = transport?.host ?? "a host that was not recorded"
            return take(.closed(id, code: nil, reason: "no server for \(host)"))
        }
        let dialer: Dialer
        do throws(SimperiumClientError) { dialer = try self.dialer(server) } catch {
            return take(.closed(id, code: nil, reason: error.reason))
        }
        let isSockJS =
            SimperiumEndpoint.recognise(path: transport.path)?.transport == .sockJS
        lines[id]?.isSockJS = isSockJS
        let key = SocketHandler.key()
        let path = isSockJS && !target.isVerbatim ? Self.anew(transport.path) : transport.path
        let request = SocketReader.request(
            path: server.prefix + path, host: server.authority, key: key)
        let coordinator = NIOLoopBound(self, eventLoop: loop)
        dialer.dial(on: loop) {
            PlayedSocketHandler(
                id, request: request, reader: SocketReader(key: key, isSockJS: isSockJS),
                coordinator: coordinator)
        }.whenFailure { error in
            coordinator.value.take(.closed(id, code: nil, reason: Dialer.detail(error)))
        }
    }

    private func dialer(_ server: SimperiumTarget) throws(SimperiumClientError) -> Dialer {
        if let known = dialers[server] { return known }
        let made = try Dialer(server, trustFile: target.trustFile)
        dialers[server] = made
        return made
    }

    /// The path of a SockJS socket with a new server and session identifier.
    static func anew(_ path: String) -> String {
        var segments = path.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count == 7 else { return path }
        let number = String(Int.random(in: 0...999))
        let server = String(repeating: "0", count: 3 - number.count) + number
        let session = String(UInt64.random(in: 0 ... .max), radix: 36)
        segments.replaceSubrange(4...5, with: [Substring(server), Substring(session)])
        return segments.joined(separator: "/")
    }

    /// A connection was made.
    func up(_ id: ConnectionID, _ channel: any Channel) {
        guard lines[id] != nil else { return channel.close(promise: nil) }
        lines[id]?.channel = channel
    }

    /// Processes what happened, to its last consequence.
    func take(_ event: SimperiumPlayEvent) { take([event]) }

    /// Processes what happened, to its last consequence.
    func take(_ more: [SimperiumPlayEvent]) {
        events += more
        guard !isTaking else { return }
        isTaking = true
        var next = 0
        while next < events.count {
            let event = events[next]
            next += 1
            if next == 1_024 {
                events.removeFirst(next)
                next = 0
            }
            play.handle(event, at: timer.now, into: &commands)
            let all = commands
            commands.removeAll(keepingCapacity: true)
            for command in all { carryOut(command) }
        }
        events.removeAll(keepingCapacity: true)
        isTaking = false
        flush()
    }

    private func carryOut(_ command: SimperiumPlayCommand) {
        switch command {
        case .send(let id, let text):
            guard let isSockJS = lines[id]?.isSockJS else { return }
            let payload = isSockJS ? SockJSFrame.encode(client: [text]) : text
            let frame = WebSocketFrameEncoder.encode(
                opcode: .text, payload: payload, mask: mask.next())
            if lines[id]?.frames.readableBytes == 0 { touched.append(id) }
            lines[id]?.frames.writeBytes(frame)
        case .askTurn(let id):
            let coordinator = NIOLoopBound(self, eventLoop: loop)
            target.order?.awaitTurn(.command(id), on: loop) { coordinator.value.take(.turn(id)) }
        case .came(let id): target.order?.came(.command(id))
        case .close(let id): closing.append(id)
        case .finished(let id):
            finished.insert(id)
            if !closing.contains(id) { closing.append(id) }
        case .setTimer(let time): arm(time)
        }
    }

    private func arm(_ time: Instant) {
        let coordinator = NIOLoopBound(self, eventLoop: loop)
        let order = target.order
        timer.set(time) {
            if coordinator.value.play.isPausing { order?.pauses() }
            coordinator.value.take(.timePassed(progress: order?.progress ?? 0))
        }
    }

    private func flush() {
        for id in touched {
            guard let frames = lines[id]?.frames, frames.readableBytes > 0 else { continue }
            lines[id]?.frames = ByteBuffer()
            lines[id]?.channel?.writeAndFlush(frames, promise: nil)
        }
        touched.removeAll(keepingCapacity: true)
        let ended = closing
        closing = []
        for id in ended { end(id) }
    }

    /// Closes a connection; the player of the socket is notified when that is done.
    private func end(_ id: ConnectionID) {
        guard finished.contains(id), let line = lines.removeValue(forKey: id) else { return }
        let (played, tell) = (played(id), line.tell)
        guard let channel = line.channel else {
            tell?(played)
            return
        }
        let bytes = SocketHandler.frame(.close, WebSocketCloseCode.payload(1000))
        channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenComplete { _ in
            channel.close(promise: nil)
        }
        channel.closeFuture.whenComplete { _ in tell?(played) }
    }

    private func played(_ id: ConnectionID) -> PlayedSocket { play.played(id) ?? PlayedSocket(id) }
}
