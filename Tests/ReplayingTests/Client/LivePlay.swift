import Notation
import Replaying
import Simperium
import Wire

/// Names of a played client that are kept in one place.
// Safety: used by one test, on one thread.
final class PlayedNames: @unchecked Sendable {
    private var identity: ReplayIdentity

    init(seed: UInt64, isVerbatim: Bool = false) {
        identity = ReplayIdentity(seed: seed, isVerbatim: isVerbatim)
    }

    func bind(_ kind: ReplayIdentity.Kind, _ recorded: String, _ live: String) {
        identity.bind(kind, recorded: recorded, live: live)
    }

    var names: SimperiumPlay.Names {
        SimperiumPlay.Names(
            live: { self.identity.live($0, $1) }, fresh: { self.identity.fresh($0, for: $1) },
            bind: { self.identity.bind($0, recorded: $1, live: $2) },
            make: { self.identity.makeName(like: $0) })
    }
}

/// A play against a server that is a value, with chance for the network.
struct LivePlay {
    var play: SimperiumPlay
    var server: ServerModel
    /// Changes what the server says; for tests that want it to be wrong.
    var distort: (SimperiumMessage) -> [SimperiumMessage] = { [$0] }
    /// What the clients sent.
    private(set) var sent: [[UInt8]] = []
    /// How often nothing but waiting was left to do.
    private(set) var stalls = 0
    /// How many sockets there are with anything to be played.
    let expected: Int
    /// Sockets that ended.
    private(set) var finished: [ConnectionID] = []

    private enum Upward {
        case text([UInt8])
        case close
    }

    private var random: SplitMix64
    private var schedule: ReplaySchedule
    private var up: [ConnectionID: [Upward]] = [:]
    private var down: [ConnectionID: [[UInt8]]] = [:]
    private var asked: Set<CommandID> = []
    private var granted: Set<CommandID> = []
    private var now = Instant.zero
    private var timer: Instant?
    /// When something came last but the answer to a heartbeat.
    private var lastNews = Instant.zero

    init(
        _ commands: [RecordedCommand], _ sockets: [RecordedSocket],
        _ texts: [CommandID: [UInt8]], on server: ServerModel, names: PlayedNames, seed: UInt64,
        settings: SimperiumPlay.Settings = .init()
    ) {
        var settings = settings
        settings.hasOrder = true
        play = SimperiumPlay(
            commands, sockets: sockets, settings: settings, names: names.names
        ) { texts[$0] }
        let lost = LostCommands.find(in: commands) { texts[$0] }
        schedule = ReplaySchedule(
            exchanges: [], commands: commands, sockets: sockets, lost: lost
        ) { texts[$0] }
        expected = Set(commands.map(\.socket)).count
        self.server = server
        random = SplitMix64(seed: seed)
    }

    /// Plays to the end.
    mutating func run() {
        take(schedule.begin())
        for _ in 0..<10_000_000 {
            let waiting =
                up.filter { !$0.value.isEmpty }.keys.map { ($0, true) }
                + down.filter { !$0.value.isEmpty }.keys.map { ($0, false) }
            let all = waiting.sorted {
                ($0.0.rawValue, $0.1 ? 0 : 1) < ($1.0.rawValue, $1.1 ? 0 : 1)
            }
            guard let (id, isUp) = all.randomElement(using: &random) else {
                guard let timer, finished.count < up.count, stalls < 100_000 else { return }
                stalls += 1
                now = max(now, timer)
                self.timer = nil
                happen(.timePassed(progress: 0))
                // As the order of a whole session does where nothing comes any more.
                if now.nanoseconds - lastNews.nanoseconds > 15_000_000_000 {
                    lastNews = now
                    take(schedule.giveUp())
                }
                continue
            }
            now.nanoseconds += 1_000
            if isUp { deliverUp(id) } else { deliverDown(id) }
        }
    }

    private mutating func deliverUp(_ id: ConnectionID) {
        let session = SocketID(Int(id.rawValue))
        guard let item = up[id]?.removeFirst() else { return }
        guard case .text(let text) = item else { return server.close(session) }
        let replies = server.receive(text: text, from: session) { _ in
            .admitted(user: "user@example.com", account: "user")
        }
        for reply in replies {
            for (session, message) in reply.messages {
                for each in distort(message) {
                    down[ConnectionID(Int64(session.rawValue)), default: []].append(
                        each.encoded(by: .server))
                }
            }
        }
    }

    private mutating func deliverDown(_ id: ConnectionID) {
        guard let text = down[id]?.removeFirst() else { return }
        if !text.starts(with: [0x68]) { lastNews = now }
        happen(.received(id, text))
    }

    private mutating func take(_ starts: [ReplaySchedule.Start]) {
        for start in starts {
            switch start.step {
            case .socket(let id):
                server.open(SocketID(Int(id.rawValue)), app: "app")
                up[id] = []
                happen(.opened(id))
            case .command(let id):
                if asked.remove(id) != nil { happen(.turn(id)) } else { granted.insert(id) }
            case .exchange, .conversation, .message: break
            }
        }
    }

    private mutating func happen(_ event: SimperiumPlayEvent) {
        var output: [SimperiumPlayCommand] = []
        play.handle(event, at: now, into: &output)
        for command in output {
            switch command {
            case .send(let id, let text):
                sent.append(text)
                up[id, default: []].append(.text(text))
            case .close(let id): up[id, default: []].append(.close)
            case .askTurn(let id):
                if granted.remove(id) != nil { happen(.turn(id)) } else { asked.insert(id) }
            case .came(let id): take(schedule.end(.command(id)))
            case .finished(let id):
                finished.append(id)
                take(schedule.end(.socket(id)))
            case .setTimer(let time): timer = time
            }
        }
    }

    /// What came of all sockets.
    var played: [PlayedSocket] { finished.compactMap { play.played($0) } }

    /// All deviations, for people.
    var deviations: [String] {
        played.flatMap { socket in
            socket.deviations.map { "socket \(socket.id): \($0.description)" }
        }
    }
}
