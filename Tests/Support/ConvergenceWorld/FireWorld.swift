import Notation
import Simperium
import Wire

/// A server and clients with several buckets each, whose connections are cut and whose changes are
/// refused at random, on a virtual clock.
///
/// What carries their messages is a ``FireLine``, which may do worse.
public struct FireWorld<Line: FireLine> {
    struct Channel {
        var bucket: ClientBucket
        var stored = ClientBucket.Saved()
        var settings: ClientBucket.Settings
        var timer: Instant?
        /// What was refused for good, until the app gives it up.
        var rejected: [String] = []
    }

    struct Client {
        var channels: [Channel] = []
        var session: SocketID?
        /// Since when it tries to connect.
        var connectingSince: Instant?
        var heartbeat: Heartbeat?
        /// Numbers of access tokens that were given out.
        var tokens = 0
    }

    let plan: FirePlan
    /// What carries the messages.
    public internal(set) var line: Line
    var server: ServerModel
    var clients: [Client] = []
    var random: SplitMix64
    var now = Instant.zero
    var sessions = 0
    var isCalm = false
    /// What was edited, sent and accepted.
    public internal(set) var ledger = FireLedger()
    /// How many connections were cut.
    public internal(set) var cuts = 0
    /// How many changes were refused by the world, by code.
    public internal(set) var refusals: [Int: Int] = [:]

    /// Nanoseconds between what people do on a quick link.
    private static var moment: Int64 { 20_000_000 }

    static var keys: [String] { ["a", "b", "c.d", "e", "f"] }

    /// A world that nobody has worked in, decided by `seed`.
    public init(seed: UInt64, _ plan: FirePlan = FirePlan(), line: Line) {
        self.plan = plan
        self.line = line
        random = SplitMix64(seed: seed)
        var options = ServerOptions()
        options.bucket.newestVersions = .max
        options.bucket.keepsVersionsOfRemoved = true
        options.bucket.rebaseSteps = [4, 16].randomElement(using: &random) ?? 16
        options.bucket.loggedChanges = [10, 100, 5000].randomElement(using: &random) ?? 100
        options.bucket.aggregation =
            [.none, .answers, .older].randomElement(using: &random) ?? .none
        server = ServerModel(options: options, seed: seed)
        for number in 0..<plan.clients {
            var client = Client()
            for (channel, name) in plan.buckets.enumerated() {
                var settings = ClientBucket.Settings(
                    channel: channel, bucket: name, app: "app", clientID: "client-\(number)")
                settings.requestsInInit = Bool.random(using: &random)
                settings.maxFullAttempts = 1000
                settings.pagesHoldData = Bool.random(using: &random)
                settings.pageSize = Int.random(in: 1...4, using: &random)
                settings.maxEntityRequests = Int.random(in: 1...3, using: &random)
                settings.maxInFlight = Int.random(in: 1...4, using: &random)
                client.channels.append(
                    Channel(
                        bucket: ClientBucket(
                            settings: settings, token: Self.token(0), seed: random.next()),
                        settings: settings))
            }
            clients.append(client)
        }
    }

    static func token(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: "a", count: 32 - text.count) + text
    }

    /// Plays everything; gives what is wrong at the end.
    public mutating func run() -> [String] {
        work()
        guard calm() else { return [whatIsBusy] }
        return differences() + problems()
    }

    /// Everybody edits, and whatever the plan and the line do to that happens.
    public mutating func work() {
        while ledger.count < plan.edits { step() }
    }

    /// Nothing goes wrong any more, until everybody has got everything.
    ///
    /// - Returns: Whether that moment came.
    public mutating func calm() -> Bool {
        isCalm = true
        line.calm(at: now)
        // What is dead and does not say so is noticed by its silence.
        let end = now.nanoseconds + plan.silence
        for _ in 0..<200_000 {
            if isQuiet, now.nanoseconds >= end { return true }
            if isQuiet { leap() } else { step() }
        }
        return false
    }

    /// What everybody is at, for people.
    public var whatIsBusy: String {
        let phases = clients.map { $0.channels.map { "\($0.bucket.phase)" } }
        let pending = clients.map { $0.channels.map(\.bucket.hasPending) }
        return "still busy: \(phases), pending: \(pending)"
    }

    /// Somebody edits each object once, and all get it.
    ///
    /// - Returns: Whether that moment came.
    public mutating func touchEverything() -> Bool {
        for channel in plan.buckets.indices {
            for key in Self.keys {
                let number = Int.random(in: 0..<clients.count, using: &random)
                edit(number, channel, key, mayRemove: false)
            }
        }
        return calm()
    }

    /// What is not as it has to be in the history of the server.
    public func problems() -> [String] {
        ledger.problems(history: history, places: places)
    }

    var places: [FireLedger.Place] {
        plan.buckets.flatMap { bucket in Self.keys.map { .init(bucket: bucket, key: $0) } }
    }

    func bucket(_ name: String) -> ServerBucket? {
        server.buckets[ServerModel.BucketID(app: "app", account: "user", name: name)]
    }

    func history(_ place: FireLedger.Place) -> ServerObject? {
        bucket(place.bucket)?.history(of: place.key)
    }

    /// Objects that a client has other than the server.
    public func differences() -> [String] {
        var differences: [String] = []
        for (number, client) in clients.enumerated() {
            for channel in client.channels {
                for key in Self.keys {
                    let mine = channel.bucket.data(key)
                    let theirs = bucket(channel.settings.bucket)?.object(key)?.data
                    let isSame =
                        mine == theirs
                        || mine.flatMap { mine in theirs.map { mine.isSame(as: $0) } } == true
                    guard !isSame else { continue }
                    let texts = [mine, theirs].map { $0?.text() ?? "nil" }
                    differences.append(
                        "client \(number), \(channel.settings.bucket)/\(key): \(texts[0]), "
                            + "but the server \(texts[1])")
                }
            }
        }
        return differences
    }

    var isQuiet: Bool {
        guard
            clients.indices.allSatisfy({ number in
                Peer.allCases.allSatisfy { line.waiting(from: $0, of: number) == 0 }
            })
        else { return false }
        return clients.allSatisfy { client in
            client.session != nil
                && client.channels.allSatisfy {
                    $0.bucket.phase == .synced && !$0.bucket.hasPending
                        && ($0.rejected.isEmpty || !plan.givesUp)
                }
        }
    }

    mutating func step() {
        defer { takeNews() }
        // Nothing crosses where nothing takes time.
        if plan.link == .quick { pass(Self.moment) }
        let number = Int.random(in: 0..<clients.count, using: &random)
        if clients[number].session == nil {
            connect(number)
            guard clients[number].connectingSince != nil else { return }
            return wait()
        }
        let many = Int.random(in: 1...8, using: &random)
        let cuts = 2 * plan.cuts
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<plan.cuts where !isCalm: disconnect(number)
        case 0..<cuts where !isCalm: restart(number)
        case cuts..<cuts + 20 where !isCalm: work(number)
        case cuts + 20..<cuts + 23: passTime(number)
        case cuts + 23..<cuts + 26: giveUp(number)
        case cuts + 26..<cuts + 58: for _ in 0..<many { deliverToServer(number) }
        default: for _ in 0..<(2 * many) { deliverToClient(number) }
        }
    }

    /// Tells what became of connections.
    mutating func takeNews() {
        for _ in 0..<100 {
            let news = line.takeNews()
            if news.isEmpty { return }
            for each in news {
                switch each {
                case .opened(let number): opened(number)
                case .ended(let number) where clients[number].session == nil:
                    line.close(number, at: now)
                    clients[number].connectingSince = nil
                case .ended(let number): disconnect(number)
                }
            }
        }
    }

    /// Begins to connect, or gives that up when it takes too long.
    mutating func connect(_ number: Int) {
        let patience: Int64 = 30_000_000_000
        if let since = clients[number].connectingSince {
            guard now.nanoseconds - since.nanoseconds > patience else { return }
            line.close(number, at: now)
        }
        clients[number].connectingSince = now
        line.open(number, at: now)
        takeNews()
    }

    mutating func opened(_ number: Int) {
        sessions += 1
        let session = SocketID(sessions)
        server.open(session, app: "app")
        clients[number].session = session
        clients[number].connectingSince = nil
        if plan.link == .slow {
            now.nanoseconds += 1_000_000_000
            line.pass(to: now)
            guard clients[number].session != nil else { return }
        }
        clients[number].heartbeat = plan.heartbeatIdle.map { Heartbeat(at: now, idle: $0) }
        for channel in clients[number].channels.indices { happen(number, channel, .opened) }
    }

    /// Whatever is on its way is lost, in a way that the client cannot know: some of what it sent
    /// arrives, and no answer does.
    mutating func disconnect(_ number: Int) {
        guard let session = clients[number].session else { return }
        cuts += 1
        let most = line.waiting(from: .client, of: number)
        let arrives = Int.random(in: 0...most, using: &random)
        for _ in 0..<arrives { deliverToServer(number) }
        server.close(session)
        clients[number].session = nil
        clients[number].heartbeat = nil
        line.close(number, at: now)
        for channel in clients[number].channels.indices { happen(number, channel, .closed) }
    }

    /// The process is killed; what was saved is left.
    mutating func restart(_ number: Int) {
        disconnect(number)
        for place in clients[number].channels.indices {
            let channel = clients[number].channels[place]
            clients[number].channels[place].bucket = ClientBucket(
                restoring: channel.stored, settings: channel.settings,
                token: Self.token(clients[number].tokens), seed: random.next())
        }
    }

    /// Time passes for all alike.
    mutating func wait() {
        pass(Int64.random(in: 0...1_000_000_000, using: &random))
    }

    /// Time passes while nobody does anything.
    mutating func leap() {
        defer { takeNews() }
        for number in clients.indices { passTime(number) }
    }

    mutating func passTime(_ number: Int) {
        pass(Int64.random(in: 0...5_000_000_000, using: &random))
        callTimers(number)
    }

    /// Tells a client which of its timers are due.
    mutating func callTimers(_ number: Int) {
        guard clients[number].session != nil else { return }
        for command in clients[number].heartbeat?.timePassed(at: now) ?? [] {
            switch command {
            case .send(let message): line.send(message, from: .client, of: number, at: now)
            case .reconnect: return disconnect(number)
            case .setTimer: break
            }
        }
        for channel in clients[number].channels.indices {
            guard let timer = clients[number].channels[channel].timer, timer <= now else {
                continue
            }
            happen(number, channel, .timePassed)
        }
    }

    mutating func work(_ number: Int) {
        let channel = Int.random(in: 0..<plan.buckets.count, using: &random)
        let key = Self.keys.randomElement(using: &random) ?? "a"
        edit(number, channel, key, mayRemove: plan.removes)
    }

    mutating func edit(
        _ number: Int, _ channel: Int, _ key: String, mayRemove: Bool
    ) {
        let place = FireLedger.Place(bucket: plan.buckets[channel], key: key)
        let old = clients[number].channels[channel].bucket.data(key)
        let new = FireEdit.make(
            of: old, mark: ledger.nextMark, mayRemove: mayRemove, using: &random)
        ledger.edit(place, from: old, to: new)
        happen(number, channel, new.map { .edited(key: key, data: $0) } ?? .removed(key: key))
    }

    /// The app gives up what was refused for good.
    mutating func giveUp(_ number: Int) {
        guard plan.givesUp else { return }
        for channel in clients[number].channels.indices {
            for key in clients[number].channels[channel].rejected {
                let old = clients[number].channels[channel].bucket.data(key)
                happen(number, channel, .discarded(key: key))
                let new = clients[number].channels[channel].bucket.data(key)
                ledger.giveUp(from: old, to: new)
            }
            clients[number].channels[channel].rejected = []
        }
    }
}
