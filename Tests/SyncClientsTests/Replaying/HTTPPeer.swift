import Framing
import NIOCore
import NIOPosix
import Synchronization

/// A request as the peer received it.
struct PeerRequest: Sendable {
    var method = ""
    var target = ""
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []

    /// All values of this name, in order.
    func values(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name }.map(\.value)
    }
}

/// What an ``HTTPPeer`` has received.
final class PeerRequests: Sendable {
    private let all = Mutex<[PeerRequest]>([])

    var list: [PeerRequest] { all.withLock { $0 } }

    /// - Returns: Its number, from 1.
    func add(_ request: PeerRequest) -> Int {
        all.withLock {
            $0.append(request)
            return $0.count
        }
    }
}

/// A server on loopback whose answers are a function; nothing as an answer closes the connection.
struct HTTPPeer {
    typealias Answer = @Sendable (PeerRequest, _ number: Int) -> [UInt8]

    /// A port on which nobody listens: that of a peer that stopped may be another's at once.
    static let refusedPort = 1

    private let listener: any Channel
    private let received: PeerRequests
    let port: Int

    var requests: [PeerRequest] { received.list }

    static func start(_ answer: @escaping Answer) async throws -> HTTPPeer {
        let received = PeerRequests()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        PeerHandler(received, answer))
                }
            }.bind(host: "127.0.0.1", port: 0).get()
        return HTTPPeer(
            listener: listener, received: received, port: listener.localAddress?.port ?? 0)
    }

    func stop() async throws { try await listener.close() }

    /// An answer with its length.
    static func answer(_ status: Int, _ fields: [String] = [], _ body: [UInt8] = []) -> [UInt8] {
        let lines =
            ["HTTP/1.1 \(status) Word", "Content-Length: \(body.count)"] + fields + ["", ""]
        return Array(lines.joined(separator: "\r\n").utf8) + body
    }
}

private final class PeerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let received: PeerRequests
    private let answer: HTTPPeer.Answer
    private var framer = HTTPFramer(role: .request)
    private var request = PeerRequest()

    init(_ received: PeerRequests, _ answer: @escaping HTTPPeer.Answer) {
        self.received = received
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = Array(unwrapInboundIn(data).readableBytesView)
        var events: [HTTPEvent] = []
        _ = framer.consume(bytes.span, into: &events)
        for event in events {
            switch event {
            case .head(let head, _):
                request = PeerRequest(method: head.method, target: head.target)
                request.fields = head.fields.map { (head.text($0.name), head.text($0.value)) }
            case .content(let range): request.body += bytes[range]
            case .end:
                let number = received.add(request)
                let bytes = answer(request, number)
                if bytes.isEmpty { return context.close(promise: nil) }
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            case .failure:
                // No HTTP, such as the start of TLS: answered as real servers do.
                let bytes = answer(PeerRequest(), 0)
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            default: break
            }
        }
    }
}
