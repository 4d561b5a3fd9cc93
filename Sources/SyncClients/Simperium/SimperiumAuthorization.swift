internal import Framing
internal import NIOCore
internal import NIOPosix
internal import Notation
internal import Wire

/// Requests an access token from the auth API.
///
/// Source: Simperium HTTP API, `POST /1/APP/authorize/`.
public enum SimperiumAuthorization {
    /// Why there is no token.
    public enum Failure: Error, Hashable, Sendable {
        /// The server rejected the user, password or application.
        case refused(String)
        /// The server is out of order for now.
        case later(String)
        /// There is no server.
        case unreachable(String)
    }

    /// Gets a token for a user.
    ///
    /// - Parameters:
    ///   - target: Where the server is.
    ///   - app: Identifier of the application.
    ///   - user: Name of the user.
    ///   - password: The user's password.
    ///   - apiKey: The application's key, which Simperium requires.
    ///   - trustFile: A PEM file of authorities that are trusted besides those of the system.
    /// - Returns: The token.
    /// - Throws: ``Failure``.
    public static func token(
        target: SimperiumTarget, app: String, user: String, password: String, apiKey: String?,
        trustFile: String?
    ) async throws(Failure) -> String {
        let body = JSONValue.object(
            JSONObject([
                .init("username", .string(user)), .init("password", .string(password)),
            ])
        ).bytes()
        var lines = [
            "POST \(target.authorizePath(app: app)) HTTP/1.1", "Host: \(target.authority)",
            "Content-Type: application/json", "Content-Length: \(body.count)",
            "Accept: application/json", "User-Agent: tapedeck", "Connection: close",
        ]
        if let apiKey { lines.append("X-Simperium-API-Key: \(apiKey)") }
        let request = Array((lines + ["", ""]).joined(separator: "\r\n").utf8) + body
        let answer = try await Self.answer(to: request, target, trustFile)
        switch answer.status {
        case 200..<300:
            let json = try? JSONValue(parsing: String(decoding: answer.body, as: UTF8.self))
            guard let token = json?["access_token"]?.string, !token.isEmpty else {
                throw .refused("the auth API returned no access_token; is this a Simperium server?")
            }
            return token
        case 400, 401, 403:
            throw .refused(
                "the auth API refuses the user (\(answer.status)): check --user and the password")
        case 404: throw .refused("the auth API has no app \(app) (404): check --app and --to")
        case 408, 429, 500...599: throw .later("the auth API answered \(answer.status)")
        case let status: throw .refused("the auth API answered \(status); check --to")
        }
    }

    private static func answer(
        to request: [UInt8], _ target: SimperiumTarget, _ trustFile: String?
    ) async throws(Failure) -> HTTPAnswer {
        let dialer: Dialer
        do { dialer = try Dialer(target, trustFile: trustFile) } catch {
            throw .refused(error.reason)
        }
        let (answers, continuation) = AsyncStream<Result<HTTPAnswer, Failure>>.makeStream()
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let tell: @Sendable (Result<HTTPAnswer, Failure>) -> Void = { continuation.yield($0) }
        let dialed = dialer.dial(on: loop) { HTTPAnswerHandler(request: request, tell: tell) }
        dialed.whenFailure { tell(.failure(.unreachable(Dialer.detail($0)))) }
        dialed.whenSuccess { channel in
            channel.eventLoop.scheduleTask(in: .seconds(30)) {
                tell(.failure(.unreachable("the auth API does not answer within 30 s")))
                channel.close(promise: nil)
            }
        }
        var iterator = answers.makeAsyncIterator()
        return try await (iterator.next() ?? .failure(.later("cancelled"))).get()
    }
}

/// The answer to one request.
struct HTTPAnswer: Sendable {
    var status: Int
    var body: [UInt8] = []
}

/// Sends one request and reads its answer.
final class HTTPAnswerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The maximum size of a body in bytes.
    private static let longest = 1 << 20

    private let request: [UInt8]
    private let tell: @Sendable (Result<HTTPAnswer, SimperiumAuthorization.Failure>) -> Void
    private var framer = HTTPFramer(role: .response)
    private var answer = HTTPAnswer(status: 0)

    init(
        request: [UInt8],
        tell: @escaping @Sendable (Result<HTTPAnswer, SimperiumAuthorization.Failure>) -> Void
    ) {
        self.request = request
        self.tell = tell
        framer.expect(.other)
    }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: request)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = Array(unwrapInboundIn(data).readableBytesView)
        var events: [HTTPEvent] = []
        _ = framer.consume(bytes.span, into: &events)
        take(events, of: bytes, context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        var events: [HTTPEvent] = []
        framer.endOfStream(into: &events)
        take(events, of: [], context)
        tell(.failure(.unreachable("the server closed the connection before it answered")))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        tell(.failure(.unreachable(Dialer.detail(error))))
        context.close(promise: nil)
    }

    private func take(
        _ events: [HTTPEvent], of bytes: [UInt8], _ context: ChannelHandlerContext
    ) {
        for event in events {
            switch event {
            case .head(let head, _): answer.status = head.status ?? 0
            case .content(let range):
                guard answer.body.count + range.count <= Self.longest else {
                    tell(.failure(.refused("the auth API's answer is too long; check --to")))
                    return context.close(promise: nil)
                }
                answer.body += bytes[range]
            case .end where answer.status >= 200:
                tell(.success(answer))
                return context.close(promise: nil)
            case .failure(let error):
                tell(.failure(.refused("the auth API does not speak HTTP: \(error)")))
                return context.close(promise: nil)
            default: break
            }
        }
    }
}
