import Notation
import Simperium
import Wire

/// A server, clients, and the connections between them, with losses from a seed.
struct ClientWorld {

    private struct Client {
        var bucket: ClientBucket
        var stored: ClientBucket.Saved
        var settings: ClientBucket.Settings
        var session: SocketID?
        /// On their way, in the order in which they were sent.
        var toServer: [[UInt8]] = []
        var toClient: [[UInt8]] = []
    }

    private var server: ServerModel
    private var clients: [Client] = []
    private var random: SplitMix64
    private var now = Instant.zero
    private var sessions = 0
    private var isCalm = false
    /// What the clients sent, in order.
    private(set) var transcript: [String] = []

    init(seed: UInt64, requestsInInit: Bool) {
        random = SplitMix64(seed: seed)
        var options = ServerOptions()
        options.bucket.loggedChanges = [3, 20, 100].randomElement(using: &random) ?? 100
        options.bucket.newestVersions = [2, 60].randomElement(using: &random) ?? 60
        options.bucket.aggregation =
            [.none, .answers, .older].randomElement(using: &random) ?? .none
        server = ServerModel(options: options, seed: seed)
        for number in 0..<Int.random(in: 2...3, using: &random) {
            var settings = ClientBucket.Settings(
                bucket: "notes", app: "app", clientID: "client-\(number)")
            settings.requestsInInit = requestsInInit
            settings.maxFullAttempts = 1000
            settings.pagesHoldData = Bool.random(using: &random)
            settings.pageSize = Int.random(in: 1...4, using: &random)
            settings.maxEntityRequests = Int.random(in: 1...3, using: &random)
            settings.maxInFlight = Int.random(in: 1...4, using: &random)
            clients.append(
                Client(
                    bucket: ClientBucket(
                        settings: settings, token: Self.token, seed: random.next()),
                    stored: ClientBucket.Saved(), settings: settings))
        }
    }

    private static let token = String(repeating: "a", count: 32)

    /// Plays everything; gives what is wrong at the end, or nil.
    mutating func run() -> String? {
        for _ in 0..<300 { step() }
        isCalm = true
        for _ in 0..<20_000 {
            if isQuiet { break }
            step()
        }
        guard isQuiet else { return "still busy: \(clients.map { $0.bucket.phase })" }
        guard let bucket = server.buckets.first?.value else { return nil }
        var expected: [String: JSONValue] = [:]
        for key in Self.keys { expected[key] = bucket.object(key)?.data }
        for (number, client) in clients.enumerated() {
            for key in Self.keys {
                let (mine, theirs) = (client.bucket.data(key), expected[key])
                let isSame =
                    mine == theirs
                    || mine.flatMap { mine in theirs.map { mine.isSame(as: $0) } } == true
                if !isSame {
                    let texts = [mine, theirs].map { $0?.text() ?? "nil" }
                    let hold = client.stored.objects[ExactText(key)]?.hold
                    let held = hold.map { ", held \($0)" } ?? ""
                    return
                        "client \(number), \(key): \(texts[0])\(held), but the server \(texts[1])"
                }
            }
        }
        return nil
    }

    private static let keys = ["a", "b", "c.d", "e", "f"]

    private var isQuiet: Bool {
        clients.allSatisfy {
            $0.session != nil && $0.toServer.isEmpty && $0.toClient.isEmpty
                && $0.bucket.phase == .synced && !$0.bucket.hasPending
        }
    }

    private mutating func step() {
        let number = Int.random(in: 0..<clients.count, using: &random)
        if clients[number].session == nil { return connect(number) }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<4 where !isCalm: disconnect(number)
        case 4..<6 where !isCalm: restart(number)
        case 6..<30 where !isCalm: work(number)
        case 30..<32:
            now.nanoseconds += Int64.random(in: 0...20_000_000_000, using: &random)
            happen(number, .timePassed)
        case 32..<65: deliverToServer(number)
        default: deliverToClient(number)
        }
    }

    private mutating func connect(_ number: Int) {
        sessions += 1
        let session = SocketID(sessions)
        server.open(session, app: "app")
        clients[number].session = session
        happen(number, .opened)
    }

    /// Whatever is on its way is lost, in a way that the client cannot know: some of what it sent
    /// arrives, and no answer does.
    private mutating func disconnect(_ number: Int) {
        guard let session = clients[number].session else { return }
        let arrives = Int.random(in: 0...clients[number].toServer.count, using: &random)
        for _ in 0..<arrives { deliverToServer(number) }
        server.close(session)
        clients[number].session = nil
        clients[number].toServer = []
        clients[number].toClient = []
        happen(number, .closed)
    }

    private mutating func restart(_ number: Int) {
        disconnect(number)
        clients[number].bucket = ClientBucket(
            restoring: clients[number].stored, settings: clients[number].settings,
            token: Self.token, seed: random.next())
    }

    private mutating func work(_ number: Int) {
        let key = Self.keys.randomElement(using: &random) ?? "a"
        guard case .object(var object) = clients[number].bucket.data(key) ?? .object(JSONObject())
        else { return }
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<3: return happen(number, .removed(key: key))
        case 3..<6:
            let value = JSONValue.number(String(Int.random(in: 0..<9, using: &random)))
            set(["n", "m", "t"].randomElement(using: &random) ?? "n", value, in: &object)
        case 6: object.members.removeAll { $0.key.string == "t" }
        default:
            var text = Array((object["t"]?.string ?? "").unicodeScalars)
            let place = Int.random(in: 0...text.count, using: &random)
            if Bool.random(using: &random), place < text.count {
                text.remove(at: place)
            } else {
                text.insert("aé😀😁\n".unicodeScalars.randomElement(using: &random) ?? "x", at: place)
            }
            var string = String.UnicodeScalarView()
            string.append(contentsOf: text)
            set("t", .string(String(string)), in: &object)
        }
        happen(number, .edited(key: key, data: .object(object)))
    }

    private func set(_ key: String, _ value: JSONValue, in object: inout JSONObject) {
        object.members.removeAll { $0.key.string == key }
        object.members.append(JSONObject.Member(key, value))
    }

    private mutating func deliverToServer(_ number: Int) {
        guard let session = clients[number].session, !clients[number].toServer.isEmpty else {
            return
        }
        let bytes = clients[number].toServer.removeFirst()
        if !isCalm, Int.random(in: 0..<30, using: &random) == 0, refuse(bytes, number) { return }
        for reply in server.receive(text: bytes, from: session) {
            for (session, message) in reply.messages {
                guard let place = clients.firstIndex(where: { $0.session == session }) else {
                    continue
                }
                clients[place].toClient.append(message.encoded(by: .server))
            }
        }
    }

    /// Answers a change with an error instead of giving it to the server.
    private mutating func refuse(_ bytes: [UInt8], _ number: Int) -> Bool {
        let command = SimperiumCommand.parse(bytes, from: .client)
        guard let message = SimperiumMessage(command, in: bytes),
            case .changes(let changes) = message.body, let change = changes.first
        else { return false }
        // A whole object, or a removal, is given up at 440, and then the client is not to converge.
        let canBeWhole = change.data == nil && change.operation == .modify
        let code = (canBeWhole ? [405, 440, 500, 503] : [405, 500, 503])
            .randomElement(using: &random)
        let refusal = SimperiumChange<JSONValue>(
            key: change.key, ccids: change.ccids, clientID: "client", error: code)
        clients[number].toClient.append(
            SimperiumMessage(0, .changes([refusal])).encoded(by: .server))
        return true
    }

    /// Whether a message does nothing but acknowledge the change that this client waits for.
    private func isAcknowledgement(_ message: SimperiumMessage, _ number: Int) -> Bool {
        guard case .changes(let changes) = message.body, changes.count == 1,
            let key = changes[0].key
        else { return false }
        return changes[0].ccids
            == clients[number].stored.objects[ExactText(key)]?.sent?.change.ccids
    }

    private mutating func deliverToClient(_ number: Int) {
        guard !clients[number].toClient.isEmpty else { return }
        let bytes = clients[number].toClient.removeFirst()
        let command = SimperiumCommand.parse(bytes, from: .server)
        guard let message = SimperiumMessage(command, in: bytes) else { return }
        if !isCalm, isAcknowledgement(message, number),
            Int.random(in: 0..<20, using: &random) == 0
        {
            return
        }
        happen(number, .received(message))
    }

    private mutating func happen(_ number: Int, _ event: ClientBucket.Event) {
        var commands: [ClientBucket.Command] = []
        clients[number].bucket.handle(event, at: now, into: &commands)
        var isLost = false
        for command in commands {
            switch command {
            case .send(let message):
                let bytes = message.encoded(by: .client)
                transcript.append("\(number) \(String(decoding: bytes, as: UTF8.self))")
                clients[number].toServer.append(bytes)
            case .save(let saving): clients[number].stored.apply(saving)
            case .reconnect: isLost = true
            default: break
            }
        }
        if isLost { disconnect(number) }
    }
}
