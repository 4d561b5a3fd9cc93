import Notation
import Replaying
import Simperium
import Testing
import Wire

/// Built-in clients of one bucket and a server for them: the embedded one, of which a recording is
/// made, or a replay of that recording.
struct ModelWorld {
    struct Client {
        var bucket: ClientBucket
        var socket: Int?
        var toServer: [[UInt8]] = []
        var toClient: [[UInt8]] = []
        var timer: Instant?
        var wantsSocket = true
    }

    /// What an app does.
    struct Edit {
        var client: Int
        var key: String
        /// Nil to remove it.
        var data: JSONValue?
        /// Whether the socket is cut before.
        var isCut = false
    }

    enum Server {
        case embedded(ServerModel)
        case replay(SimperiumReplay)
    }

    var clients: [Client]
    var server: Server
    /// The recording as it grows.
    var script = Script([])
    var random: SplitMix64
    var now = Instant.zero
    private var sockets = 0

    init(clients count: Int, _ server: Server, pagesHoldData: Bool, seed: UInt64) {
        self.server = server
        var random = SplitMix64(seed: seed)
        clients = (0..<count).map { number in
            var settings = ClientBucket.Settings(
                channel: random.below(5), bucket: "note", app: "app", clientID: random.name())
            settings.pagesHoldData = pagesHoldData
            settings.pageSize = 3
            return Client(
                bucket: ClientBucket(
                    settings: settings, token: "token\(random.name())", seed: random.next()))
        }
        self.random = random
    }

    /// Another client.
    mutating func add(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let settings = ClientBucket.Settings(bucket: "note", app: "app", clientID: random.name())
        clients.append(
            Client(
                bucket: ClientBucket(
                    settings: settings, token: "token\(random.name())", seed: random.next())))
    }

    // MARK: What happens

    mutating func connect(_ number: Int) {
        sockets += 1
        clients[number].socket = sockets
        clients[number].wantsSocket = false
        switch server {
        case .embedded(var model):
            model.open(SocketID(sockets))
            server = .embedded(model)
        case .replay(var replay):
            carry(replay.handle(.opened(socket: sockets), at: now))
            server = .replay(replay)
        }
        tell(number, .opened)
    }

    mutating func cut(_ number: Int) {
        guard let socket = clients[number].socket else { return }
        clients[number].socket = nil
        clients[number].wantsSocket = true
        clients[number].toServer = []
        clients[number].toClient = []
        switch server {
        case .embedded(var model):
            model.close(SocketID(socket))
            server = .embedded(model)
        case .replay(var replay):
            let commands = replay.handle(.closed(socket: socket), at: now)
            server = .replay(replay)
            carry(commands)
        }
        tell(number, .closed)
    }

    mutating func make(_ edit: Edit) {
        if edit.isCut { cut(edit.client) }
        if let data = edit.data {
            tell(edit.client, .edited(key: edit.key, data: data))
        } else {
            tell(edit.client, .removed(key: edit.key))
        }
    }

    private mutating func tell(_ number: Int, _ event: ClientBucket.Event) {
        now = Instant(nanoseconds: now.nanoseconds + 1_000_000)
        var output: [ClientBucket.Command] = []
        clients[number].bucket.handle(event, at: now, into: &output)
        var reconnects = false
        for command in output {
            switch command {
            case .send(let message): clients[number].toServer.append(message.encoded(by: .client))
            case .setTimer(let timer): clients[number].timer = timer
            case .reconnect: reconnects = true
            default: break
            }
        }
        if reconnects { cut(number) }
    }

    /// Delivers one message; false where there is none.
    mutating func deliver() -> Bool {
        var ways: [(client: Int, isUp: Bool)] = []
        for (number, client) in clients.enumerated() {
            if !client.toServer.isEmpty { ways.append((number, true)) }
            if !client.toClient.isEmpty { ways.append((number, false)) }
        }
        guard !ways.isEmpty else { return false }
        let way = ways[random.below(ways.count)]
        if way.isUp {
            let text = clients[way.client].toServer.removeFirst()
            serve(text, from: clients[way.client].socket ?? 0)
        } else {
            let text = clients[way.client].toClient.removeFirst()
            let command = SimperiumCommand.parse(text, from: .server)
            if let message = SimperiumMessage(command, in: text) {
                tell(way.client, .received(message))
            }
        }
        return true
    }

    private mutating func serve(_ text: [UInt8], from socket: Int) {
        switch server {
        case .embedded(var model):
            script.add("\(socket)> \(string(text))")
            let replies = model.receive(text: text, from: SocketID(socket)) { _ in
                .admitted(user: "who@example.com", account: "who")
            }
            server = .embedded(model)
            for reply in replies.flatMap(\.messages) {
                let text = reply.message.encoded(by: .server)
                script.add("\(reply.session.rawValue)< \(string(text))")
                give(text, to: reply.session.rawValue)
            }
        case .replay(var replay):
            let commands = replay.handle(.received(socket: socket, text: text), at: now)
            server = .replay(replay)
            carry(commands)
        }
    }

    private mutating func carry(_ commands: [ReplayCommand]) {
        for command in commands {
            if case .send(let sending) = command { give(sending.text, to: sending.socket) }
        }
    }

    private mutating func give(_ text: [UInt8], to socket: Int) {
        guard let number = clients.firstIndex(where: { $0.socket == socket }) else { return }
        clients[number].toClient.append(text)
    }

    /// Everything goes its way until nothing is left to do.
    mutating func settle() {
        for _ in 0..<60 {
            for number in clients.indices where clients[number].wantsSocket { connect(number) }
            while deliver() {}
            guard clients.contains(where: { $0.bucket.hasPending || $0.bucket.phase != .synced })
            else { return }
            for number in clients.indices {
                guard let timer = clients[number].timer else { continue }
                now = max(now, timer)
                clients[number].timer = nil
                tell(number, .timePassed)
            }
        }
    }

    // MARK: What is there

    /// The objects of each client.
    var contents: [[String: JSONValue]] {
        clients.map { client in
            Dictionary(
                uniqueKeysWithValues: client.bucket.keys.compactMap { key in
                    client.bucket.data(key).map { (key, $0) }
                })
        }
    }

    var replay: SimperiumReplay? {
        if case .replay(let replay) = server { replay } else { nil }
    }
}
