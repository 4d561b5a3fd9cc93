internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket

/// Collects an HTTP request, has it answered and writes the answer.
final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// Largest body, in bytes: a form with a few attachments.
    static let limit = 64 << 20

    /// How many bytes of an answer are written at once.
    private static let piece = 256 << 10

    private let desk: FrontDesk
    private let isSecure: Bool
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    /// A handler for one connection.
    init(_ desk: FrontDesk, isSecure: Bool) {
        self.desk = desk
        self.isSecure = isSecure
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head(let head): begin(head, context)
        case .body(let bytes):
            guard head != nil else { return }
            guard body.count + bytes.readableBytes <= Self.limit else {
                return refuse(context)
            }
            body.append(contentsOf: bytes.readableBytesView)
        case .end:
            guard let head else { return }
            self.head = nil
            let request = ServedRequest(
                head.method.rawValue, head.uri,
                fields: head.headers.map { .init($0.name, $0.value) }, body: body,
                isSecure: isSecure)
            body = []
            // No further request is seen before this one is answered.
            desk.answer(request, from: context.remoteAddress, on: context.eventLoop)
                .assumeIsolated()
                .whenSuccess { answer in self.write(answer, to: head, context) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A refused upgrade is answered as the plain request that it then is.
        if error is NIOWebSocketUpgradeError || error is HTTPServerUpgradeErrors { return }
        context.close(promise: nil)
    }

    /// A request began.
    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        self.head = head
        body = []
        if let count = head.headers.first(name: "content-length").flatMap({ Int($0) }) {
            guard count <= Self.limit else { return refuse(context) }
            body.reserveCapacity(min(count, 1 << 20))
        }
        if head.headers.first(name: "expect")?.lowercased() == "100-continue" {
            let head = HTTPResponseHead(version: head.version, status: .continue)
            context.writeAndFlush(Self.wrapOutboundOut(.head(head)), promise: nil)
        }
    }

    /// The body is too large, and the rest of it is not waited for.
    private func refuse(_ context: ChannelHandlerContext) {
        guard var head = self.head else { return }
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        write(.text(413, "The body exceeds \(Self.limit) bytes"), to: head, context)
    }

    /// Writes an answer and gets ready for the next request.
    private func write(
        _ answer: ServedAnswer, to request: HTTPRequestHead, _ context: ChannelHandlerContext
    ) {
        self.head = nil
        body = []
        var headers = HTTPHeaders(answer.fields.map { ($0.name, $0.value) })
        headers.add(name: "Server", value: "tapedeck")
        if answer.status != 204 {
            headers.add(name: "Content-Length", value: String(answer.body.count))
        }
        if !request.isKeepAlive { headers.add(name: "Connection", value: "close") }
        let status = HTTPResponseStatus(statusCode: answer.status)
        let head = HTTPResponseHead(version: request.version, status: status, headers: headers)
        context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
        if request.method == .HEAD || answer.body.isEmpty {
            end(request, context)
        } else {
            write(answer.body[...], of: request, context)
        }
    }

    /// Writes a body piece by piece, as fast as the client reads it: others on the thread get their
    /// turn, and no second copy of it waits.
    private func write(
        _ body: ArraySlice<UInt8>, of request: HTTPRequestHead, _ context: ChannelHandlerContext
    ) {
        let buffer = context.channel.allocator.buffer(bytes: body.prefix(Self.piece))
        let rest = body.dropFirst(Self.piece)
        let part = Self.wrapOutboundOut(.body(.byteBuffer(buffer)))
        guard !rest.isEmpty else {
            context.write(part, promise: nil)
            return end(request, context)
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenSuccess {
            context.eventLoop.assumeIsolated().execute {
                self.write(rest, of: request, context)
            }
        }
        context.writeAndFlush(part, promise: written)
    }

    /// Ends an answer.
    private func end(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let done = context.eventLoop.makePromise(of: Void.self)
        if !request.isKeepAlive {
            let channel = context.channel
            done.futureResult.whenComplete { _ in channel.close(promise: nil) }
        }
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: done)
    }
}

@available(*, unavailable)
extension RequestHandler: Sendable {}
