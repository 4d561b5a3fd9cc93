internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket

/// Collects an HTTP request, has it answered and writes the answer.
///
/// The handlers before it let no part of a request through before the one before is answered.
final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// The number of bytes of an answer that are written at once.
    private static let piece = 256 << 10
    /// The time for a refused client to read the reason.
    private static let patience = TimeAmount.seconds(2)

    /// What happens to the connection after an answer.
    private enum Afterwards {
        case nextRequest
        case closed
        /// The rest of a rejected request is dropped until the client closes: closing with bytes
        /// unread would lose the answer.
        case drained
    }

    private enum Phase {
        /// The next head has not come.
        case waiting
        /// The body comes.
        case receiving(HTTPRequestHead)
        /// The body is too long, and this many bytes of it were received.
        case draining(HTTPRequestHead, Int)
        /// The answer is prepared or written; the rest of the request is dropped.
        case answering
        /// The answer is the last.
        case over
    }

    private let responder: Responder
    private let limits: HTTPServer.Limits
    private let isSecure: Bool
    private var phase = Phase.waiting
    /// The body so far, while it comes.
    private var body: [UInt8] = []
    /// What goes on while it is sent.
    private var stream: ServedStream?
    /// Closes the connection of a client that sends nothing, or does not read.
    private var silence: Scheduled<Void>?

    /// A handler for one connection.
    init(_ responder: Responder, _ limits: HTTPServer.Limits, isSecure: Bool) {
        self.responder = responder
        self.limits = limits
        self.isSecure = isSecure
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { expect(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        // Not earlier: until then nothing is read.
        expect(context)
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        silence?.cancel()
        stream?.close()
        stream = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        silence?.cancel()
        stream?.close()
        stream = nil
        phase = .over
        body = []
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head(let head):
            if case .waiting = phase { begin(head, context) }
        case .body(let bytes): take(bytes, context)
        case .end: finish(context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A refused upgrade is answered as the plain request that it then is.
        if error is NIOWebSocketUpgradeError || error is HTTPServerUpgradeErrors { return }
        let head: HTTPRequestHead?
        switch phase {
        case .receiving(let begun), .draining(let begun, _): head = begun
        case .waiting: head = nil
        // The handlers before it buffer input until the answer is written.
        case .answering: return context.close(promise: nil)
        // Of bytes that are dropped.
        case .over: return
        }
        guard let error = error as? HTTPParserError, context.channel.isActive else {
            context.close(promise: nil)
            return
        }
        refuse(error == .headerOverflow ? .longHead : .malformed, head, then: .drained, context)
    }

    // MARK: From the client

    /// A request began.
    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        expect(context)
        body = []
        let count = head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
        let asks = head.headers.first(name: "expect")?.lowercased() == "100-continue"
        guard count <= limits.bodyBytes else {
            // A client that expects 100 Continue has sent nothing yet.
            if asks || count > limits.drainedBytes { return refuseBody(head, context) }
            phase = .draining(head, 0)
            return
        }
        phase = .receiving(head)
        body.reserveCapacity(min(count, 1 << 20))
        if asks {
            let head = HTTPResponseHead(version: head.version, status: .continue)
            context.writeAndFlush(Self.wrapOutboundOut(.head(head)), promise: nil)
        }
    }

    private func take(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        switch phase {
        case .receiving(let head):
            let count = body.count + bytes.readableBytes
            if count <= limits.bodyBytes {
                body.append(contentsOf: bytes.readableBytesView)
            } else {
                drain(head, count, context)
            }
        case .draining(let head, let count): drain(head, count + bytes.readableBytes, context)
        case .waiting, .answering, .over: break
        }
    }

    /// The body is too long; this many bytes of it were received.
    private func drain(_ head: HTTPRequestHead, _ count: Int, _ context: ChannelHandlerContext) {
        body = []
        guard count <= limits.drainedBytes else { return refuseBody(head, context) }
        phase = .draining(head, count)
    }

    private func finish(_ context: ChannelHandlerContext) {
        switch phase {
        case .receiving(let head):
            let request = self.request(head, body)
            phase = .answering
            body = []
            silence?.cancel()
            responder.answer(request, context.remoteAddress, context.eventLoop)
                .assumeIsolated()
                .whenComplete { answer in
                    let answer = (try? answer.get()) ?? ServedAnswer(500)
                    self.write(
                        answer, to: head, then: head.isKeepAlive ? .nextRequest : .closed, context)
                }
        case .draining(let head, _):
            refuse(
                .longBody(limit: limits.bodyBytes), head,
                then: head.isKeepAlive ? .nextRequest : .closed, context)
        case .waiting, .answering, .over: break
        }
    }

    private func request(_ head: HTTPRequestHead, _ body: [UInt8]) -> ServedRequest {
        ServedRequest(
            head.method.rawValue, head.uri,
            fields: head.headers.map { .init($0.name, $0.value) }, body: body,
            isSecure: isSecure)
    }

    // MARK: To the client

    /// The body is too long, and the rest of it is not waited for.
    private func refuseBody(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        refuse(.longBody(limit: limits.bodyBytes), head, then: .drained, context)
    }

    private func refuse(
        _ problem: RequestProblem, _ head: HTTPRequestHead?, then afterwards: Afterwards,
        _ context: ChannelHandlerContext
    ) {
        phase = .answering
        body = []
        let answer = responder.refuse(problem, head.map { self.request($0, []) })
        write(answer, to: head, then: afterwards, context)
    }

    /// Writes an answer and gets ready for the next request; without a head to a request that had
    /// none.
    private func write(
        _ answer: ServedAnswer, to request: HTTPRequestHead?, then afterwards: Afterwards,
        _ context: ChannelHandlerContext
    ) {
        guard context.channel.isActive else { return answer.stream?.close() ?? () }
        var headers = HTTPHeaders(answer.fields.map { ($0.name, $0.value) })
        headers.add(name: "Server", value: "tapedeck")
        if answer.status != 204, answer.stream == nil {
            headers.add(name: "Content-Length", value: String(answer.body.count))
        }
        if afterwards != .nextRequest { headers.add(name: "Connection", value: "close") }
        let head = HTTPResponseHead(
            version: request?.version ?? .http1_1,
            status: HTTPResponseStatus(statusCode: answer.status), headers: headers)
        expect(context)
        context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
        if let stream = answer.stream, request?.method != .HEAD {
            return send(stream, then: afterwards, context)
        }
        answer.stream?.close()
        if request?.method == .HEAD || answer.body.isEmpty {
            end(afterwards, context)
        } else {
            write(answer.body[...], then: afterwards, context)
        }
    }

    /// Writes a body as it goes on; the client may be silent until its end.
    private func send(
        _ stream: ServedStream, then afterwards: Afterwards, _ context: ChannelHandlerContext
    ) {
        silence?.cancel()
        self.stream = stream
        context.flush()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        stream.begin { bytes in
            loop.execute {
                let (handler, context) = bound.value
                handler.pass(bytes, of: stream, then: afterwards, context)
            }
        }
    }

    private func pass(
        _ bytes: [UInt8]?, of stream: ServedStream, then afterwards: Afterwards,
        _ context: ChannelHandlerContext
    ) {
        guard self.stream == stream, context.channel.isActive else { return }
        guard let bytes else {
            self.stream = nil
            expect(context)
            end(afterwards, context)
            return stream.close()
        }
        let part = context.channel.allocator.buffer(bytes: bytes)
        context.writeAndFlush(Self.wrapOutboundOut(.body(.byteBuffer(part))), promise: nil)
    }

    /// Writes a body piece by piece, as fast as the client reads it: other connections of the
    /// thread get their turn, and no second copy of it is buffered.
    private func write(
        _ body: ArraySlice<UInt8>, then afterwards: Afterwards, _ context: ChannelHandlerContext
    ) {
        let buffer = context.channel.allocator.buffer(bytes: body.prefix(Self.piece))
        let rest = body.dropFirst(Self.piece)
        let part = Self.wrapOutboundOut(.body(.byteBuffer(buffer)))
        guard !rest.isEmpty else {
            context.write(part, promise: nil)
            return end(afterwards, context)
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenSuccess {
            self.expect(context)
            context.eventLoop.assumeIsolated().execute {
                self.write(rest, then: afterwards, context)
            }
        }
        context.writeAndFlush(part, promise: written)
    }

    /// Ends an answer.
    private func end(_ afterwards: Afterwards, _ context: ChannelHandlerContext) {
        let done = context.eventLoop.makePromise(of: Void.self)
        let channel = context.channel
        switch afterwards {
        case .nextRequest:
            done.futureResult.assumeIsolated().whenSuccess {
                if case .waiting = self.phase { self.expect(context) }
            }
        case .closed: done.futureResult.whenComplete { _ in channel.close(promise: nil) }
        case .drained:
            done.futureResult.flatMap { channel.close(mode: .output) }
                .whenFailure { _ in channel.close(promise: nil) }
            let late = channel.eventLoop.scheduleTask(in: Self.patience) {
                channel.close(promise: nil)
            }
            channel.closeFuture.whenComplete { _ in late.cancel() }
        }
        // Before it is written: with that the next request may come.
        phase = afterwards == .nextRequest ? .waiting : .over
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: done)
    }

    /// Restarts the time limit for the client's next step.
    private func expect(_ context: ChannelHandlerContext) {
        guard let milliseconds = limits.silenceMilliseconds else { return }
        silence?.cancel()
        let channel = context.channel
        silence = context.eventLoop.scheduleTask(in: .milliseconds(max(1, milliseconds))) {
            channel.close(promise: nil)
        }
    }
}

@available(*, unavailable)
extension RequestHandler: Sendable {}
