internal import Framing
internal import NIOCore
internal import NIOPosix
internal import Simperium
internal import Wire

/// Sends one Simperium command and reads what the server sends until its answer.
public struct CommandSender: Sendable {
    /// What is sent, and where.
    public struct Parts: Hashable, Sendable {
        /// The path of the socket.
        public var path: String
        /// The `init` of the channel; nil where the command needs none.
        public var opening: [UInt8]?
        /// The command.
        public var command: [UInt8]
        /// Whether all is read until the time is over, beyond the answer.
        public var waits: Bool

        /// Parts with these values.
        public init(path: String, opening: [UInt8]?, command: [UInt8], waits: Bool) {
            self.path = path
            self.opening = opening
            self.command = command
            self.waits = waits
        }
    }

    private let dialer: Dialer

    /// A sender to a server.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - trust: Which certificates are accepted.
    /// - Throws: ``SendFailure`` where TLS cannot be used so.
    public init(_ server: SimperiumTarget, trust: SendTrust) throws(SendFailure) {
        dialer = try Dialer.sending(server, trust)
    }

    /// Sends a command and waits for its answer.
    ///
    /// - Parameters:
    ///   - parts: What is sent.
    ///   - nanoseconds: How long the answer is waited for.
    ///   - received: Gets each command of the server as it comes.
    /// - Returns: What came of it.
    /// - Throws: ``SendFailure`` where no socket can be opened.
    public func send(
        _ parts: Parts, waiting nanoseconds: Int64,
        received: @escaping @Sendable ([UInt8]) -> Void
    ) async throws(SendFailure) -> SentCommand {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: Result<SentCommand, SendFailure>.self)
        let server = dialer.target
        dialer.dial(on: loop) {
            TalkHandler(
                parts, to: server, waiting: nanoseconds, received: received, promise: promise)
        }.whenFailure { error in
            promise.succeed(
                .failure(.unreachable("\(server.authority): \(Dialer.detail(error))")))
        }
        guard let result = try? await promise.futureResult.get() else {
            throw .unanswered("\(server.authority): the connection was given up")
        }
        return try result.get()
    }
}

/// The socket of one command.
private final class TalkHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let request: [UInt8]
    private let isSockJS: Bool
    private let patience: Int64
    private let received: @Sendable ([UInt8]) -> Void
    private let promise: EventLoopPromise<Result<SentCommand, SendFailure>>
    private var reader: SocketReader
    private var talk: CommandTalk
    private var timer: PlayTimer?
    private var commands: [[UInt8]] = []
    private var isOpen = false
    private var hasEnded = false

    init(
        _ parts: CommandSender.Parts, to server: SimperiumTarget, waiting patience: Int64,
        received: @escaping @Sendable ([UInt8]) -> Void,
        promise: EventLoopPromise<Result<SentCommand, SendFailure>>
    ) {
        isSockJS = SimperiumEndpoint.recognise(path: parts.path)?.transport == .sockJS
        let key = SocketHandler.key()
        let path = isSockJS ? SocketCoordinator.anew(parts.path) : parts.path
        request = SocketReader.request(
            path: server.prefix + path, host: server.authority, key: key)
        reader = SocketReader(key: key, isSockJS: isSockJS)
        talk = CommandTalk(parts.command, opening: parts.opening, waits: parts.waits)
        self.patience = patience
        self.received = received
        self.promise = promise
    }

    func channelActive(context: ChannelHandlerContext) {
        var timer = PlayTimer(context.eventLoop)
        let handler = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer.set(Instant(nanoseconds: patience)) {
            let (handler, context) = handler.value
            handler.take(.timePassed, context)
        }
        self.timer = timer
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: request)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        take(reader.consume(Array(unwrapInboundIn(data).readableBytesView)), context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        take(reader.endOfStream(), context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        take([.ended(Dialer.detail(error))], context)
    }

    private func take(_ events: [SocketReader.Event], _ context: ChannelHandlerContext) {
        for event in events where !hasEnded {
            switch event {
            case .opened:
                isOpen = true
                take(.opened, context)
            case .message(let text):
                commands.append(text)
                received(text)
                take(.received(text), context)
            case .ping(let payload): write(.pong, payload, context)
            // Answered with that which ends the talk.
            case .close: break
            case .ended(let reason): take(.ended(reason), context)
            }
        }
    }

    private func take(_ event: CommandTalk.Event, _ context: ChannelHandlerContext) {
        for step in talk.handle(event) {
            switch step {
            case .send(let text):
                write(.text, isSockJS ? SockJSFrame.encode(client: [text]) : text, context)
            case .finish(let outcome): finish(outcome, context)
            }
        }
    }

    private func write(
        _ opcode: WebSocketOpcode, _ payload: [UInt8], _ context: ChannelHandlerContext
    ) {
        let frame = SocketHandler.frame(opcode, payload)
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: frame)), promise: nil)
    }

    /// Closes the socket, and reports what came of it when all is written.
    private func finish(_ outcome: SentCommand.Outcome, _ context: ChannelHandlerContext) {
        hasEnded = true
        timer?.cancel()
        let result: Result<SentCommand, SendFailure> =
            if case .ended(let reason) = outcome, !isOpen {
                .failure(.unreachable(reason))
            } else {
                .success(SentCommand(outcome: outcome, received: commands))
            }
        let close = SocketHandler.frame(.close, WebSocketCloseCode.payload(1000))
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: close))).whenComplete {
            [promise] _ in
            channel.close(promise: nil)
            promise.succeed(result)
        }
    }
}
