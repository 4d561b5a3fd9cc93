internal import Simperium
public import Wire

/// Plays the clients of recorded Simperium sessions to a live server.
///
/// Each recorded client command waits until the live server has sent the counterparts of what the
/// recorded one had sent before it on that channel. It is sent with the identifiers of the live
/// session: tokens, clients, changes and keys by ``Names``, and the versions, change versions and
/// marks that the live server issued for the recorded ones. What is received is compared with what
/// was recorded, a `c` change by change, since changes may be sent together or one by one. Where
/// the live server refuses what the recorded one accepted, the client does what the built-in one
/// would, a few times. What is not received within the timeout is missing, and the client
/// continues.
///
/// All sockets of one played client are one value, so that a reconnect has the state of earlier
/// sockets. Reads no clock: times are those of the events.
public struct SimperiumPlay: Sendable {
    /// Fetches the text of a recorded command; nil is an empty one.
    public typealias Fetch = @Sendable (CommandID) -> [UInt8]?

    /// A recorded socket and how far it is.
    struct Socket {
        enum Phase { case waiting, open, parting, closing, over }

        let id: ConnectionID
        let end: RecordedSocket.End?
        var phase = Phase.waiting
        /// Places of its channels, and of what belongs to none.
        var streams: [Int] = []
        var heartbeat: Heartbeat?
        /// When the phase began, or something last happened in it.
        var since = Instant.zero
        /// Since when only the answer to a change is waited for.
        var lingersSince: Instant?
        /// When the newest command that was sent or came had been recorded.
        var recordedAt: Instant?
        var played: PlayedSocket
    }

    /// An application's bucket of one user, as the live server has it.
    struct Bucket {
        var name: String
        var versions = PlayedVersions()
        /// Live change versions by the recorded ones.
        var changeVersions: [String: String] = [:]
        /// Live keys by the recorded ones, where they differ.
        var keys: [String: String] = [:]
        var recordedKeys: [String: String] = [:]
        /// Keys that the recorded server sent and no client synthesized; kept where that matters.
        var seen: Set<String> = []
    }

    /// A change on its way.
    struct Flight {
        var place: Int32
        var stream: Int
        var attempts = 0
    }

    /// Where a change is made: a place, and that of its channel.
    struct Author {
        var place: Int32
        var stream: Int32
    }

    /// Something that is sent at its time.
    struct Due {
        enum What {
            case advance(stream: Int)
            case again(stream: Int, text: [UInt8], ccid: String)
        }
        var at: Instant
        var what: What
    }

    /// How the session is played.
    public let settings: Settings
    let names: Names
    let commands: [RecordedCommand]
    let fetch: Fetch
    /// What the user left out.
    let leftOut: LeftOut
    /// The same, and what servers choose in each run.
    let volatileLeftOut: LeftOut
    var sockets: [Socket] = []
    var socketPlaces: [ConnectionID: Int] = [:]
    var streams: [PlayedStream] = []
    var buckets: [Bucket] = []
    /// Changes on their way, by recorded `ccid`.
    var flights: [String: Flight] = [:]
    /// Recorded changes by the live `ccid`.
    var recordedChanges: [String: String] = [:]
    /// Recorded changes of these clients that only other channels receive.
    var reportedElsewhere: Set<String> = []
    /// Recorded changes of these clients that their own channel receives.
    var reportedThere: Set<String> = []
    /// Where these clients make their recorded changes.
    var authors: [String: Author] = [:]
    /// Recorded server commands that answer `cv`.
    var catchUpAnswers: Set<CommandID> = []
    /// Places of client commands that the recorded server never got.
    var lost: Set<Int32> = []
    /// Channels that wait for their turn.
    var turns: [CommandID: Int] = [:]
    var dues: [Due] = []
    var output: [SimperiumPlayCommand] = []
    var now = Instant.zero
    /// Counts what happened, as far as it may be what others wait for.
    var progress = 0
    private var othersProgress = 0
    private var tick: Instant?
    private var timer: Instant?
    /// How often the history of an object was read to send the whole of it.
    var readings = 0

    /// The play of recorded commands.
    ///
    /// - Parameters:
    ///   - commands: Of all sockets that are played, in the order of the recording.
    ///   - sockets: How sockets ended; those that are not named ended with their client.
    ///   - settings: How it is played.
    ///   - names: Where the names of the client are kept.
    ///   - fetch: Gives the text of a recorded command.
    public init(
        _ commands: [RecordedCommand], sockets: [RecordedSocket] = [],
        settings: Settings = Settings(), names: Names, fetch: @escaping Fetch
    ) {
        self.commands = commands
        self.settings = settings
        self.names = names
        self.fetch = fetch
        leftOut = LeftOut(rules: settings.rules, keepsVolatile: true)
        volatileLeftOut = SimperiumComparison.leftOut(settings.rules)
        index(sockets)
    }

    /// The result of a socket so far; nil for one that is not in the recording.
    public func played(_ socket: ConnectionID) -> PlayedSocket? {
        socketPlaces[socket].map { sockets[$0].played }
    }

    /// Whether something waits for its time alone: a recorded pause passes, or one before another try.
    public var isPausing: Bool { !dues.isEmpty }

    /// Processes an event and returns the commands for it, in order.
    ///
    /// - Parameters:
    ///   - event: What happens.
    ///   - now: When; never before the event before.
    ///   - commands: What is done is appended to it.
    public mutating func handle(
        _ event: SimperiumPlayEvent, at now: Instant, into commands: inout [SimperiumPlayCommand]
    ) {
        self.now = max(now, self.now)
        switch event {
        case .opened(let id): open(id)
        case .received(let id, let text): receive(text, id)
        case .closed(let id, let code, let reason): closed(id, code, reason)
        case .turn(let id): takeTurn(id)
        case .timePassed(let progress): passTime(progress)
        case .abandoned(let id): abandon(id)
        }
        setTimer()
        commands += output
        output.removeAll(keepingCapacity: true)
    }

    private mutating func open(_ id: ConnectionID) {
        guard let place = socketPlaces[id], sockets[place].phase == .waiting else {
            // Nothing was recorded but that it was opened.
            if socketPlaces[id] == nil { output += [.close(id), .finished(id)] }
            return
        }
        sockets[place].phase = .open
        sockets[place].since = now
        sockets[place].heartbeat = Heartbeat(
            at: now, idle: settings.idle, patience: max(settings.patience, 1_000_000_000))
        for stream in sockets[place].streams { advance(stream) }
        endIfThrough(place)
    }

    private mutating func takeTurn(_ id: CommandID) {
        guard let stream = turns.removeValue(forKey: id) else { return }
        streams[stream].hasTurn = true
        advance(stream)
    }

    private mutating func passTime(_ others: Int) {
        timer = nil
        if others != othersProgress {
            othersProgress = others
            progress += 1
        }
        while let due = dues.first, due.at <= now {
            dues.removeFirst()
            switch due.what {
            case .advance(let stream): advance(stream)
            case .again(let stream, let text, let ccid): sendAgain(text, ccid, on: stream)
            }
        }
        guard let tick, tick <= now else { return }
        self.tick = nil
        for place in sockets.indices { lookAfter(place) }
    }

    mutating func schedule(_ due: Due) {
        let place = dues.firstIndex { $0.at > due.at } ?? dues.count
        dues.insert(due, at: place)
    }

    private mutating func setTimer() {
        if tick == nil, sockets.contains(where: { $0.phase != .waiting && $0.phase != .over }) {
            let pause = min(max(settings.patience / 8, 1_000_000), 500_000_000)
            tick = Instant(nanoseconds: now.nanoseconds + min(pause, max(settings.idle, 1)))
        }
        let next = [tick, dues.first?.at].compactMap { $0 }.min()
        guard let next, next != timer else { return }
        timer = next
        output.append(.setTimer(next))
    }

    // MARK: Small things

    func text(_ place: Int32) -> [UInt8] { fetch(commands[Int(place)].id) ?? [] }

    /// A deviation on a channel.
    mutating func deviate(
        _ stream: Int, _ place: Int32?, _ line: String, _ differences: Differences
    ) {
        let socket = streams[stream].socket
        let bucket = streams[stream].bucket(at: place ?? streams[stream].lastPlace)
        report(
            socket,
            .init(
                channel: streams[stream].channel, bucket: bucket.map { buckets[$0].name },
                command: place.map { commands[Int($0)].id }, line: line, differences: differences))
    }

    mutating func report(_ socket: Int, _ deviation: PlayedSocket.Deviation) {
        sockets[socket].played.deviationCount += 1
        guard sockets[socket].played.deviations.count < PlayedSocket.maxDeviations else { return }
        sockets[socket].played.deviations.append(deviation)
    }
}
