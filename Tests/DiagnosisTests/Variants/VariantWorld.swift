import Notation
import Simperium
import Wire

@testable import Diagnosis

/// The built-in client with one misbehaviour, another that behaves, and a server, on a virtual clock.
///
/// Everything that goes over the wire is written into a ``SessionScript``.
struct VariantWorld {
    /// A client and its connection.
    struct Client {
        var bucket: ClientBucket
        var saved = ClientBucket.Saved()
        var settings: ClientBucket.Settings
        var socket: ConnectionID?
        var session: SocketID?
        var heartbeat: Heartbeat?
        var timer: Instant?
        var memory = Breakage.Memory()
    }

    private(set) var script = SessionScript()
    private(set) var clients: [Client] = []
    /// Seconds since the session began.
    private(set) var now = 0.0
    private var server: ServerModel
    private let breakage: Breakage
    private var sessions = 0
    private var queue: [(client: Int, text: String)] = []
    /// Codes that the next changes of the broken client are answered with.
    var refusals: [Int] = []
    /// Codes that the next `init` of the broken client are answered with.
    var authRefusals: [Int] = []
    /// How many of the next acknowledgements of the broken client are lost with the connection.
    var isDeaf = false
    /// Whether the connection ends with the next change of the broken client on its way.
    var isCutOff = false
    /// What the server says to the next `cv` of the broken client, if not the truth.
    var forgetsVersions = false
    /// Whether heartbeats are answered.
    var answersHeartbeats = true

    static let broken = 0
    static let good = 1

    init(_ breakage: Breakage) {
        self.breakage = breakage
        var options = ServerOptions()
        options.bucket.keepsVersionsOfRemoved = true
        server = ServerModel(options: options, seed: 1)
        for number in 0..<2 {
            var settings = ClientBucket.Settings(
                bucket: "note", app: "app", clientID: "client-\(number)")
            settings.pageSize = 2
            settings.pagesHoldData = false
            settings.maxFullAttempts = 5
            clients.append(
                Client(
                    bucket: ClientBucket(
                        settings: settings, token: String(repeating: "a", count: 32),
                        seed: UInt64(number + 1)), settings: settings))
        }
    }

    // MARK: What a scene says

    /// Both connect, edit in turns, meet each other's edits, part and meet again.
    static let dayOfWork: @Sendable (inout VariantWorld) -> Void = { world in
        world.connect(good)
        world.connect(broken)
        for key in ["a", "b", "c"] { world.edit(broken, key, "The \(key) of 😀 the day.", 1) }
        world.pass(1)
        world.edit(good, "d.e", "Made by the other.", 1)
        for round in 2...4 {
            world.pass(1)
            world.edit(broken, "a", "The a of 😀😀 the day, round \(round).", round)
            world.pass(1)
            world.edit(good, "b", "The b of 😀 the day, seen in round \(round).", round)
        }
        world.pass(1)
        world.remove(broken, "c")
        world.pass(30)
        world.cut(broken)
        world.edit(broken, "b", "The b of 😀 the day, alone.", 9)
        world.edit(good, "a", "The a of 😀😀 the day, meanwhile.", 9)
        world.pass(3)
        world.connect(broken)
        world.pass(1)
        world.edit(broken, "f", "The last.", 1)
        world.pass(90)
    }

    /// A client connects.
    mutating func connect(_ number: Int) {
        sessions += 1
        let session = SocketID(sessions)
        clients[number].socket = script.socket(at: now, client: "127.0.0.\(number + 1):5000")
        clients[number].session = session
        let instant = instant
        clients[number].heartbeat = Heartbeat(at: instant)
        server.open(session, app: "app")
        happen(number, .opened)
        deliver()
    }

    /// A connection ends without a word; what was on its way is lost.
    mutating func cut(_ number: Int, by peer: Peer = .server) {
        guard let socket = clients[number].socket, let session = clients[number].session else {
            return
        }
        queue.removeAll { $0.client == number }
        script.close(socket, at: now, by: peer, detail: "reset")
        server.close(session)
        clients[number].socket = nil
        clients[number].session = nil
        clients[number].heartbeat = nil
        happen(number, .closed)
    }

    /// The app writes a text and a number.
    mutating func edit(_ number: Int, _ key: String, _ text: String, _ count: Int) {
        let data = JSONObject([
            .init("text", .string(text)), .init("count", .number(String(count))),
        ])
        happen(number, .edited(key: key, data: .object(data)))
        deliver()
    }

    /// The app removes an object.
    mutating func remove(_ number: Int, _ key: String) {
        happen(number, .removed(key: key))
        deliver()
    }

    /// The broken client sends something that the good one would not.
    mutating func say(_ text: String) {
        send(Self.broken, text)
        deliver()
    }

    /// The server asks the broken client for something.
    mutating func ask(_ text: String) {
        queue.append((Self.broken, text))
        deliver()
    }

    /// Time passes, a second at a time.
    mutating func pass(_ seconds: Int) {
        for _ in 0..<seconds {
            now += 1
            let instant = instant
            for number in clients.indices where clients[number].session != nil {
                for command in clients[number].heartbeat?.timePassed(at: instant) ?? [] {
                    guard case .send(let message) = command else { continue }
                    send(number, encoded(message))
                }
                if let timer = clients[number].timer, timer <= instant {
                    clients[number].timer = nil
                    happen(number, .timePassed)
                }
            }
            deliver()
        }
    }

    // MARK: The wire

    private var instant: Instant { Instant(nanoseconds: Int64((now * 1e9).rounded())) }

    private func encoded(_ message: SimperiumMessage) -> String {
        String(decoding: message.encoded(by: .client), as: UTF8.self)
    }

    private mutating func happen(_ number: Int, _ event: ClientBucket.Event) {
        var commands: [ClientBucket.Command] = []
        let instant = instant
        clients[number].bucket.handle(event, at: instant, into: &commands)
        for command in commands {
            switch command {
            case .send(let message): send(number, encoded(message))
            case .save(let saving): clients[number].saved.apply(saving)
            case .setTimer(let time): clients[number].timer = time
            default: continue
            }
        }
    }

    /// A client sends, through its mistake.
    private mutating func send(_ number: Int, _ text: String) {
        guard number == Self.broken else { return put(number, text) }
        var memory = clients[number].memory
        let texts = breakage.out(text, &memory)
        clients[number].memory = memory
        for text in texts { put(number, text) }
        sayMore(number)
    }

    private mutating func sayMore(_ number: Int) {
        let more = clients[number].memory.toSend
        clients[number].memory.toSend = []
        for text in more { put(number, text) }
    }

    /// What a client sends is on the wire, and the server answers.
    private mutating func put(_ number: Int, _ text: String) {
        guard let socket = clients[number].socket, let session = clients[number].session else {
            return
        }
        now += 0.002
        script.client(socket, text, at: now)
        if number == Self.broken, isCutOff, CommandText.name(text) == "c" {
            isCutOff = false
            cut(number)
            return
        }
        if number == Self.broken, let answer = answered(text) {
            if !answer.isEmpty { queue.append((number, answer)) }
            return
        }
        let replies = server.receive(text: Array(text.utf8), from: session) { request in
            .admitted(user: "user@example.com", account: "user")
        }
        for reply in replies {
            for (session, message) in reply.messages {
                guard let place = clients.firstIndex(where: { $0.session == session }) else {
                    continue
                }
                let text = String(decoding: message.encoded(by: .server), as: UTF8.self)
                queue.append((place, text))
            }
        }
    }

    /// What the server says where the scene wants it to say something else; empty for nothing.
    private mutating func answered(_ text: String) -> String? {
        switch CommandText.name(text) {
        case "c" where !refusals.isEmpty:
            let code = refusals.removeFirst()
            let id = CommandText.member("id", in: text) ?? "\"\""
            let ccid = CommandText.member("ccid", in: text) ?? "\"\""
            return
                #"0:c:[{"ccids":[\#(ccid)],"id":\#(id),"clientid":"client-0","error":\#(code)}]"#
        case "init" where !authRefusals.isEmpty:
            let code = authRefusals.removeFirst()
            return #"0:auth:{"msg":"Token invalid","code":\#(code)}"#
        case "cv" where forgetsVersions:
            forgetsVersions = false
            return "0:cv:?"
        case "h" where !answersHeartbeats: return ""
        default: return nil
        }
    }

    /// Everything on its way arrives.
    private mutating func deliver() {
        var rounds = 0
        while !queue.isEmpty, rounds < 2_000 {
            rounds += 1
            let (number, text) = queue.removeFirst()
            guard let socket = clients[number].socket else { continue }
            now += 0.002
            if number == Self.broken, isDeaf, CommandText.name(text) == "c" {
                isDeaf = false
                cut(number)
                continue
            }
            script.server(socket, text, at: now)
            hear(number, text)
        }
    }

    private mutating func hear(_ number: Int, _ text: String) {
        var texts = [text]
        if number == Self.broken {
            var memory = clients[number].memory
            texts = breakage.hears(text, &memory)
            clients[number].memory = memory
        }
        for text in texts {
            let bytes = Array(text.utf8)
            let command = SimperiumCommand.parse(bytes, from: .server)
            guard let message = SimperiumMessage(command, in: bytes) else { continue }
            let instant = instant
            clients[number].heartbeat?.received(message, at: instant)
            guard message.channel == 0 else { continue }
            happen(number, .received(message))
        }
        sayMore(number)
    }
}
