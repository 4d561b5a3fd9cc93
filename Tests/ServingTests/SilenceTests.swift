import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization
import Testing

@testable import Serving

/// A client has a time for each step, by a clock that goes when it is told to.
struct SilenceTests {
    private static let limit: Int64 = 1000

    /// Lets no write be done before it is told to.
    final class Congestion: ChannelOutboundHandler {
        typealias OutboundIn = HTTPServerResponsePart
        typealias OutboundOut = HTTPServerResponsePart
        var waiting: [EventLoopPromise<Void>] = []
        var isOver = false

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if let promise, !isOver { waiting.append(promise) } else { promise?.succeed() }
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            for promise in waiting { promise.fail(ChannelError.ioOnClosedChannel) }
        }

        func letPass() {
            let all = waiting
            waiting = []
            for promise in all { promise.succeed() }
        }
    }

    /// A request that waits for its answer.
    final class Question: Sendable {
        private let promise = Mutex<EventLoopPromise<ServedAnswer>?>(nil)

        func ask(_ loop: any EventLoop) -> EventLoopFuture<ServedAnswer> {
            let promise = loop.makePromise(of: ServedAnswer.self)
            self.promise.withLock { $0 = promise }
            return promise.futureResult
        }

        func answer(_ answer: ServedAnswer) { promise.withLock { $0 }?.succeed(answer) }
    }

    private let loop = EmbeddedEventLoop()
    private let channel: EmbeddedChannel
    private let congestion = Congestion()
    private let question = Question()

    init() throws {
        var limits = HTTPServer.Limits()
        limits.silenceMilliseconds = Self.limit
        let responder = Responder(answer: { [question] _, _, loop in question.ask(loop) })
        let handlers: [any ChannelHandler] = [
            congestion, RequestHandler(responder, limits, isSecure: false),
        ]
        channel = EmbeddedChannel(loop: loop)
        try channel.pipeline.syncOperations.addHandlers(handlers)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        congestion.isOver = true
    }

    private func head(_ length: Int) -> HTTPServerRequestPart {
        .head(
            HTTPRequestHead(
                version: .http1_1, method: .POST, uri: "/",
                headers: ["Content-Length": "\(length)"]))
    }

    /// Whether the connection is there just before the limit, and whether just behind it.
    private func survives() -> [Bool] {
        loop.advanceTime(by: .milliseconds(Self.limit - 1))
        let before = channel.isActive
        loop.advanceTime(by: .milliseconds(1))
        return [before, channel.isActive]
    }

    @Test func `waits for a head`() { #expect(survives() == [true, false]) }

    @Test func `waits for the whole body, however it comes`() throws {
        loop.advanceTime(by: .milliseconds(Self.limit - 1))
        try channel.writeInbound(head(100))
        for _ in 0..<9 {
            loop.advanceTime(by: .milliseconds(Self.limit / 10))
            try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(bytes: [0])))
        }
        #expect(channel.isActive)
        loop.advanceTime(by: .milliseconds(Self.limit / 10))
        #expect(!channel.isActive)
    }

    @Test func `lets the answer take its time, and waits for the next head after it`() throws {
        try channel.writeInbound(head(0))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        loop.advanceTime(by: .milliseconds(100 * Self.limit))
        #expect(channel.isActive)
        question.answer(ServedAnswer(200))
        #expect(survives() == [true, false])
    }

    @Test func `waits for the client to take each part of the answer`() throws {
        congestion.isOver = false
        try channel.writeInbound(head(0))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        question.answer(ServedAnswer(200, body: [UInt8](repeating: 0, count: 600 << 10)))
        for _ in 0..<2 {
            loop.advanceTime(by: .milliseconds(Self.limit - 1))
            #expect(channel.isActive)
            congestion.letPass()
            loop.run()
        }
        #expect(survives() == [true, false])
    }
}

@available(*, unavailable)
extension SilenceTests.Congestion: Sendable {}
