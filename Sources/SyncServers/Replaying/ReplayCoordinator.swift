internal import Framing
internal import NIOCore
internal import Platform
internal import Replaying
internal import Simperium
internal import Wire

/// Where all connections meet the recording: one event loop, one clock.
final class ReplayCoordinator {
    /// What happens to a request.
    enum Outcome {
        /// It is answered like this; head and end at these times.
        case response(RecordedResponse, LocationRewrite?, head: Instant, end: Instant)
        /// The connection becomes the WebSocket of a recorded one.
        case socket(RecordedResponse?, SocketRole, at: Instant)
        /// The connection ends, as it did.
        case silence(at: Instant)
    }

    let source: ReplaySource
    let options: ReplayServer.Options
    let loop: any EventLoop
    private let replies: RecordedReplies
    var simperium: SimperiumReplay
    var webSockets: WebSocketReplay
    /// What answers where the recording does not; default: nil.
    private var model: ReplayModel?
    /// What neither of them answered, where there is a model.
    private var unanswered: [HTTPMiss] = []
    private var unansweredCount = 0
    /// The last answer: the next ones often have the same head.
    private var lastAnswer: KnownAnswer?
    private let start = NIODeadline.now()
    /// Whether no more messages are expected.
    private(set) var isStopped = false
    /// Connections that are open.
    var connections: [ObjectIdentifier: ReplayConnection] = [:]
    private var hadConnections = false
    /// Whether no client has requested anything yet.
    private var isIdle = true

    // What belongs to WebSockets.
    var sockets: [Int: ReplaySocket] = [:]
    var socketCount = 0
    var due = DueList<SocketDelivery>()
    var alarm: Scheduled<Void>?
    var dirty: [ReplaySocket] = []
    /// Ends the wait for clients that did not connect.
    var silence: Scheduled<Void>?
    /// When a client last sent something.
    var lastHeard = NIODeadline.now()

    init(_ source: ReplaySource, _ options: ReplayServer.Options, _ loop: any EventLoop) {
        self.source = source
        self.options = options
        self.loop = loop
        replies = RecordedReplies(source, leftOut: LeftOut(rules: options.ignored))
        simperium = SimperiumReplay(
            source.commands, sockets: source.sockets, mode: options.mode.simperium,
            pace: options.pace, waitsForAbsent: true, seed: options.seed, fetch: source.text)
        webSockets = WebSocketReplay(
            source.conversations, isStrict: options.mode == .strict, pace: options.pace,
            leftOut: LeftOut(rules: options.ignored), fetch: source.payload)
        guard options.mode == .model else { return }
        model = ReplayModel(Array(source.exchanges), seed: options.seed, fetch: source.message)
    }

    /// Time since the start.
    var now: Instant { Instant(nanoseconds: (NIODeadline.now() - start).nanoseconds) }

    /// The wall clock's time, in seconds since 1970.
    var unixSeconds: Int64 { Int64(Platform.time(nil)) }

    /// How long it is until then, at least 0.
    func time(until due: Instant) -> TimeAmount {
        .nanoseconds(max(0, due.nanoseconds - now.nanoseconds))
    }

    /// The result so far.
    var report: ReplayReport {
        var section = replies.http.section()
        if model != nil {
            section.missed = unansweredCount
            section.misses = unanswered.map { .init(line: $0.line, detail: $0.description) }
        }
        var report = ReplayReport([section])
        if !source.commands.isEmpty || simperium.missed > 0 {
            report.sections.append(simperium.section())
        }
        if !webSockets.isEmpty { report.sections.append(webSockets.section()) }
        report.isIdle = isIdle
        return report
    }

    // MARK: Connections

    func add(_ connection: ReplayConnection) {
        connections[ObjectIdentifier(connection)] = connection
        hadConnections = true
    }

    func remove(_ connection: ReplayConnection) {
        connections[ObjectIdentifier(connection)] = nil
        guard options.endsWhenDone, hadConnections, connections.isEmpty, replies.http.unused == 0,
            simperium.unused == 0, webSockets.unused == 0
        else { return }
        stop()
    }

    /// Ends the replay after what was sent already.
    func stop() {
        guard !isStopped else { return }
        isStopped = true
        let stopped = options.stopped
        loop.execute { stopped() }
    }

    // MARK: Requests

    /// Finds what happens to a request.
    func answer(_ request: LiveRequest) -> Outcome {
        let now = now
        lastHeard = .now()
        isIdle = false
        guard !isStopped else { return .response(stoppedResponse, nil, head: now, end: now) }
        let replayed = replies.replayed(request)
        guard model != nil else {
            switch replies.http.answer(replayed) {
            case .recorded(let exchange): return recorded(exchange, request, at: now)
            case .missed(let miss): return missed(miss, at: now)
            }
        }
        return modelled(request, replayed, at: now)
    }

    /// The answer of the recording, or else of the model.
    private func modelled(
        _ request: LiveRequest, _ replayed: ReplayRequest, at now: Instant
    ) -> Outcome {
        let served = request.served
        let seconds = unixSeconds
        var miss: HTTPMiss?
        if model?.takes(served) != true {
            switch replies.http.answer(replayed) {
            case .recorded(let exchange):
                model?.played(exchange, served, answer: replies.bound(exchange.id), now: seconds)
                return recorded(exchange, request, at: now)
            case .missed(let found): miss = found
            }
        }
        let answer = model?.answer(served, miss, now: seconds)
        replies.http.relinquish(model?.takeNeedless() ?? [])
        for pair in model?.takeTokens() ?? [] {
            simperium.introduce(token: pair.token, user: pair.user)
        }
        switch answer {
        case .again(let exchange):
            if let role = role(of: exchange) {
                return request.opensSocket
                    ? .socket(source.response(exchange), role, at: now)
                    : upgradeRequired(exchange, at: now)
            }
            guard let response = replies.response(exchange) else { return .silence(at: now) }
            return .response(response, nil, head: now, end: now)
        case .made(let answer):
            return .response(RecordedResponse(answer, now: seconds), nil, head: now, end: now)
        case .none:
            let endpoint = SimperiumEndpoint.recognise(path: request.target.path)
            if let endpoint, request.opensSocket {
                return .socket(nil, .simperium(endpoint.transport), at: now)
            }
            unansweredCount += 1
            if let miss, unanswered.count < HTTPReplay.maxMisses { unanswered.append(miss) }
            return refused(miss, at: now)
        }
    }

    private func recorded(
        _ exchange: RecordedExchange, _ request: LiveRequest, at now: Instant
    ) -> Outcome {
        let head = options.pace.due(exchange.delay, after: now)
        let response = replies.response(exchange.id)
        if exchange.status == 101 {
            guard let role = role(of: exchange.id) ?? simperium(at: request) else {
                let text = "tapedeck: exchange \(exchange.id) changed to no WebSocket\n"
                return .response(
                    RecordedResponse(501, "Not Replayed", text: text, now: unixSeconds), nil,
                    head: head, end: head)
            }
            guard request.opensSocket else {
                return upgradeRequired(exchange.id, at: head)
            }
            return .socket(response, role, at: head)
        }
        guard let response else {
            guard exchange.status != nil else { return .silence(at: head) }
            let text = "tapedeck: exchange \(exchange.id) cannot be read from the trace\n"
            options.notice("exchange \(exchange.id) cannot be read from the trace")
            return .response(
                RecordedResponse(500, "Not Readable", text: text, now: unixSeconds), nil,
                head: head, end: head)
        }
        let length =
            (exchange.endedAt ?? exchange.startedAt).nanoseconds
            - (exchange.respondedAt ?? exchange.endedAt ?? exchange.startedAt).nanoseconds
        let end = options.pace.due(length, after: head)
        return .response(
            response, replies.rewrite(response, of: exchange, to: request), head: head, end: end)
    }

    /// The answer to a request for the path of a WebSocket without an upgrade.
    private func upgradeRequired(_ exchange: ExchangeID, at due: Instant) -> Outcome {
        let text = "tapedeck: exchange \(exchange) opened a WebSocket; ask for one\n"
        return .response(
            RecordedResponse(
                426, "Upgrade Required", text: text, now: unixSeconds,
                fields: [.init("Upgrade", "websocket")]), nil, head: due, end: due)
    }

    /// What the WebSocket carries that an exchange opened.
    private func role(of exchange: ExchangeID) -> SocketRole? {
        if let transport = source.upgrades[exchange] { return .simperium(transport) }
        return webSockets.plays(exchange) ? .conversation(exchange) : nil
    }

    /// The properties of a WebSocket in its path.
    private func simperium(at request: LiveRequest) -> SocketRole? {
        SimperiumEndpoint.recognise(path: request.target.path).map { .simperium($0.transport) }
    }

    private func missed(_ miss: HTTPMiss, at now: Instant) -> Outcome {
        if options.mode == .strict { stop() }
        return refused(miss, at: now)
    }

    private func refused(_ miss: HTTPMiss?, at now: Instant) -> Outcome {
        let why = miss?.description ?? "the model has none"
        options.notice("missed: \(why)")
        let text = "tapedeck: the recording has no answer: \(why)\n"
        return .response(
            RecordedResponse(501, "Not Recorded", text: text, now: unixSeconds), nil, head: now,
            end: now)
    }

    /// The bytes of a response.
    func bytes(
        _ response: RecordedResponse, _ rewrite: LocationRewrite?, _ request: AnswerBytes.Request
    ) -> AnswerBytes {
        if let rewrite {
            return AnswerBytes(response, to: request) { rewrite.applied(to: $0) }
        }
        if let lastAnswer, lastAnswer.request == request,
            lastAnswer.count == response.body.count, lastAnswer.response.hasHead(of: response)
        {
            return lastAnswer.bytes.with(response.body)
        }
        let bytes = AnswerBytes(response, to: request)
        var bare = response
        bare.body = []
        lastAnswer = KnownAnswer(bare, count: response.body.count, request, bytes.with([]))
        return bytes
    }

    /// An answer without its body.
    ///
    /// A class, since it is looked at for each answer.
    private final class KnownAnswer: Sendable {
        let response: RecordedResponse
        let count: Int
        let request: AnswerBytes.Request
        let bytes: AnswerBytes

        init(
            _ response: RecordedResponse, count: Int, _ request: AnswerBytes.Request,
            _ bytes: AnswerBytes
        ) {
            self.response = response
            self.count = count
            self.request = request
            self.bytes = bytes
        }
    }

    private var stoppedResponse: RecordedResponse {
        RecordedResponse(
            503, "Service Unavailable",
            text: "tapedeck: the replay has stopped, since a request or command was not recorded\n",
            now: unixSeconds, fields: [.init("Retry-After", "30")])
    }
}

@available(*, unavailable)
extension ReplayCoordinator: Sendable {}
