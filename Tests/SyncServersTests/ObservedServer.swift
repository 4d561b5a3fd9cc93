import Notation
import Replaying
import Wire

@testable import Simperium
@testable import SyncServers

/// A Simperium server with built-in clients, whose messages somebody notes down.
///
/// Each edit adds a letter of its own to the text of an object, so that what is lost or doubled
/// shows.
struct ObservedServer {
    static let token = "0123456789abcdef0123456789abcdef"

    /// A client with what is on its way to and from it.
    struct Peer {
        var bucket: ClientBucket
        var socket: Int?
        var toServer: [[UInt8]] = []
        var toClient: [[UInt8]] = []
    }

    var server: SimperiumServer
    var peers: [Peer]
    /// What was noted down.
    private(set) var state = SessionState(keepsHistory: true)
    /// Letters that clients have put into objects, each once.
    private(set) var letters: [Character] = []
    /// Requests of the index.
    private(set) var indexRequests = 0
    private var random: SplitMix64
    private var number: Int64 = 0
    private var sockets = 0
    private var now = Instant.zero

    init(clients: Int, seed: UInt64) {
        random = SplitMix64(seed: seed)
        server = SimperiumServer()
        server.seed(&random)
        peers = (0..<clients).map { client in
            Peer(
                bucket: ClientBucket(
                    settings: .init(bucket: "notes", app: "app", clientID: "client-\(client)"),
                    token: Self.token, seed: seed &* 100 &+ UInt64(client)))
        }
        // Everybody edits the same objects, rather than make them twice.
        connect(0)
        for number in 0..<4 { edit(0, "note-\(number)") }
        settle()
    }

    // MARK: Steps

    /// Something happens somewhere.
    mutating func step() {
        now.nanoseconds += 1_000_000
        let client = Int.random(in: peers.indices, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<2: cut(client)
        case 2..<8: connect(client)
        case 8..<30: edit(client, "note-\(Int.random(in: 0..<4, using: &random))")
        case 30..<32: remove(client)
        case 32..<66: deliverToServer(client)
        default: deliverToClient(client)
        }
    }

    mutating func connect(_ client: Int) {
        guard peers[client].socket == nil else { return }
        sockets += 1
        peers[client].socket = sockets
        server.open(sockets, app: "app")
        handle(client, .opened)
    }

    mutating func cut(_ client: Int) {
        guard let socket = peers[client].socket else { return }
        server.close(socket)
        state.socketEnded(ConnectionID(Int64(socket)), at: now)
        peers[client].socket = nil
        (peers[client].toServer, peers[client].toClient) = ([], [])
        handle(client, .closed)
    }

    private mutating func edit(_ client: Int, _ key: String) {
        let held = peers[client].bucket.entries[ExactText(key)]?.stored.local
        // Who has not read the index yet does not know of it.
        guard held != nil || letters.count < 4 else { return }
        let letter = Unicode.Scalar(0x4E00 + UInt32(letters.count)).map(Character.init) ?? "x"
        letters.append(letter)
        let old = held?["text"]?.string ?? ""
        let text =
            Bool.random(using: &random) ? old + String(letter) : String(letter) + old
        let data = JSONValue.object(JSONObject([.init("text", .string(text))]))
        handle(client, .edited(key: key, data: data))
    }

    private mutating func remove(_ client: Int) {
        let key = "note-9"
        let data = JSONValue.object(JSONObject([.init("n", .number("1"))]))
        if peers[client].bucket.entries[ExactText(key)]?.stored.local == nil {
            handle(client, .edited(key: key, data: data))
        } else {
            handle(client, .removed(key: key))
        }
    }

    mutating func deliverToServer(_ client: Int) {
        guard !peers[client].toServer.isEmpty, let socket = peers[client].socket else { return }
        let message = peers[client].toServer.removeFirst()
        note(message, .client, socket)
        for reply in server.receive(message, from: socket, random: &random) {
            guard let place = peers.firstIndex(where: { $0.socket == reply.connection }) else {
                continue
            }
            note(reply.bytes, .server, reply.connection)
            peers[place].toClient.append(reply.bytes)
        }
        server.forgetRecords()
    }

    private mutating func deliverToClient(_ client: Int) {
        guard !peers[client].toClient.isEmpty else { return }
        let text = peers[client].toClient.removeFirst()
        let command = SimperiumCommand.parse(text, from: .server)
        if let message = SimperiumMessage(command, in: text) { handle(client, .received(message)) }
    }

    private mutating func note(_ text: [UInt8], _ sender: Wire.Peer, _ socket: Int) {
        number += 1
        state.command(
            CommandID(number), socket: ConnectionID(Int64(socket)), sender: sender, at: now,
            text: text)
    }

    private mutating func handle(_ client: Int, _ event: ClientBucket.Event) {
        var output: [ClientBucket.Command] = []
        peers[client].bucket.handle(event, at: now, into: &output)
        for case .send(let message) in output where peers[client].socket != nil {
            if case .indexRequest = message.body { indexRequests += 1 }
            peers[client].toServer.append(message.encoded(by: .client))
        }
    }

    /// The changes that the server keeps.
    var changes: [SimperiumChange<JSONValue>] {
        server.model.buckets.values.flatMap { $0.log.entries.map(\.change) }
    }

    // MARK: Going on

    /// Takes another server in place of the one that was there: all connections are gone, and the
    /// clients connect anew.
    mutating func goOn(with other: SimperiumServer) {
        for client in peers.indices { cut(client) }
        server = other
        indexRequests = 0
        for client in peers.indices { connect(client) }
    }

    /// Delivers everything until nothing is on its way.
    mutating func settle() {
        for _ in 0..<10_000 {
            now.nanoseconds += 1_000_000
            for client in peers.indices {
                deliverToServer(client)
                deliverToClient(client)
                handle(client, .timePassed)
            }
            if peers.allSatisfy({ $0.toServer.isEmpty && $0.toClient.isEmpty }) { return }
        }
    }

    /// What a client has, by key.
    func local(_ client: Int) -> [String: JSONValue] {
        let entries = peers[client].bucket.entries
        return Dictionary(
            uniqueKeysWithValues: entries.compactMap { key, entry in
                entry.stored.local.map { (key.string, $0) }
            })
    }

    /// What the server has, by key.
    var held: [String: JSONValue] {
        let objects = server.model.buckets.values.flatMap(\.contents)
        return Dictionary(
            uniqueKeysWithValues: objects.compactMap { object in
                object.data.map { (object.key, $0) }
            })
    }
}
