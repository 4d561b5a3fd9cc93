internal import Interception
internal import NIOCore

/// Detects by its first byte whether a client speaks TLS, and then sets up the pipeline.
///
/// A TLS client is served with a certificate for the name that it asks for.
/// Source: RFC 8446, 5.1: a TLS connection begins with a record of type 22.
final class FirstByteHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// How a client begins.
    enum Beginning: Sendable {
        case plain
        /// With TLS, for the server name if it sends one.
        case tls(name: String?)
    }

    private let configure: @Sendable (any Channel, Beginning) throws -> Void
    /// The bytes received before the decision.
    private var waiting: ByteBuffer?
    private var isDone = false

    /// A handler that calls `configure` once it is decided.
    init(configure: @escaping @Sendable (any Channel, Beginning) throws -> Void) {
        self.configure = configure
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone else { return context.fireChannelRead(data) }
        var bytes = Self.unwrapInboundIn(data)
        if var before = waiting {
            before.writeBuffer(&bytes)
            bytes = before
        }
        guard let beginning = Self.beginning(bytes) else {
            waiting = bytes
            return
        }
        waiting = nil
        isDone = true
        do {
            try configure(context.channel, beginning)
        } catch {
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(Self.wrapInboundOut(bytes))
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    /// How it begins; nil where more bytes are needed.
    private static func beginning(_ bytes: ByteBuffer) -> Beginning? {
        guard let first = bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) else {
            return nil
        }
        guard first == 22 else { return .plain }
        switch ClientHello.parse(Array(bytes.readableBytesView).span) {
        case .hello(let hello): return .tls(name: hello.serverName)
        case .needMore: return nil
        // The TLS library reports what is wrong with it.
        default: return .tls(name: nil)
        }
    }
}

@available(*, unavailable)
extension FirstByteHandler: Sendable {}
