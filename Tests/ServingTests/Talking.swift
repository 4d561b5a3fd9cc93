import NIOCore
import NIOPosix
import Synchronization

/// A connection to a server, with what the server says on it.
struct Conversation {
    let channel: any Channel
    fileprivate let collector: Heard

    /// Waits until the server said this, or closed.
    func heard(until marker: String) async {
        for await text in collector.texts where text.hasSuffix(marker) { return }
    }

    /// Waits until the server closes; all it said.
    func ended() async -> String {
        var last = ""
        for await text in collector.texts { last = text }
        return last
    }
}

/// Connects to a server on this machine.
func connect(_ port: Int) async throws -> Conversation {
    let heard = Heard()
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(Collector(heard))
            }
        }
        .connect(host: "127.0.0.1", port: port).get()
    return Conversation(channel: channel, collector: heard)
}

/// Sends bytes; what came back until the server closed, or said `marker`.
func talk(_ port: Int, _ bytes: String, until marker: String? = nil) async throws -> String {
    let conversation = try await connect(port)
    // The server may have said all that it wants to before it was told everything.
    try? await conversation.channel.writeAndFlush(ByteBuffer(string: bytes))
    guard let marker else { return await conversation.ended() }
    var last = ""
    for await text in conversation.collector.texts {
        last = text
        if text.hasSuffix(marker) { break }
    }
    try? await conversation.channel.close().get()
    return last
}

/// What a server said so far, each time it says more.
private final class Heard: Sendable {
    let texts: AsyncStream<String>
    private let more: AsyncStream<String>.Continuation
    private let bytes = Mutex<[UInt8]>([])

    init() { (texts, more) = AsyncStream.makeStream() }

    func add(_ new: [UInt8]) {
        more.yield(
            bytes.withLock { bytes in
                bytes += new
                return String(decoding: bytes, as: UTF8.self)
            })
    }

    func end() { more.finish() }
}

private final class Collector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let heard: Heard

    init(_ heard: Heard) { self.heard = heard }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        heard.add(Array(Self.unwrapInboundIn(data).readableBytesView))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { heard.end() }
}

@available(*, unavailable)
extension Collector: Sendable {}
