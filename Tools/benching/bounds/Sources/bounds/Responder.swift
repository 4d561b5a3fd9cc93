import NIOCore
import NIOPosix

/// Answers each read that ends a request without body with the same bytes.
final class Responder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: ByteBuffer

    init(_ answer: ByteBuffer) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let request = Self.unwrapInboundIn(data)
        guard request.readableBytesView.suffix(4).elementsEqual("\r\n\r\n".utf8) else { return }
        // As a server that has it from elsewhere: copied.
        var bytes = context.channel.allocator.buffer(capacity: answer.readableBytes)
        bytes.writeImmutableBuffer(answer)
        context.write(Self.wrapOutboundOut(bytes), promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

@available(*, unavailable)
extension Responder: Sendable {}

/// Listens on one event loop, and answers with a body of that many bytes.
func respond(size: Int) throws -> any Channel {
    let head = "HTTP/1.1 200 OK\r\nServer: bounds\r\nContent-Type: text/plain\r\n"
        + "Content-Length: \(size)\r\nConnection: keep-alive\r\n\r\n"
    let answer = ByteBuffer(string: head + String(repeating: "x", count: size))
    return try ServerBootstrap(group: MultiThreadedEventLoopGroup(numberOfThreads: 1))
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
        .childChannelOption(.maxMessagesPerRead, value: 1)
        .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(Responder(answer))
            }
        }
        .bind(host: "127.0.0.1", port: 0).wait()
}
