import Simperium
import Wire

/// A server and clients with several buckets each, whose connections are cut and whose changes are
/// refused at random, on a virtual clock.
struct FireWorld {
    /// How much of it there is.
    struct Plan {
        var clients = 8
        var buckets = ["notes", "tags", "places"]
        var edits = 2000
        /// Whether objects are removed, too.
        var removes = true
        /// Whether messages are written and read on their way, as on a wire.
        var isWritten = false
        /// What refuses changes that the server has not made; each is recovered from.
        var codes = [400, 401, 405, 413, 440, 500, 503]
        /// Whether authors are told at times that a change cannot be applied that was made.
        var lies = false
        /// Whether the app gives up what was refused for good; it stays different otherwise.
        var givesUp = true
    }

    private struct Channel {
        var bucket: ClientBucket
        var stored = ClientBucket.Saved()
        var settings: ClientBucket.Settings
        var timer: Instant?
        /// What was refused for good, until the app gives it up.
        var rejected: [String] = []
    }

    private struct Client {
        var channels: [Channel] = []
        var session: SocketID?
        /// On their way, in the order in which they were sent.
        var toServer: [SimperiumMessage] = []
        var toClient: [SimperiumMessage] = []
        /// Numbers of access tokens that were given out.
        var tokens = 0
    }

    private let plan: Plan
    private var server: ServerModel
    private var clients: [Client] = []
    private var random: SplitMix64
    private var now = Instant.zero
    private var sessions = 0
    private var isCalm = false
    private(set) var ledger = FireLedger()
    /// How many connections were cut, and how many changes refused with which code by a fault.
    private(set) var cuts = 0
    private(set) var refusals: [Int: Int] = [:]

    private static let keys = ["a", "b", "c.d", "e", "f"]

    init(seed: UInt64, _ plan: Plan = Plan()) {
        self.plan = plan
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
                settings.mostFullAttempts = 1000
                settings.pagesHoldData = Bool.random(using: &random)
                settings.pageSize = Int.random(in: 1...4, using: &random)
                settings.mostEntityRequests = Int.random(in: 1...3, using: &random)
                settings.mostInFlight = Int.random(in: 1...4, using: &random)
                client.channels.append(
                    Channel(
                        bucket: ClientBucket(
                            settings: settings, token: Self.token(0), seed: random.next()),
                        settings: settings))
            }
            clients.append(client)
        }
    }

    private static func token(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: "a", count: 32 - text.count) + text
    }

    /// Plays everything; gives what is wrong at the end.
    mutating func run() -> [String] {
        while ledger.count < plan.edits { step() }
        isCalm = true
        for _ in 0..<200_000 {
            if isQuiet { break }
            step()
        }
        guard isQuiet else {
            return ["still busy: \(clients.map { $0.channels.map { $0.bucket.phase } })"]
        }
        return differences() + ledger.problems(history: history, places: places)
    }

    private var places: [FireLedger.Place] {
        plan.buckets.flatMap { bucket in Self.keys.map { .init(bucket: bucket, key: $0) } }
    }

    private func bucket(_ name: String) -> ServerBucket? {
        server.buckets[ServerModel.BucketID(app: "app", account: "user", name: name)]
    }

    private func history(_ place: FireLedger.Place) -> ServerObject? {
        bucket(place.bucket)?.history(of: place.key)
    }

    /// Objects that a client has other than the server.
    func differences() -> [String] {
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

    private var isQuiet: Bool {
        clients.allSatisfy { client in
            client.session != nil && client.toServer.isEmpty && client.toClient.isEmpty
                && client.channels.allSatisfy {
                    $0.bucket.phase == .synced && !$0.bucket.hasPending
                        && ($0.rejected.isEmpty || !plan.givesUp)
                }
        }
    }

    private mutating func step() {
        let number = Int.random(in: 0..<clients.count, using: &random)
        if clients[number].session == nil { return connect(number) }
        let many = Int.random(in: 1...8, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0 where !isCalm: disconnect(number)
        case 1 where !isCalm: restart(number)
        case 2..<22 where !isCalm: work(number)
        case 22..<25: passTime(number)
        case 25..<28: giveUp(number)
        case 28..<60: for _ in 0..<many { deliverToServer(number) }
        default: for _ in 0..<(2 * many) { deliverToClient(number) }
        }
    }

    private mutating func connect(_ number: Int) {
        sessions += 1
        let session = SocketID(sessions)
        server.open(session, app: "app")
        clients[number].session = session
        for channel in clients[number].channels.indices { happen(number, channel, .opened) }
    }

    /// Whatever is on its way is lost, in a way that the client cannot know: some of what it sent
    /// arrives, and no answer does.
    private mutating func disconnect(_ number: Int) {
        guard let session = clients[number].session else { return }
        cuts += 1
        let arrives = Int.random(in: 0...clients[number].toServer.count, using: &random)
        for _ in 0..<arrives { deliverToServer(number) }
        server.close(session)
        clients[number].session = nil
        clients[number].toServer = []
        clients[number].toClient = []
        for channel in clients[number].channels.indices { happen(number, channel, .closed) }
    }

    /// The process is killed; what was saved is left.
    private mutating func restart(_ number: Int) {
        disconnect(number)
        for place in clients[number].channels.indices {
            let channel = clients[number].channels[place]
            clients[number].channels[place].bucket = ClientBucket(
                restoring: channel.stored, settings: channel.settings,
                token: Self.token(clients[number].tokens), seed: random.next())
        }
    }

    private mutating func passTime(_ number: Int) {
        now.nanoseconds += Int64.random(in: 0...5_000_000_000, using: &random)
        for channel in clients[number].channels.indices {
            guard let timer = clients[number].channels[channel].timer, timer <= now else {
                continue
            }
            happen(number, channel, .timePassed)
        }
    }

    private mutating func work(_ number: Int) {
        let channel = Int.random(in: 0..<plan.buckets.count, using: &random)
        let key = Self.keys.randomElement(using: &random) ?? "a"
        let place = FireLedger.Place(bucket: plan.buckets[channel], key: key)
        let old = clients[number].channels[channel].bucket.data(key)
        let new = FireEdit.make(
            of: old, mark: ledger.nextMark, mayRemove: plan.removes, using: &random)
        ledger.edit(place, from: old, to: new)
        happen(number, channel, new.map { .edited(key: key, data: $0) } ?? .removed(key: key))
    }

    /// The app gives up what was refused for good.
    private mutating func giveUp(_ number: Int) {
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

    private mutating func deliverToServer(_ number: Int) {
        guard let session = clients[number].session, !clients[number].toServer.isEmpty else {
            return
        }
        let message = clients[number].toServer.removeFirst()
        if !isCalm, Int.random(in: 0..<30, using: &random) == 0, refuse(message, number) { return }
        let admit: (InitRequest) -> Admission = { _ in
            .admitted(user: "user@example.com", account: "user")
        }
        let replies =
            plan.isWritten
            ? server.receive(text: message.encoded(by: .client), from: session, admit: admit)
            : server.receive(message, from: session, admit: admit)
        for reply in replies {
            // An answer to `cv` tells what was told before.
            if case .changes(let changes) = reply.body, case .changes = message.body {
                ledger.say(changes)
            }
            for (session, message) in reply.messages {
                guard let place = clients.firstIndex(where: { $0.session == session }) else {
                    continue
                }
                let isLie =
                    plan.lies && place == number && !isCalm
                    && Int.random(in: 0..<10, using: &random) == 0
                clients[place].toClient.append(isLie ? Self.lie(about: message) : message)
            }
        }
    }

    /// Answers a change with an error instead of giving it to the server.
    ///
    /// One that the server has made is left alone: to call it wrong would be a lie, and the client
    /// would rightly send the same work again.
    private mutating func refuse(_ message: SimperiumMessage, _ number: Int) -> Bool {
        guard case .changes(let changes) = message.body, let change = changes.first,
            let ccid = change.ccids.first, !ledger.isMade(ccid),
            let code = plan.codes.randomElement(using: &random)
        else { return false }
        let refusal = SimperiumMessage.Change(
            key: change.key, ccids: change.ccids, clientID: "client-\(number)", error: code)
        refusals[code, default: 0] += 1
        ledger.say([refusal])
        clients[number].toClient.append(SimperiumMessage(message.channel, .changes([refusal])))
        return true
    }

    /// The same message as a refusal, where it is an acknowledgement.
    private static func lie(about message: SimperiumMessage) -> SimperiumMessage {
        guard case .changes(let changes) = message.body else { return message }
        return SimperiumMessage(
            message.channel,
            .changes(
                changes.map {
                    .init(key: $0.key, ccids: $0.ccids, clientID: $0.clientID, error: 440)
                }))
    }

    private mutating func deliverToClient(_ number: Int) {
        guard !clients[number].toClient.isEmpty else { return }
        var message = clients[number].toClient.removeFirst()
        if plan.isWritten {
            let bytes = message.encoded(by: .server)
            let command = SimperiumCommand.parse(bytes, from: .server)
            guard let read = SimperiumMessage(command, in: bytes) else { return }
            message = read
        }
        guard let channel = message.channel else { return }
        happen(number, channel, .received(message))
    }

    private mutating func happen(_ number: Int, _ place: Int, _ event: ClientBucket.Event) {
        var commands: [ClientBucket.Command] = []
        clients[number].channels[place].bucket.handle(event, at: now, into: &commands)
        let name = plan.buckets[place]
        var isLost = false
        var needsToken = false
        for command in commands {
            switch command {
            case .send(let message):
                if case .changes(let changes) = message.body { note(changes, number, place, name) }
                clients[number].toServer.append(message)
            case .save(let saving): clients[number].channels[place].stored.apply(saving)
            case .setTimer(let time): clients[number].channels[place].timer = time
            case .rejected(let key, _, _):
                clients[number].channels[place].rejected.append(key)
            case .needsToken: needsToken = true
            case .reconnect: isLost = true
            default: break
            }
        }
        if isLost { return disconnect(number) }
        guard needsToken else { return }
        clients[number].tokens += 1
        let token = Self.token(clients[number].tokens)
        for channel in clients[number].channels.indices { happen(number, channel, .token(token)) }
    }

    /// What was saved before a change was sent tells what is in it.
    private mutating func note(
        _ changes: [SimperiumMessage.Change], _ number: Int, _ place: Int, _ bucket: String
    ) {
        for change in changes {
            let key = change.key ?? ""
            let object = clients[number].channels[place].stored.objects[ExactText(key)]
            ledger.send(
                change, .init(bucket: bucket, key: key), ghost: object?.ghost?.data,
                target: object?.sent?.target)
        }
    }
}
