internal import Framing
internal import Interception
internal import NIOCore
internal import NIOSSL
internal import Replaying
internal import Simperium
internal import Wire

/// One client connection of a replayed server: TLS where the client begins with it, HTTP with
/// `CONNECT` and URLs for targets, and WebSockets.
///
/// Requests are answered one after the other. Nothing is ever connected to.
final class ReplayConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Largest body, in bytes, before and after content coding: a form with a few attachments.
    static let maxBody = 64 << 20
    /// The maximum number of requests that wait for their turn; then the client is not read from.
    private static let maxWaiting = 16

    private enum Phase {
        /// Nothing came yet, or nothing since `CONNECT`.
        case start
        /// The first message of TLS is not complete.
        case hello([UInt8])
        case http
        case socket(ReplaySocket)
        case over
    }

    /// What waits for its turn.
    private enum Item {
        case request(LiveRequest)
        /// What is not a request, or none that is taken.
        case refusal(status: Int, reason: String, text: String)
    }

    private let coordinator: ReplayCoordinator
    private var context: ChannelHandlerContext?
    private var phase = Phase.start
    private var framer = HTTPFramer(role: .request)
    private var events: [HTTPEvent] = []
    /// The request whose body is in progress, without it.
    private var gathering: LiveRequest?
    /// That body so far.
    private var body: [UInt8] = []
    /// The request before it, without its body.
    private var last: LiveRequest?
    private var polled = PolledRequest()
    /// Whether the next byte begins a request, and nothing before it matters to the framer.
    private var isBetweenRequests = true
    private var wasInvited = false
    private var waiting = CircularBuffer<Item>(initialCapacity: 4)
    /// Whether an answer waits for its time.
    private var isAnswering = false
    /// What came after a request that may change the protocol.
    private var held: [UInt8] = []
    private var tunnel: HTTPAuthority?
    private var isSecure = false
    private var hasInputEnded = false
    private var wantsRead = false

    init(_ coordinator: ReplayCoordinator) { self.coordinator = coordinator }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        coordinator.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: Channel

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = Self.unwrapInboundIn(data)
        if case .http = phase, isBetweenRequests,
            let request = buffer.withUnsafeReadableBytes({ polled.again($0) })
        {
            waiting.append(.request(request))
            return drain()
        }
        take(Array(buffer.readableBytesView))
    }

    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }

    func read(context: ChannelHandlerContext) {
        if mayRead { context.read() } else { wantsRead = true }
    }

    /// Reads only while the client takes what it gets.
    private var mayRead: Bool {
        guard context?.channel.isWritable ?? true else { return false }
        return waiting.count < Self.maxWaiting && (held.isEmpty || !framer.isPaused)
    }

    private func readAgain() {
        guard wantsRead, mayRead else { return }
        wantsRead = false
        context?.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        drain()
        context.flush()
        readAgain()
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event {
            hasInputEnded = true
            if case .http = phase, isAnswering || !waiting.isEmpty { return }
            close()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .socket(let socket) = phase { socket.gone() }
        phase = .over
        waiting.removeAll()
        coordinator.remove(self)
        context.fireChannelInactive()
    }

    // MARK: From the client

    private func take(_ bytes: [UInt8]) {
        switch phase {
        case .start:
            guard let first = bytes.first else { return }
            if StartOfStream.isTLS(first) {
                gather(bytes)
            } else {
                phase = .http
                frame(bytes)
            }
        case .hello(let before): gather(before + bytes)
        case .http: frame(bytes)
        case .socket(let socket): socket.receive(bytes.span)
        case .over: break
        }
    }

    /// Gathers the first message of TLS, and answers it as the requested host.
    private func gather(_ bytes: [UInt8]) {
        guard let context else { return }
        var name: String?
        switch ClientHello.parse(bytes.span) {
        case .needMore:
            phase = .hello(bytes)
            return
        case .hello(let hello): name = hello.serverName
        case .notTLS, .malformed: break
        }
        phase = .start
        guard let leaves = coordinator.options.tls, !isSecure else {
            context.close(promise: nil)
            return
        }
        isSecure = true
        let local = context.channel.localAddress?.ipAddress ?? "localhost"
        do {
            // A name that cannot be is the TLS client's to complain about.
            let asked = (name ?? tunnel?.host).flatMap { try? leaves.context(for: $0) }
            let secured = try asked ?? leaves.context(for: local)
            try context.pipeline.syncOperations.addHandler(
                NIOSSLServerHandler(context: secured), position: .before(self))
        } catch {
            context.close(promise: nil)
            return
        }
        context.pipeline.fireChannelRead(context.channel.allocator.buffer(bytes: bytes))
        context.pipeline.fireChannelReadComplete()
    }

    private func frame(_ bytes: [UInt8]) {
        guard !framer.isPaused else {
            held += bytes
            return
        }
        let isNew = isBetweenRequests
        polled.catchUp(&framer)
        events.removeAll(keepingCapacity: true)
        let taken = framer.consume(bytes.span, into: &events)
        let found = events
        for event in found { walk(event, bytes) }
        if taken < bytes.count { held += bytes[taken...] }
        isBetweenRequests = framer.isLikeNew && gathering == nil
        if isNew, isBetweenRequests { polled.note(bytes, last) }
        drain()
    }

    private func walk(_ event: HTTPEvent, _ bytes: [UInt8]) {
        switch event {
        case .head(let head, _): begin(head)
        case .content(let range):
            guard gathering != nil else { return }
            guard body.count + range.count <= Self.maxBody else {
                let text = "the body is larger than \(Self.maxBody >> 20) MiB"
                return refuse(413, "Content Too Large", text)
            }
            body += bytes[range]
        case .end:
            guard let request = gathering else { return }
            waiting.append(.request(body.isEmpty ? request : LiveRequest(request, body: body)))
            gathering = nil
            body = []
        case .failure(let error): refuse(400, "Bad Request", "\(error)")
        case .trailers, .note, .opaque: break
        }
    }

    private func begin(_ head: HTTPHead) {
        wasInvited = false
        body = []
        // Clients that poll send the same head again and again.
        if let last, last.head.bytes == head.bytes {
            gathering = last
            return
        }
        do {
            let target = try head.parsedTarget()
            let request = LiveRequest(head, target, proxied: tunnel, isSecure: isSecure)
            gathering = request
            last = request
        } catch {
            refuse(400, "Bad Request", "\(head.method) \(head.target): \(error)")
        }
    }

    private func refuse(_ status: Int, _ reason: String, _ text: String) {
        gathering = nil
        body = []
        waiting.append(.refusal(status: status, reason: reason, text: "tapedeck: \(text)\n"))
    }

    // MARK: Answers

    /// Answers what may be answered now, in order.
    private func drain() {
        while !isAnswering, case .http = phase, context?.channel.isWritable == true,
            let item = waiting.popFirst()
        {
            switch item {
            case .refusal(let status, let reason, let text):
                write(
                    RecordedResponse(status, reason, text: text, now: coordinator.unixSeconds), nil,
                    .init(closes: true),
                    head: coordinator.now, end: coordinator.now)
            case .request(let request): answer(request)
            }
        }
        invite()
        if hasInputEnded, waiting.isEmpty, !isAnswering, case .http = phase { close() }
        readAgain()
    }

    /// Requests a body that the client holds back, once everything before is answered.
    private func invite() {
        guard let request = gathering, request.isHesitant, !wasInvited, body.isEmpty,
            waiting.isEmpty, !isAnswering, case .http = phase, let context
        else { return }
        wasInvited = true
        let bytes = context.channel.allocator.buffer(string: "HTTP/1.1 100 Continue\r\n\r\n")
        context.writeAndFlush(Self.wrapOutboundOut(bytes), promise: nil)
    }

    private func answer(_ request: LiveRequest) {
        if let authority = request.target.authority, request.target.form == .authority {
            return openTunnel(authority)
        }
        let outcome = coordinator.answer(request)
        switch outcome {
        case .response(let response, let rewrite, let head, let end):
            write(response, rewrite, request.framing, head: head, end: end)
            goOn(after: request)
        case .silence(let due): at(due) { $0.close() }
        case .socket(let response, let role, let due):
            at(due) { $0.open(request, response, role) }
        }
    }

    /// Does something at its time, which nothing else comes before.
    private func at(_ due: Instant, _ body: @escaping (ReplayConnection) -> Void) {
        guard due > coordinator.now, let context else { return body(self) }
        isAnswering = true
        let bound = NIOLoopBound((self, body), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: coordinator.time(until: due)) {
            let (connection, body) = bound.value
            connection.isAnswering = false
            body(connection)
            connection.drain()
            connection.context?.flush()
        }
    }

    private func write(
        _ response: RecordedResponse, _ rewrite: LocationRewrite?, _ request: AnswerBytes.Request,
        head: Instant, end: Instant
    ) {
        let answer = coordinator.bytes(response, rewrite, request)
        guard end > coordinator.now else {
            put(answer.head, answer.body)
            if answer.closes { close() }
            return
        }
        at(head) { connection in
            connection.put(answer.head, [])
            connection.context?.flush()
            connection.at(end) {
                $0.put(answer.body, [])
                if answer.closes { $0.close() }
            }
        }
    }

    private func put(_ bytes: [UInt8], _ more: [UInt8]) {
        guard let context else { return }
        var buffer = context.channel.allocator.buffer(capacity: bytes.count + more.count)
        buffer.writeBytes(bytes)
        buffer.writeBytes(more)
        context.write(Self.wrapOutboundOut(buffer), promise: nil)
    }

    /// A request to change the protocol was answered without doing so.
    private func goOn(after request: LiveRequest) {
        guard request.asksForUpgrade, framer.isPaused else { return }
        framer.resume(.http)
        let bytes = held
        held = []
        if !bytes.isEmpty { frame(bytes) }
    }

    private func openTunnel(_ authority: HTTPAuthority) {
        put(Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8), [])
        context?.flush()
        tunnel = authority
        last = nil
        polled = PolledRequest()
        phase = .start
        framer = HTTPFramer(role: .request)
        isBetweenRequests = true
        let bytes = held
        held = []
        if !bytes.isEmpty { take(bytes) }
    }

    private func open(
        _ request: LiveRequest, _ response: RecordedResponse?, _ role: SocketRole
    ) {
        guard let context, case .http = phase else { return }
        let opening = SocketOpening(request.head, recorded: response)
        put(opening.bytes, [])
        let channel = context.channel
        let socket = coordinator.open { [coordinator] number in
            ReplaySocket(number, role, compression: opening.compression, channel, coordinator)
        }
        phase = .socket(socket)
        coordinator.flush()
        context.flush()
        let bytes = held
        held = []
        if !bytes.isEmpty { socket.receive(bytes.span) }
        readAgain()
    }

    /// The server ends.
    func end() {
        // RFC 6455, 7.4.1: 1001, the server goes away.
        if case .socket(let socket) = phase { socket.close(1001, reason: "The server ends") }
        close()
    }

    /// Ends the connection after what was written.
    private func close() {
        guard let context else { return }
        if case .socket = phase {} else { phase = .over }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let empty = context.channel.allocator.buffer(capacity: 0)
        context.writeAndFlush(Self.wrapOutboundOut(empty)).whenComplete { _ in
            bound.value.close(promise: nil)
        }
    }
}

@available(*, unavailable)
extension ReplayConnection: Sendable {}
