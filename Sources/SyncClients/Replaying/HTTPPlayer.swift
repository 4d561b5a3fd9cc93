internal import Framing
public import HTTPLayer
internal import Platform
public import Replaying
internal import Synchronization
public import Wire

/// Plays the HTTP exchanges of one recorded client to a live server.
///
/// ``HTTPPlay`` determines what is sent and how answers are followed; exchanges may be played at
/// once. Host, the length and the fields of one connection are rewritten also where requests are
/// verbatim, and redirects are not followed: the recording has what the client did about them.
public final class HTTPPlayer: Sendable {
    /// The maximum number of bytes of an answer that are kept.
    private static let bodyLimit = 256 << 20

    private let play: Mutex<HTTPPlay>
    private let target: ReplayTarget
    private let identity: SharedIdentity
    private let manager: HTTPManager
    private let clock: ReplayClock
    private let recording: @Sendable (ExchangeID) -> HTTPRecording

    /// A client that has not begun.
    ///
    /// - Parameters:
    ///   - exchanges: All that it may play, in the order of the recording.
    ///   - target: The live server, and how to play.
    ///   - identity: What things are called in this run.
    ///   - manager: Sends the requests, see ``manager(for:width:)``; several players may share it.
    ///   - clock: Passes the time.
    ///   - recording: Gives what was recorded of an exchange.
    public init(
        _ exchanges: some Sequence<RecordedExchange>, to target: ReplayTarget,
        identity: SharedIdentity, manager: HTTPManager, clock: ReplayClock = .system,
        recording: @escaping @Sendable (ExchangeID) -> HTTPRecording
    ) {
        self.target = target
        self.identity = identity
        self.manager = manager
        self.clock = clock
        self.recording = recording
        play = Mutex(HTTPPlay(exchanges, options: Self.options(target)))
    }

    /// A manager for the requests of a replay.
    ///
    /// - Parameters:
    ///   - target: The live server.
    ///   - width: The maximum number of concurrent requests.
    /// - Returns: A manager with its own thread.
    public static func manager(for target: ReplayTarget, width: Int = 256) -> HTTPManager {
        var settings = HTTPSettings()
        settings.width = width
        settings.caFile = target.trustFile
        settings.bodyLimit = bodyLimit
        settings.redirectLimit = 0
        return HTTPManager(settings)
    }

    /// How the requests of a client are played.
    static func options(_ target: ReplayTarget) -> HTTPPlayOptions {
        var options = HTTPPlayOptions { target.url(host: $0, path: "", query: nil) }
        options.leftOut = LeftOut(rules: target.rules)
        options.isDistinct = target.isOneOfSeveral
        options.login = { user in
            target.login(for: user).map { .init(user: $0.user, password: $0.password) }
        }
        options.token = target.token
        return options
    }

    /// Sends the request of an exchange again, follows what the answers require, and compares the
    /// final one; cancelled with its task.
    public func play(_ exchange: RecordedExchange) async -> PlayedExchange {
        let recording = recording(exchange.id)
        var turn = play.withLock { $0.turn(exchange, recording) }
        var event = HTTPPlay.Event.begin
        while true {
            switch handle(event, of: &turn) {
            case .finish(let played): return played
            case .wait(let until):
                let pause = until.nanoseconds - clock.now()
                let isThere = pause <= 0 ? !Task.isCancelled : await clock.sleep(pause)
                guard isThere else { return turn.stopped() }
                event = .due
            case .send(let request):
                guard let answer = await send(request) else { return turn.stopped() }
                event = .answered(answer)
            }
        }
    }

    private func handle(_ event: HTTPPlay.Event, of turn: inout HTTPTurn) -> HTTPPlay.Command {
        let now = Instant(nanoseconds: clock.now())
        return identity.withLock { identity in
            play.withLock { $0.handle(event, of: &turn, now: now, &identity) }
        }
    }

    /// - Returns: Nil where the task was cancelled.
    private func send(_ planned: HTTPPlayRequest) async -> HTTPPlayAnswer? {
        guard
            let url = target.url(host: planned.host, path: planned.path, query: planned.query),
            var request = try? Request(url: url, retryCount: 0)
        else { return HTTPPlayAnswer(problem: "the request has no URL") }
        request.isExact = true
        request.requestType = planned.hasBody ? .post : .get
        request.method = ["GET", "POST"].contains(planned.method) ? nil : planned.method
        if planned.method == "GET", planned.hasBody { request.method = "GET" }
        if planned.hasBody { request.requestBody = .bytes(planned.body) }
        request.headers = planned.fields.map { ($0.name, $0.value) }
        if planned.isChunked { request.headers.append(("Transfer-Encoding", "chunked")) }
        request.compression = planned.isCompressed
        request.credentials = planned.login.map {
            Credentials(user: $0.user, password: $0.password)
        }
        let response = await manager.response(to: request)
        if response.error == .cancelled { return nil }
        guard response.error == nil, let head = response.metadata else {
            let problem = response.error.map { "\($0)" } ?? "there was no answer"
            switch response.error {
            case .resolve, .connect, .tls, .badURL:
                return HTTPPlayAnswer(problem: problem, isUnreachable: true)
            default: return HTTPPlayAnswer(problem: problem)
            }
        }
        let fields = head.headers.map { ReplayMessage.Field($0.name, $0.value) }
        var message = ReplayMessage(fields: fields, body: response.data)
        if let coding = message.value("content-encoding") {
            message.body = Self.decoded(message.body, coding)
        }
        return HTTPPlayAnswer(head.status, message, at: Int64(time(nil)))
    }

    /// The body without its content coding, or as received where that cannot be undone.
    private static func decoded(_ body: [UInt8], _ coding: String) -> [UInt8] {
        var output: [UInt8] = []
        do throws(ContentCodingError) {
            let decoder = try ContentDecoder(codings: coding)
            try decoder.decode(body.span) { (piece) throws(ContentCodingError) in
                piece.withUnsafeBufferPointer { output.append(contentsOf: $0) }
            }
            try decoder.finish()
        } catch {
            return body
        }
        return output
    }
}
