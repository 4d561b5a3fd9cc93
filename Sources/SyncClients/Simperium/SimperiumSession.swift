import Notation
public import Simperium
public import Wire

/// Buckets of one application over one socket: a machine without socket, clock or randomness.
///
/// Each bucket has a channel, numbered from 0 in the order of their names; the heartbeat and the
/// pauses between sockets are common to all. Source: Simperium/Specification.md.
public struct SimperiumSession: Sendable {
    /// What does not change.
    public let settings: Settings
    /// Whether a socket is to be open.
    public private(set) var isWanted = false
    /// Whether messages can be sent.
    public var isOpen: Bool { heartbeat != nil }
    /// Whether the server has ever answered.
    public private(set) var wasAnswered = false
    /// Sockets that could not be opened, or were lost, since the server answered last.
    public var failures: Int { schedule.failures }
    /// Why the last socket was lost; nil before one was.
    public private(set) var lastFailure: String?
    /// Why no socket is opened any more; nil where one may be.
    public internal(set) var refusal: Refusal?
    /// The server's name for the owner of the token.
    public private(set) var user: String?

    var buckets: [ClientBucket]
    /// Keys of each bucket with something that the server has not answered.
    var pending: [Set<ExactText>]
    /// Keys of each bucket that the server refused, until they are touched again.
    var held: [Set<ExactText>]
    private var timers: [Instant?]
    private var heartbeat: Heartbeat?
    private var schedule: ReconnectSchedule
    private var isConnecting = false
    private var token: String?
    /// Whether the server took the token, so that it had been right before it was refused.
    private var wasTokenTaken = false
    private var tokenRefusals: Int
    /// When the requested socket times out.
    private var dialEnds: Instant?
    private var retryAt: Instant?
    private var numbers: any RandomNumberGenerator & Sendable
    private var timer: Instant?
    private var now = Instant.zero

    /// A session that continues where another ended.
    ///
    /// - Parameters:
    ///   - settings: What does not change.
    ///   - saved: What was saved of each bucket, by name.
    ///   - user: The user whose data these are; nil where that is unknown.
    ///   - random: For identifiers of changes and the length of pauses.
    public init(
        settings: Settings, saved: [String: ClientBucket.Saved] = [:], user: String? = nil,
        random: some RandomNumberGenerator & Sendable
    ) {
        var random = random
        self.settings = settings
        self.user = user
        token = settings.token
        schedule = settings.pauses
        buckets = settings.buckets.enumerated().map { channel, name in
            var each = ClientBucket.Settings(
                channel: channel, bucket: name, app: settings.app, clientID: settings.clientID)
            each.pageSize = settings.pageSize
            each.pagesHoldData = settings.pagesHoldData
            each.patience = settings.patience
            return ClientBucket(
                restoring: saved[name] ?? .init(), settings: each, token: settings.token,
                seed: random.next())
        }
        pending = settings.buckets.map { name in
            Set((saved[name] ?? .init()).objects.filter { $0.value.isPending }.keys)
        }
        held = settings.buckets.map { name in
            Set((saved[name] ?? .init()).objects.filter { $0.value.hold != nil }.keys)
        }
        timers = settings.buckets.map { _ in nil }
        numbers = random
        tokenRefusals = settings.tokenRefusals
        if token != nil, tokenRefusals >= Self.tokenAttempts {
            refusal = Refusal(
                reason:
                    "the server has refused this token \(tokenRefusals) times: get another one from the auth API"
            )
        }
    }

    /// Processes the next event.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - now: When; never earlier than in the call before.
    ///   - output: Commands are appended to it; what is to be saved comes before what is to be sent
    ///     because of it.
    public mutating func handle(_ event: Event, at now: Instant, into output: inout [Command]) {
        self.now = max(now, self.now)
        switch event {
        case .online: goOnline(&output)
        case .offline: goOffline(&output)
        case .cut: cut(&output)
        case .authorized(let token): authorized(token, &output)
        case .unauthorized(let failure): unauthorized(failure, &output)
        case .opened: opened(&output)
        case .closed(let reason): lost(reason, &output)
        case .received(let text): receive(text, &output)
        case .edited(let bucket, let key, let data):
            give(.edited(key: key, data: data), toBucket: bucket, &output)
        case .removed(let bucket, let key): give(.removed(key: key), toBucket: bucket, &output)
        case .timePassed: break
        }
        wake(&output)
        let next = deadline
        if next != timer {
            timer = next
            output.append(.setTimer(next))
        }
    }

    /// When ``Event/timePassed`` is due next.
    private var deadline: Instant? {
        var times = timers.compactMap { $0 }
        if let heartbeat { times.append(heartbeat.deadline) }
        if let retryAt { times.append(retryAt) }
        if let dialEnds { times.append(dialEnds) }
        return times.min()
    }

    private mutating func goOnline(_ output: inout [Command]) {
        guard !isWanted else { return }
        isWanted = true
        retryAt = nil
        connect(&output)
    }

    private mutating func goOffline(_ output: inout [Command]) {
        isWanted = false
        retryAt = nil
        guard isConnecting || isOpen else { return }
        output.append(.disconnect)
        close(&output)
    }

    /// Closes the socket as an unreliable network would, and opens another after a pause.
    private mutating func cut(_ output: inout [Command]) {
        guard isConnecting || isOpen else { return }
        output.append(.disconnect)
        lost("cut on purpose", &output)
    }

    private mutating func connect(_ output: inout [Command]) {
        guard isWanted, !isConnecting, !isOpen, refusal == nil else { return }
        isConnecting = true
        dialEnds = Instant(nanoseconds: now.nanoseconds + settings.patience)
        output.append(token == nil && settings.canAuthorize ? .authorize : .connect)
    }

    private mutating func authorized(_ token: String, _ output: inout [Command]) {
        guard isConnecting, self.token == nil else { return }
        self.token = token
        wasTokenTaken = false
        tokenRefusals = 0
        wasAnswered = true
        dialEnds = Instant(nanoseconds: now.nanoseconds + settings.patience)
        for channel in buckets.indices { give(.token(token), to: channel, &output) }
        output.append(.connect)
    }

    private mutating func unauthorized(
        _ failure: SimperiumAuthorization.Failure, _ output: inout [Command]
    ) {
        guard isConnecting, token == nil else { return }
        switch failure {
        case .refused(let reason):
            refusal = Refusal(reason: reason)
            close(&output)
        case .later(let reason):
            wasAnswered = true
            lost(reason, &output)
        case .unreachable(let reason): lost(reason, &output)
        }
    }

    /// The server does not accept the token, or no longer accepts it.
    private mutating func renew(_ code: Int?, _ output: inout [Command]) {
        output.append(.tell(.needsToken(code: code)))
        output.append(.disconnect)
        // Once it was taken, 401 may be about one object.
        if code == nil || !wasTokenTaken && (code == 400 || code == 401) {
            tokenRefusals += 1
            output.append(.tokenRefusals(tokenRefusals))
        }
        // Another token helps where this one was valid once; the user may have been blocked since.
        if settings.canAuthorize, wasTokenTaken, code == nil || code == 401 {
            token = nil
            wasTokenTaken = false
            close(&output)
            return connect(&output)
        }
        refusal = Refusal(reason: Self.advice(code), isForGood: code != nil)
        isConnecting = false
        heartbeat = nil
        timers = timers.map { _ in nil }
    }

    private mutating func opened(_ output: inout [Command]) {
        guard isConnecting else { return }
        isConnecting = false
        dialEnds = nil
        heartbeat = Heartbeat(at: now, idle: settings.idle)
        output.append(.tell(.opened))
        for channel in buckets.indices { give(.opened, to: channel, &output) }
    }

    private mutating func lost(_ reason: String, _ output: inout [Command]) {
        guard isConnecting || isOpen else { return }
        lastFailure = reason
        close(&output)
        output.append(.tell(.closed(reason: reason)))
        guard isWanted, refusal == nil else { return }
        let jitter = Double.random(in: 0...1, using: &numbers)
        retryAt = Instant(nanoseconds: now.nanoseconds + schedule.fail(jitter: jitter))
    }

    private mutating func close(_ output: inout [Command]) {
        isConnecting = false
        dialEnds = nil
        guard isOpen else { return }
        heartbeat = nil
        for channel in buckets.indices { give(.closed, to: channel, &output) }
    }

    private mutating func receive(_ text: [UInt8], _ output: inout [Command]) {
        guard isOpen else { return }
        let command = SimperiumCommand.parse(text, from: .server)
        guard let message = SimperiumMessage(command, in: text) else {
            return output.append(.tell(.log("a message of the server cannot be read")))
        }
        heartbeat?.received(message, at: now)
        wasAnswered = true
        schedule.succeed()
        if case .auth(.accepted(let name)) = message.body {
            guard isOwner(name, &output) else { return }
            wasTokenTaken = true
            if tokenRefusals > 0 {
                tokenRefusals = 0
                output.append(.tokenRefusals(0))
            }
        }
        // What has no channel is for all of them.
        if let channel = message.channel {
            guard buckets.indices.contains(channel) else { return }
            give(.received(message), to: channel, &output)
        } else if case .logLevel = message.body {
            for channel in buckets.indices { give(.received(message), to: channel, &output) }
        }
    }

    /// Whether the token belongs to the user of the state; one user's edits are not sent as
    /// another's.
    private mutating func isOwner(_ name: String, _ output: inout [Command]) -> Bool {
        guard let user else {
            user = name
            output.append(.own(name))
            return true
        }
        guard user != name else { return true }
        refusal = Refusal(
            reason:
                "the state belongs to \(user), and the token to \(name); name another --state")
        output.append(.disconnect)
        close(&output)
        return false
    }

    private mutating func wake(_ output: inout [Command]) {
        for channel in buckets.indices {
            if let time = timers[channel], time <= now {
                timers[channel] = nil
                give(.timePassed, to: channel, &output)
            }
        }
        if let deadline = heartbeat?.deadline, deadline <= now, isOpen {
            for command in heartbeat?.timePassed(at: now) ?? [] {
                switch command {
                case .send(let message): output.append(.send(message.encoded(by: .client)))
                case .reconnect:
                    output.append(.disconnect)
                    lost("the server does not answer the heartbeat", &output)
                case .setTimer: break
                }
            }
        }
        if let time = dialEnds, time <= now {
            output.append(.disconnect)
            lost("the server does not answer the handshake", &output)
        }
        if let time = retryAt, time <= now {
            retryAt = nil
            connect(&output)
        }
    }

    private mutating func give(
        _ event: ClientBucket.Event, toBucket name: String, _ output: inout [Command]
    ) {
        guard let channel = settings.buckets.firstIndex(of: name) else { return }
        give(event, to: channel, &output)
    }

    private mutating func give(
        _ event: ClientBucket.Event, to channel: Int, _ output: inout [Command]
    ) {
        var commands: [ClientBucket.Command] = []
        let before = buckets[channel].phase
        buckets[channel].handle(event, at: now, into: &commands)
        let name = settings.buckets[channel]
        for command in commands {
            switch command {
            case .send(let message):
                if isOpen { output.append(.send(message.encoded(by: .client))) }
            case .changed(let key, let old, let new, let cause):
                output.append(
                    .tell(.changed(bucket: name, key: key, old: old, new: new, because: cause)))
            case .removed(let key, let old, let cause):
                output.append(
                    .tell(.removed(bucket: name, key: key, old: old, because: cause)))
            case .rejected(let key, let code, let reason):
                output.append(
                    .tell(.rejected(bucket: name, key: key, code: code, reason: reason)))
            case .needsToken(let code): renew(code, &output)
            case .reconnect(let reason):
                guard isOpen else { continue }
                output.append(.disconnect)
                lost(reason, &output)
            case .setTimer(let time): timers[channel] = time
            case .save(let saving):
                note(saving, of: channel)
                output.append(.save(bucket: name, saving))
            case .log(let line): output.append(.tell(.log("\(name): \(line)")))
            }
        }
        if buckets[channel].phase == .synced, before != .synced {
            output.append(.tell(.synced(bucket: name)))
        }
    }

    private mutating func note(_ saving: ClientBucket.Saving, of channel: Int) {
        for (key, object) in saving.objects {
            if object?.isPending == true {
                pending[channel].insert(key)
            } else {
                pending[channel].remove(key)
            }
            if object?.hold != nil {
                held[channel].insert(key)
            } else {
                held[channel].remove(key)
            }
        }
    }

    private static func advice(_ code: Int?) -> String {
        switch code {
        case 400: "the token is malformed: 32 or more letters and digits are expected (400)"
        case 401: "the token is not valid: get another one from the auth API (401)"
        case nil: "the token has expired: get another one from the auth API"
        case let code?:
            "the server refuses the bucket: check its name and the user's permissions (\(code))"
        }
    }
}
