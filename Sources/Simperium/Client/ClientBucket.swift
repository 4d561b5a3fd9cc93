import Notation
public import Wire

/// A bucket as a client has it: a machine without socket, clock or randomness.
///
/// It takes events and returns commands; the host carries them out in order. Per key there is the
/// last known value of the server (the ghost), what the app has (the local data) and at most one
/// change that was sent and not answered. Whenever the ghost moves, the local data are rebased over
/// the difference. Source: Simperium/Specification.md#first-sync, #reconnecting.
///
///     closed -opened-> authorizing -auth-> waiting (a cv is known) or indexing
///     waiting -c-> synced, -cv:?-> indexing;  indexing -last page, last entity-> synced
///     anything -auth refused-> unauthorized, until there is another token
///
/// A change is sent while synced only, and first those that were sent on an earlier connection,
/// with the same bytes.
public struct ClientBucket: Sendable {
    /// What the connection is at.
    public enum Phase: Hashable, Sendable {
        /// There is no socket.
        case closed
        /// The socket is open and `init` sent; nothing else may be sent.
        case authorizing
        /// The server refused the token, or there is none; nothing may be sent.
        case unauthorized
        /// `cv` was sent and not answered; no change may be sent.
        case waiting
        /// The index is being read; no change may be sent.
        case indexing
        /// Changes go both ways.
        case synced
    }

    /// What does not change.
    public let settings: Settings
    /// What the connection is at.
    public private(set) var phase = Phase.closed
    /// Change version up to which the server's changes are known; nil before the first index.
    ///
    /// While waiting it stays where it was until it is certain that nothing before it is missing.
    public internal(set) var cv: String?

    var token: String?
    /// The token of the last `init`.
    var offeredToken: String?
    /// The token that the server refused; it is not tried again.
    var refusedToken: String?
    /// Whether the server sent `auth:expired`, and not yet why.
    var isReasonDue = false
    var entries: [ExactText: Entry] = [:]
    /// Keys whose local data may have to be sent, in the order in which they became so.
    var queue = KeyQueue()
    /// Keys with a change that was not answered.
    var unanswered: Set<ExactText> = []
    /// Versions at which objects were removed.
    var tombstones: Tombstones
    /// The request to remove all objects.
    var emptying: Emptying? { didSet { if emptying == nil { emptyingState = .init() } } }
    var emptyingState = EmptyingState()
    var index: IndexRun?
    /// Pages that were requested and not received.
    var awaitedPages = 0
    /// How many of them are of an earlier run of the index, and come first.
    var stalePages = 0
    /// Runs of the index that came to nothing since the socket was opened.
    var fruitlessRuns = 0
    /// Keys for which the index was read again since the socket was opened.
    var reindexedFor: Set<ExactText> = []
    var requests: EntityRequests
    /// Answers to `cv` that are still to come.
    var awaitedAnswers = 0
    /// Change version of what came while waiting, which may not be all.
    var caughtUpTo: String?
    /// Whether the changes that are being processed can only be the answer to `cv`.
    var isAnswerCertain = false
    /// What came first after which `cv`, on an earlier connection perhaps.
    var uncertain: Uncertain?
    /// Change version since which changes were last requested.
    var askedSince: String?
    /// How often changes were requested while waiting.
    var catchUpRounds = 0
    /// Whether another `cv` is due when they have come.
    var needsAnotherAnswer = false
    var logLevel = 0
    var numbers: SplitMix64
    /// Number of the next change, so that they are sent again in their order.
    var nextSequence = 0
    var now = Instant.zero
    /// When the server last sent something on this channel, or was first sent a request.
    var lastHeard = Instant.zero
    var timer: Instant?
    /// Keys of which the stored part changed in this event.
    var unsaved: Set<ExactText> = []
    var isHeadUnsaved = false
    var commands: [Command] = []

    /// An empty bucket.
    ///
    /// - Parameters:
    ///   - settings: What does not change.
    ///   - token: The user's access token; nil where it is still to be requested.
    ///   - seed: For identifiers of changes and the length of pauses. Never use one twice with the
    ///     same client identifier: the server would take new changes for old ones.
    public init(settings: Settings, token: String?, seed: UInt64) {
        self.init(restoring: Saved(), settings: settings, token: token, seed: seed)
    }

    /// A bucket that continues where another ended.
    ///
    /// - Parameters:
    ///   - saved: What was saved last.
    ///   - settings: What does not change; the client identifier must be the same as before.
    ///   - token: The user's access token; nil where it is still to be requested.
    ///   - seed: For identifiers of changes and the length of pauses; another one than before.
    public init(restoring saved: Saved, settings: Settings, token: String?, seed: UInt64) {
        self.settings = settings
        self.token = token
        numbers = SplitMix64(seed: seed)
        tombstones = Tombstones(limit: settings.maxTombstones)
        requests = EntityRequests(limit: settings.maxEntityRequests)
        restore(saved)
    }

    /// Processes the next event.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - now: When; never earlier than in the call before.
    ///   - output: Commands are appended to it. What is to be saved comes before what is to be
    ///     sent, so that a change that was sent is never dropped.
    public mutating func handle(
        _ event: Event, at now: Instant, into output: inout [Command]
    ) {
        self.now = max(now, self.now)
        commands = []
        switch event {
        case .opened: open()
        case .closed: close()
        case .received(let message): receive(message)
        case .edited(let key, let data): edit(ExactText(key), to: data)
        case .removed(let key): edit(ExactText(key), to: nil)
        case .discarded(let key): discard(ExactText(key))
        case .emptied: empty()
        case .token(let token): take(token)
        case .timePassed: break
        }
        wake()
        sendChanges()
        setTimer()
        if let saving = takeSaving() { output.append(.save(saving)) }
        output.append(contentsOf: commands)
        commands = []
    }

    /// Goes to a phase.
    mutating func enter(_ phase: Phase) {
        self.phase = phase
        lastHeard = now
    }

    /// Sends on this bucket's channel.
    mutating func send(_ body: SimperiumBody<JSONValue>) {
        commands.append(.send(SimperiumMessage(settings.channel, body)))
    }

    /// Sends the server a line that only somebody who debugs needs, where it requested `log:2`.
    mutating func detail(_ line: @autoclosure () -> String) {
        guard logLevel >= 2, phase != .closed, phase != .unauthorized else { return }
        let message = LogMessage(text: line(), bucket: settings.bucket)
        commands.append(.send(SimperiumMessage(nil, .log(message))))
    }

    /// Logs a line, also to the server if it requested that.
    mutating func log(_ line: String, isVerbose: Bool = false) {
        commands.append(.log(line))
        guard phase != .closed, phase != .unauthorized, logLevel >= (isVerbose ? 2 : 1) else {
            return
        }
        let message = LogMessage(text: line, bucket: settings.bucket)
        commands.append(.send(SimperiumMessage(nil, .log(message))))
    }
}
