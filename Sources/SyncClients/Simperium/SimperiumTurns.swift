internal import Framing
internal import NIOCore
internal import NIOPosix
internal import Simperium
internal import Wire

/// The turns of a running client, for one task alone.
final class SimperiumTurns {
    private let settings: SimperiumClient.Settings
    private let state: SimperiumState
    private let dialer: Dialer
    private let inputs: AsyncStream<SimperiumClient.Input>.Continuation
    private let print: @Sendable (String) -> Void
    private let say: @Sendable (String) -> Void
    private let loop = MultiThreadedEventLoopGroup.singleton.next()
    private let start = ContinuousClock.now

    private var session: SimperiumSession
    private var driver: any SimperiumDriver
    private var notices: [SimperiumSession.Notice] = []
    private var outbox: [SimperiumSession.Command] = []
    private var channel: (any Channel)?
    /// Number of the socket, so that events of an earlier one are ignored.
    private var socket = 0
    private var sessionTime: Instant?
    private var driverTime: Instant?
    private var armed: (time: Instant, task: Task<Void, Never>)?

    /// Restores a session from its state.
    init(
        _ settings: SimperiumClient.Settings, _ state: SimperiumState,
        _ driver: some SimperiumDriver, _ dialer: Dialer,
        _ inputs: AsyncStream<SimperiumClient.Input>.Continuation,
        print: @escaping @Sendable (String) -> Void, say: @escaping @Sendable (String) -> Void
    ) throws(SimperiumClientError) {
        self.settings = settings
        self.state = state
        self.driver = driver
        self.dialer = dialer
        self.inputs = inputs
        self.print = print
        self.say = say
        let identifier: String
        if let known = try state.value("client_id") {
            identifier = known
        } else {
            identifier = "tapedeck-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
            try state.set("client_id", identifier)
        }
        var reported = SimperiumSession.Settings(
            app: settings.app, buckets: settings.buckets, token: settings.token,
            clientID: identifier)
        if let token = settings.token {
            reported.tokenRefusals = try state.refusals(of: token)
        }
        reported.canAuthorize = settings.authorize != nil
        reported.pageSize = settings.pageSize
        reported.pagesHoldData = settings.pagesHoldData
        reported.patience = settings.patience
        reported.idle = settings.idle
        reported.pauses = settings.pauses
        var saved: [String: ClientBucket.Saved] = [:]
        var edits: [SimperiumSession.Event] = []
        for bucket in settings.buckets {
            let loaded = try state.load(bucket)
            saved[bucket] = loaded.saved
            edits += loaded.edits.map { key, data in
                data.map { .edited(bucket: bucket, key: key, data: $0) }
                    ?? .removed(bucket: bucket, key: key)
            }
        }
        session = SimperiumSession(
            settings: reported, saved: saved, user: try state.value("user"),
            random: SystemRandomNumberGenerator())
        // They are on disk already, so that the commands they give are of no use.
        var known: [SimperiumSession.Command] = []
        for edit in edits { session.handle(edit, at: .zero, into: &known) }
    }

    private var now: Instant {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return Instant(nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    /// Processes what happened, to its last consequence.
    ///
    /// - Returns: How the driver's work ended; nil while it continues.
    func take(_ input: SimperiumClient.Input) throws(SimperiumClientError) -> SimperiumOutcome? {
        var outcome: SimperiumOutcome?
        if let time = driverTime, time <= now { driverTime = nil }
        switch input {
        case .authorized(let number, let answer):
            guard number == socket else { return nil }
            switch answer {
            case .success(let token): try handle(.authorized(token))
            case .failure(let failure): try handle(.unauthorized(failure))
            }
        case .dialed(let number, let channel):
            guard number == socket else {
                channel.close(promise: nil)
                return nil
            }
            self.channel = channel
        case .socket(let number, let events):
            guard number == socket else { return nil }
            for event in events {
                switch event {
                case .opened: try handle(.opened)
                case .message(let text): try handle(.received(text))
                case .ended(let reason):
                    channel = nil
                    try handle(.closed(reason))
                case .ping, .close: break
                }
            }
        case .timer:
            armed = nil
            try handle(.timePassed)
        case .feed(let event, _): try handle(event)
        case .endOfInput: notices.append(.endOfInput)
        case .stop: break
        }
        var isFirst = true
        while outcome == nil, isFirst || !notices.isEmpty {
            isFirst = false
            let reported = notices
            notices = []
            outcome = try act(driver.turn(reported, session, at: now))
        }
        // In this order: what was stored is safe, and then it is sent.
        try state.commit()
        if case .feed(_, let whenStored) = input { whenStored() }
        carryOut()
        if case .socket(let number, _) = input, number == socket {
            channel?.triggerUserOutboundEvent(SocketHandler.Taken(), promise: nil)
        }
        arm()
        return outcome
    }

    private func handle(_ event: SimperiumSession.Event) throws(SimperiumClientError) {
        var commands: [SimperiumSession.Command] = []
        session.handle(event, at: now, into: &commands)
        for command in commands {
            switch command {
            case .save(let bucket, let saving): try state.save(bucket, saving)
            case .own(let user): try state.set("user", user)
            case .tokenRefusals(let count):
                if let token = settings.token { try state.set(refusals: count, of: token) }
            case .tell(let notice): notices.append(notice)
            case .setTimer(let time): sessionTime = time
            case .authorize, .connect, .disconnect, .send: outbox.append(command)
            }
        }
    }

    private func act(
        _ actions: [SimperiumAction]
    ) throws(SimperiumClientError) -> SimperiumOutcome? {
        var hasEvents = false
        for action in actions {
            switch action {
            case .event(let event):
                hasEvents = true
                try handle(event)
            case .wake(let time): driverTime = time
            case .print(let line): print(line)
            case .say(let line): say(line)
            case .finish(let outcome): return outcome
            }
        }
        // The driver is to see the result of its events, even an empty one.
        if hasEvents, notices.isEmpty { return try act(driver.turn([], session, at: now)) }
        return nil
    }

    private func carryOut() {
        var frames = ByteBuffer()
        for command in outbox {
            switch command {
            case .send(let text):
                let payload = settings.isSockJS ? SockJSFrame.encode(client: [text]) : text
                frames.writeBytes(SocketHandler.frame(.text, payload))
            case .disconnect:
                flush(&frames)
                hangUp()
            case .authorize: authorize()
            case .connect: connect()
            default: break
            }
        }
        outbox = []
        flush(&frames)
    }

    private func flush(_ frames: inout ByteBuffer) {
        guard frames.readableBytes > 0 else { return }
        channel?.writeAndFlush(frames, promise: nil)
        frames = ByteBuffer()
    }

    private func authorize() {
        socket += 1
        let (number, inputs, ask) = (socket, inputs, settings.authorize)
        Task {
            guard let answer = await ask?() else { return }
            inputs.yield(.authorized(number, answer))
        }
    }

    private func connect() {
        socket += 1
        let number = socket
        let key = SocketHandler.key()
        let path =
            settings.isSockJS
            ? settings.target.sockJSPath(
                app: settings.app, server: Int.random(in: 0...999),
                session: UInt64.random(in: 0 ... .max))
            : settings.target.socketPath(app: settings.app)
        let request = SocketReader.request(
            path: path, host: settings.target.authority, key: key)
        let (inputs, isSockJS) = (inputs, settings.isSockJS)
        let tell: @Sendable ([SocketReader.Event]) -> Void = { inputs.yield(.socket(number, $0)) }
        dialer.dial(on: loop) {
            SocketHandler(
                request: request, reader: SocketReader(key: key, isSockJS: isSockJS),
                channelIsUp: { inputs.yield(.dialed(number, $0)) }, tell: tell)
        }.whenFailure { tell([.ended(Dialer.detail($0))]) }
    }

    private func hangUp() {
        socket += 1
        guard let channel else { return }
        self.channel = nil
        let bytes = SocketHandler.frame(.close, WebSocketCloseCode.payload(1000))
        channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenComplete { _ in
            channel.close(promise: nil)
        }
    }

    /// Sees to it that a turn happens when one is due.
    private func arm() {
        let times = [sessionTime, driverTime].compactMap { $0 }
        guard let time = times.min() else {
            armed?.task.cancel()
            armed = nil
            return
        }
        guard armed?.time != time else { return }
        armed?.task.cancel()
        let (inputs, pause) = (inputs, max(0, time.nanoseconds - now.nanoseconds))
        let task = Task {
            guard (try? await Task.sleep(for: .nanoseconds(pause))) != nil else { return }
            inputs.yield(.timer)
        }
        armed = (time, task)
    }

    /// Hangs up and waits until that is done.
    func close() async {
        armed?.task.cancel()
        let last = channel
        hangUp()
        try? await last?.closeFuture.get()
    }
}
