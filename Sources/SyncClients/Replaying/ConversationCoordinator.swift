internal import Framing
internal import NIOCore
internal import Replaying
internal import Wire

/// Carries out the commands of the play of one WebSocket without Simperium; on its event loop
/// alone.
final class ConversationCoordinator {
    private var play: WebSocketPlay
    private let opening: WebSocketOpening
    private let target: ReplayTarget
    private let identity: SharedIdentity
    private let loop: any EventLoop
    private var channel: (any Channel)?
    private var deflater: MessageDeflater?
    private var tell: (@Sendable (PlayedConversation) -> Void)?
    private var timer: PlayTimer
    private var events: [WebSocketPlayEvent] = []
    private var isTaking = false
    private var isFinished = false
    /// Whether a close frame was sent: nothing may follow it.
    private var isClosing = false
    /// Frames that go out at the end of the turn.
    private var frames = ByteBuffer()
    private var mask = SystemRandomNumberGenerator()

    init(
        _ play: WebSocketPlay, _ opening: WebSocketOpening, target: ReplayTarget,
        identity: SharedIdentity, loop: any EventLoop
    ) {
        self.play = play
        self.opening = opening
        self.target = target
        self.identity = identity
        self.loop = loop
        timer = PlayTimer(loop)
    }

    // MARK: The connection

    /// Opens the socket, and reports its result when it has ended.
    func begin(tell: @escaping @Sendable (PlayedConversation) -> Void) {
        // It may have been given up before.
        guard !isFinished else { return tell(play.played) }
        self.tell = tell
        take(.begun)
        guard let server = target.server(for: opening.request.host) else {
            return take(.unreachable("no server for \(opening.request.host)"))
        }
        let dialer: Dialer
        do throws(SimperiumClientError) {
            dialer = try Dialer(server, trustFile: target.trustFile)
        } catch {
            return take(.unreachable(error.reason))
        }
        let handshake = ConversationHandshake(opening, to: server)
        let coordinator = NIOLoopBound(self, eventLoop: loop)
        dialer.dial(on: loop) {
            ConversationHandler(handshake, coordinator: coordinator)
        }.whenFailure { error in
            coordinator.value.take(.unreachable("\(server.authority): \(Dialer.detail(error))"))
        }
    }

    /// A connection was made.
    func up(_ channel: any Channel) {
        guard !isFinished else { return channel.close(promise: nil) }
        self.channel = channel
    }

    /// The server opened the socket.
    func opened(_ head: HTTPHead, _ compression: PerMessageDeflate?) {
        deflater = compression.flatMap {
            MessageDeflater(
                windowBits: $0.windowBits(.client), contextTakeover: $0.takesContextOver(.client))
        }
        let answer = ReplayMessage(
            fields: head.fields.map { .init(head.text($0.name), head.text($0.value)) })
        take(.opened(identity.withLock { opening.opened(answer, &$0) }))
    }

    /// The server answered the handshake otherwise.
    func refused(_ status: Int) { take(.refused(opening.refused(status))) }

    /// A ping of the server is answered.
    func pong(_ payload: [UInt8]) { frame(.pong, payload) }

    /// The server closed the socket: the close frame is answered (RFC 6455, 5.5.1).
    func closed(_ code: Int?, _ reason: String) {
        close(code)
        take(.closed(code: code, reason: reason))
    }

    // MARK: The play

    /// Processes what happened, to its last consequence.
    func take(_ event: WebSocketPlayEvent) {
        events.append(event)
        guard !isTaking else { return }
        isTaking = true
        var next = 0
        while next < events.count {
            let event = events[next]
            next += 1
            let now = timer.now
            let commands = identity.withLock { play.handle(event, at: now, &$0) }
            for command in commands { carryOut(command) }
        }
        events.removeAll(keepingCapacity: true)
        isTaking = false
        flush()
    }

    private func carryOut(_ command: WebSocketPlayCommand) {
        switch command {
        case .send(let message):
            frame(message.isText ? .text : .binary, message.payload)
        case .askTurn(let id): askTurn(id)
        case .opened: target.order?.came(.exchange(play.conversation.exchange))
        case .came(let id): target.order?.came(.message(id))
        case .close(let code): close(code)
        case .finish: finish()
        case .setTimer(let time): arm(time)
        }
    }

    private func askTurn(_ id: MessageID) {
        guard let order = target.order else { return events.append(.turn(id)) }
        let coordinator = NIOLoopBound(self, eventLoop: loop)
        order.awaitTurn(.message(id), on: loop) { coordinator.value.take(.turn(id)) }
    }

    private func arm(_ time: Instant) {
        let coordinator = NIOLoopBound(self, eventLoop: loop)
        let order = target.order
        timer.set(time) {
            if coordinator.value.play.isPausing { order?.pauses() }
            coordinator.value.take(.timePassed(progress: order?.progress ?? 0))
        }
    }

    // MARK: To the server

    private func close(_ code: Int?) {
        guard !isClosing else { return }
        let sent = code.flatMap { WebSocketCloseCode.maySend($0) ? $0 : nil }
        frame(.close, sent.map { WebSocketCloseCode.payload($0) } ?? [])
        isClosing = true
    }

    private func frame(_ opcode: WebSocketOpcode, _ payload: [UInt8]) {
        guard !isClosing else { return }
        var (payload, rsv) = (payload, 0)
        if let deflater, !opcode.isControl {
            payload = deflater.deflate(payload.span)
            rsv = 4
        }
        frames.writeBytes(
            WebSocketFrameEncoder.encode(
                opcode: opcode, payload: payload, rsv: rsv, mask: mask.next()))
        if !isTaking { flush() }
    }

    private func flush() {
        guard frames.readableBytes > 0 else { return }
        channel?.writeAndFlush(frames, promise: nil)
        frames = ByteBuffer()
    }

    /// Closes the connection; the player of the conversation is notified when that is done.
    private func finish() {
        isFinished = true
        timer.cancel()
        let (played, tell) = (play.played, tell)
        self.tell = nil
        guard let channel else {
            tell?(played)
            return
        }
        flush()
        channel.writeAndFlush(ByteBuffer()).whenComplete { _ in channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in tell?(played) }
    }
}

@available(*, unavailable)
extension ConversationCoordinator: Sendable {}
