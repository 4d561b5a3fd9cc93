import Notation
import Replaying
import Testing
import Wire

/// A server with one bucket, and lines of any length to its clients.
private struct SmallServer {
    enum Said: Equatable {
        case auth
        case page(changes: Int)
        case change(String, number: Int)
    }

    private(set) var log: [String] = []
    var asked: [[String]]
    var reported: [[Said]]
    private var joined: Set<Int> = []

    init(sockets: Int) {
        asked = Array(repeating: [], count: sockets)
        reported = Array(repeating: [], count: sockets)
    }

    /// Takes the next command of a socket.
    mutating func work(_ socket: Int) {
        guard !asked[socket].isEmpty else { return }
        let text = asked[socket].removeFirst()
        switch text {
        case "init":
            joined.insert(socket)
            reported[socket].append(.auth)
        case "i": reported[socket].append(.page(changes: log.count))
        default:
            log.append(text)
            for other in joined { reported[other].append(.change(text, number: log.count)) }
        }
    }
}

/// Sessions of several clients, recorded and played with other delays.
struct ReplayOrderPropertyTests {
    private static let sockets = 4

    private static func text(_ command: String) -> String {
        switch command {
        case "init": #"0:init:{"app_id":"a","name":"b"}"#
        case "i": "0:i:::10:"
        default: #"0:c:{"id":"k","o":"M","ccid":"\#(command)","v":{}}"#
        }
    }

    private static func text(_ said: SmallServer.Said) -> String {
        switch said {
        case .auth: "0:auth:ann@example.com"
        case .page(let changes): #"0:i:{"index":[],"current":"\#(changes)"}"#
        case .change(let ccid, let number):
            #"0:c:[{"id":"k","o":"M","ccids":["\#(ccid)"],"ev":1,"cv":"\#(number)"}]"#
        }
    }

    @Test(arguments: 0..<300) func `the server takes everything in the same order`(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var server = SmallServer(sockets: Self.sockets)
        var session = PlannedSession()
        var sent: [CommandID: (socket: Int, text: String)] = [:]
        var came: [[(id: CommandID, said: SmallServer.Said)]] = Array(
            repeating: [], count: Self.sockets)
        func deliver(_ socket: Int) {
            guard !server.reported[socket].isEmpty else { return }
            let said = server.reported[socket].removeFirst()
            session.say(socket + 1, .server, Self.text(said))
            came[socket].append((CommandID(Int64(session.commands.count)), said))
        }
        var joined: Set<Int> = []
        func say(_ socket: Int, _ text: String) {
            session.say(socket + 1, .client, Self.text(text))
            sent[CommandID(Int64(session.commands.count))] = (socket, text)
            server.asked[socket].append(text)
        }
        // In short sessions some channel receives nothing but its pages.
        for turn in 0..<[50, 100, 400][seed % 3] {
            let socket = random.below(Self.sockets)
            switch random.below(3) {
            case 0 where random.chance(30):
                let isFirst = joined.insert(socket).inserted
                let text = isFirst ? "init" : random.chance(40) ? "i" : "change\(turn)"
                say(socket, text)
            case 1: server.work(socket)
            default: deliver(socket)
            }
        }
        // A channel that receives no change and reads no page says nothing about its order.
        for socket in joined.sorted() { say(socket, "i") }
        for socket in 0..<Self.sockets {
            while !server.asked[socket].isEmpty { server.work(socket) }
        }
        for socket in 0..<Self.sockets {
            while !server.reported[socket].isEmpty { deliver(socket) }
        }

        var schedule = session.schedule
        var live = SmallServer(sockets: Self.sockets)
        // What each socket may send, in the order of its channel.
        var waiting: [[(id: CommandID, text: String)]] = Array(repeating: [], count: Self.sockets)
        for (id, command) in sent.sorted(by: { $0.key < $1.key }) {
            waiting[command.socket].append((id, command.text))
        }
        var isOpen: Set<CommandID> = []
        func take(_ starts: [ReplaySchedule.Start]) {
            for start in starts {
                if case .command(let id) = start.step { isOpen.insert(id) }
            }
        }
        take(schedule.begin())
        var next = Array(repeating: 0, count: Self.sockets)
        var idle = 0
        while idle < 2_000 {
            idle += 1
            let socket = random.below(Self.sockets)
            switch random.below(3) {
            case 0:
                guard let first = waiting[socket].first, isOpen.contains(first.id) else { continue }
                waiting[socket].removeFirst()
                live.asked[socket].append(first.text)
                idle = 0
            case 1:
                guard !live.asked[socket].isEmpty else { continue }
                live.work(socket)
                idle = 0
            default:
                guard !live.reported[socket].isEmpty else { continue }
                let said = live.reported[socket].removeFirst()
                guard next[socket] < came[socket].count else {
                    Issue.record("\(said) is too much")
                    return
                }
                let expected = came[socket][next[socket]]
                #expect(said == expected.said)
                next[socket] += 1
                take(schedule.end(.command(expected.id)))
                idle = 0
            }
        }
        let isStuck = waiting.contains { !$0.isEmpty }
        #expect(!isStuck, "something waits for ever")
        #expect(live.log == server.log)
        let all = came.map { $0.count }
        #expect(next == all)
    }
}
