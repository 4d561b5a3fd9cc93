public import Wire

/// Plays the client of a recorded WebSocket that carries something else than Simperium.
///
/// The meaning of its messages is unknown, so only their order is used: each message of the client
/// is sent when as many messages of the server were received as preceded it, and in its turn among
/// everything else that is played. Tokens and other values that the live server issued in place of
/// recorded ones are replaced in text. What is received is compared with what was recorded, in
/// order. What is not received within the timeout is missing, and the client continues. Reads no
/// clock: times are those of the events.
public struct WebSocketPlay: Sendable {
    /// Fetches the payload of a recorded message; nil is an empty one.
    public typealias Fetch = WebSocketReplay.Fetch

    /// How a conversation is played.
    public struct Settings: Sendable {
        /// How fast recorded pauses pass.
        public var pace = ReplayPace.asFastAsPossible
        /// Nanoseconds without anything happening after which what is waited for is missing.
        public var patience: Int64 = 10_000_000_000
        /// What takes no part in comparing.
        public var leftOut = LeftOut.usual

        /// The usual settings.
        public init() {}
    }

    /// How far the socket is.
    enum Phase: Hashable {
        /// Nothing was done yet.
        case waiting
        /// The live server is to answer the handshake.
        case opening
        /// Messages go to and fro.
        case open
        /// The live server is to close it, as the recorded one did.
        case ending
        /// This side has closed it, and the live server is to answer the close.
        case leaving
        /// Nothing follows.
        case over
    }

    /// A message of the client, and how many of the server came before it.
    struct Turn {
        var message: RecordedConversation.Message
        var needed: Int
    }

    /// The maximum time in nanoseconds that a server may take to answer the close, or to send its
    /// last message.
    private static let farewell: Int64 = 1_000_000_000

    /// What is played.
    public let conversation: RecordedConversation
    /// How it is played.
    public let settings: Settings
    /// The result so far.
    public internal(set) var played: PlayedConversation
    private let fetch: Fetch
    let turns: [Turn]
    /// Whether the recorded server continued when the client had ended it.
    private let wentOn: Bool
    var window: MessageWindow
    var phase = Phase.waiting
    var nextTurn = 0
    private var hasAsked = false
    private var hasTurn = false
    /// Recorded messages of the server that were reported as received.
    private var reported = 0
    /// When the last thing happened on the socket: in the recording, and now.
    private var last = (recorded: Instant.zero, live: Instant.zero)
    /// When the last message came that was waited for, or that came for it.
    private var heardAt = Instant.zero
    /// Since when nothing has happened that may be what is waited for.
    private var silentSince = Instant.zero
    private var progress = 0
    private var timer: Instant?
    private var now = Instant.zero
    var output: [WebSocketPlayCommand] = []

    /// The play of a recorded conversation.
    ///
    /// - Parameters:
    ///   - conversation: What was recorded.
    ///   - settings: How it is played.
    ///   - fetch: Gives the payload of a recorded message.
    public init(
        _ conversation: RecordedConversation, settings: Settings = Settings(),
        fetch: @escaping Fetch
    ) {
        self.conversation = conversation
        self.settings = settings
        self.fetch = fetch
        var turns: [Turn] = []
        var served: [RecordedConversation.Message] = []
        let messages = conversation.messagesBeforeEnd
        for message in messages {
            switch message.sender {
            case .client: turns.append(Turn(message: message, needed: served.count))
            case .server: served.append(message)
            }
        }
        self.turns = turns
        wentOn = conversation.messages.count { $0.sender == .server } > served.count
        window = MessageWindow(served, leftOut: settings.leftOut, fetch: fetch)
        played = PlayedConversation(conversation.exchange)
        played.recorded = served.count
    }

    /// Processes an event and returns the commands for it, in order.
    ///
    /// - Parameters:
    ///   - event: What happens.
    ///   - now: When; never before the event before.
    ///   - identity: What things are called in this run.
    /// - Returns: Commands; after ``WebSocketPlayCommand/finish`` there are no further ones.
    public mutating func handle(
        _ event: WebSocketPlayEvent, at now: Instant, _ identity: inout ReplayIdentity
    ) -> [WebSocketPlayCommand] {
        guard phase != .over else { return [] }
        self.now = max(now, self.now)
        switch event {
        case .begun: enter(.opening)
        case .opened(let differences): open(differences)
        case .refused(let differences):
            report("the answer to the handshake", differences)
            finish(identity)
        case .unreachable(let reason):
            played.unreachable = reason
            lose(reason, identity)
        case .received(let message): receive(message, &identity)
        case .closed(let code, let reason): closed(code, reason, identity)
        case .turn(let id):
            if nextTurn < turns.count, turns[nextTurn].message.id == id { hasTurn = true }
            silentSince = self.now
        case .timePassed(let progress): passTime(progress, identity)
        case .abandoned:
            played.wasStopped = true
            if phase == .open || phase == .ending { output.append(.close(code: 1000)) }
            finish(identity)
        }
        advance(identity)
        tellWhatCame()
        setTimer()
        defer { output.removeAll() }
        return output
    }

    // MARK: Events

    private mutating func open(_ differences: Differences) {
        guard phase == .opening else { return }
        if !differences.isEmpty { report("the answer to the handshake", differences) }
        enter(.open)
        last = (conversation.openedAt, now)
        output.append(.opened)
    }

    private mutating func receive(_ message: SocketMessage, _ identity: inout ReplayIdentity) {
        switch phase {
        case .open, .ending: break
        case .leaving:
            // What was in progress when the recorded client ended it was never compared.
            if wentOn { return }
        case .waiting, .opening, .over: return
        }
        let before = window.reached
        let end = nextTurn < turns.count ? turns[nextTurn].needed : window.recorded.count
        window.take(message, before: end, &identity, &played)
        // A server that continues with something else is not waited for any longer.
        guard window.reached > before else { return }
        silentSince = now
        heardAt = now
        last = (max(last.recorded, window.recorded[window.reached - 1].at), now)
    }

    private mutating func closed(_ code: Int?, _ reason: String, _ identity: ReplayIdentity) {
        switch phase {
        case .waiting, .over: return
        case .opening: lose(reason, identity)
        case .open:
            guard let end = conversation.end, nextTurn == turns.count else {
                return lose(reason, identity)
            }
            // It ended as recorded, whatever it did not send before.
            compareEnd(end, code, identity)
            finish(identity)
        case .ending:
            if let end = conversation.end { compareEnd(end, code, identity) }
            finish(identity)
        case .leaving: finish(identity)
        }
    }

    private mutating func passTime(_ progress: Int, _ identity: ReplayIdentity) {
        timer = nil
        if progress != self.progress, awaitsServer {
            // Others may still have to do what it is the consequence of.
            self.progress = progress
            silentSince = now
        }
        guard let deadline, deadline <= now else { return }
        switch phase {
        case .opening: lose("no answer to the handshake", identity)
        case .open:
            if let needed { window.waive(before: needed) }
            silentSince = now
        case .ending: missEnd(identity)
        case .leaving: finish(identity)
        case .waiting, .over: return
        }
    }

    // MARK: Sending

    /// Sends what is no longer blocked.
    private mutating func advance(_ identity: ReplayIdentity) {
        while phase == .open, needed == nil {
            guard nextTurn < turns.count else { return conclude() }
            let turn = turns[nextTurn].message
            guard hasTurn else {
                if !hasAsked { output.append(.askTurn(turn.id)) }
                hasAsked = true
                // The order of several sockets determines when that ends.
                return
            }
            guard due(turn.at) <= now else { return }
            nextTurn += 1
            (hasAsked, hasTurn) = (false, false)
            last = (max(last.recorded, turn.at), now)
            silentSince = now
            played.sent += 1
            output.append(.send(SocketMessage(turn, fetch(turn.id), in: identity)))
        }
    }

    /// Ends the socket on which everything was sent, as it was ended.
    private mutating func conclude() {
        guard conversation.end == nil else { return enter(.ending) }
        guard leave <= now else { return }
        // Where the recording ends first, neither side ended it.
        let code = conversation.clientEnd.map(\.code) ?? 1000
        output.append(.close(code: code))
        enter(.leaving)
    }

    /// When this side ends the socket, once everything was sent: with the recording, and where the
    /// last message may have been added, not before the recorded one had time to come.
    private var leave: Instant {
        let due = due(conversation.clientEnd?.at ?? last.recorded)
        guard window.isUncertain else { return due }
        return max(due, heardAt.advanced(by: min(settings.patience, Self.farewell)))
    }

    /// Messages of the server that what comes next waits for; nil where all have come.
    private var needed: Int? {
        let count = nextTurn < turns.count ? turns[nextTurn].needed : window.recorded.count
        return window.reached < count ? count : nil
    }

    /// Whether the live server is to send or do something that it did in the recording.
    private var awaitsServer: Bool { phase == .ending || phase == .open && needed != nil }

    /// When something is due at the pace of the play.
    private func due(_ recorded: Instant) -> Instant {
        settings.pace.due(recorded.nanoseconds - last.recorded.nanoseconds, after: last.live)
    }

    mutating func enter(_ phase: Phase) {
        self.phase = phase
        silentSince = now
    }

    mutating func tellWhatCame() {
        while reported < window.reached {
            output.append(.came(window.recorded[reported].id))
            reported += 1
        }
    }

    // MARK: Time

    /// When what is waited for is missing; nil where nothing is.
    private var deadline: Instant? {
        switch phase {
        case .waiting, .over: nil
        case .opening, .ending: silentSince.advanced(by: settings.patience)
        case .leaving: silentSince.advanced(by: min(settings.patience, Self.farewell))
        case .open: needed == nil ? nil : silentSince.advanced(by: settings.patience)
        }
    }

    /// Requests a timer for when something is due; a timer that fires too early does no harm.
    private mutating func setTimer() {
        guard var next = deadline ?? nextDue else { return }
        if awaitsServer || isPausing {
            // The progress of others is checked more often, and a pause is reported.
            next = min(next, now.advanced(by: max(settings.patience / 8, 1_000_000)))
        }
        if let timer, timer <= next { return }
        timer = next
        output.append(.setTimer(next))
    }

    /// Whether the next message, or the end, waits for nothing but its time.
    public var isPausing: Bool { nextDue.map { $0 > now } ?? false }

    /// When the next message, or the end, is sent; nil where it waits for something else.
    private var nextDue: Instant? {
        guard phase == .open, needed == nil else { return nil }
        guard nextTurn < turns.count else { return conversation.end == nil ? leave : nil }
        return hasTurn ? due(turns[nextTurn].message.at) : nil
    }
}
