internal import NIOCore
internal import NIOPosix
internal import Wire

/// Sends one request, byte for byte, and reads its answer.
public struct RequestSender: Sendable {
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

    /// Sends a request and waits for its answer.
    ///
    /// - Parameters:
    ///   - request: The request as it is framed.
    ///   - method: Its method.
    ///   - nanoseconds: How long the answer is waited for.
    /// - Returns: The answer.
    /// - Throws: ``SendFailure`` where there is none.
    public func send(
        _ request: [UInt8], method: String, waiting nanoseconds: Int64
    ) async throws(SendFailure) -> SentAnswer {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: Result<SentAnswer, SendFailure>.self)
        let server = dialer.target.authority
        dialer.dial(on: loop) {
            AnswerHandler(request, method: method, waiting: nanoseconds, promise: promise)
        }.whenFailure { error in
            promise.succeed(.failure(.unreachable("\(server): \(Dialer.detail(error))")))
        }
        guard let result = try? await promise.futureResult.get() else {
            throw .unanswered("\(server): the connection was given up")
        }
        return try result.get()
    }
}

/// Which certificates of servers are accepted.
public enum SendTrust: Hashable, Sendable {
    /// Those of authorities of the system, and of those in this PEM file.
    case verified(trustFile: String?)
    /// Any.
    case insecure
}

extension Dialer {
    /// A dialer for what is sent again.
    static func sending(
        _ server: SimperiumTarget, _ trust: SendTrust
    ) throws(SendFailure) -> Dialer {
        do throws(SimperiumClientError) {
            switch trust {
            case .verified(let file): return try Dialer(server, trustFile: file)
            case .insecure: return try Dialer(server, trustFile: nil, isInsecure: true)
            }
        } catch {
            throw .trust(error.reason)
        }
    }
}

/// The connection of one request.
private final class AnswerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let request: [UInt8]
    private let patience: Int64
    private let promise: EventLoopPromise<Result<SentAnswer, SendFailure>>
    private var reader: AnswerReader
    private var timer: PlayTimer?
    private var firstByte: Int64?
    private var hasEnded = false

    init(
        _ request: [UInt8], method: String, waiting patience: Int64,
        promise: EventLoopPromise<Result<SentAnswer, SendFailure>>
    ) {
        self.request = request
        self.patience = patience
        self.promise = promise
        reader = AnswerReader(method: method)
    }

    func channelActive(context: ChannelHandlerContext) {
        var timer = PlayTimer(context.eventLoop)
        let handler = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer.set(Instant(nanoseconds: patience)) {
            let (handler, context) = handler.value
            let seconds = Double(handler.patience) / 1e9
            handler.take(
                handler.reader.endOfStream("nothing more came within \(seconds) s"), context)
        }
        self.timer = timer
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: request)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if firstByte == nil { firstByte = timer?.now.nanoseconds }
        take(reader.consume(Array(unwrapInboundIn(data).readableBytesView)), context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        take(reader.endOfStream("the server closed the connection"), context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        take(reader.endOfStream(Dialer.detail(error)), context, isError: true)
    }

    private func take(
        _ progress: AnswerReader.Progress, _ context: ChannelHandlerContext, isError: Bool = false
    ) {
        guard !hasEnded else { return }
        switch progress {
        case .more: return
        case .done(var answer):
            let now = timer?.now.nanoseconds ?? 0
            answer.firstByteNanoseconds = firstByte ?? now
            answer.nanoseconds = now - answer.firstByteNanoseconds
            promise.succeed(.success(answer))
        case .failed(let reason):
            // Before TLS is there, nothing was sent.
            let isUnreachable = isError && firstByte == nil
            promise.succeed(.failure(isUnreachable ? .unreachable(reason) : .unanswered(reason)))
        }
        hasEnded = true
        timer?.cancel()
        context.close(promise: nil)
    }
}
