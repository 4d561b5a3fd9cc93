import Notation
import Replaying
import Simperium
import Synchronization
import Testing
import Wire

@testable import SyncClients

/// Gives turns in the order of the recording alone.
private final class StrictOrder: ReplayOrder {
    private struct State {
        var waiting: [RecordedCommand]
        var asked: [ReplaySchedule.Step: @Sendable () -> Void] = [:]
        var come: Set<ReplaySchedule.Step> = []
        var progress = 0
    }

    private let state: Mutex<State>

    init(_ commands: [RecordedCommand]) { state = Mutex(State(waiting: commands.reversed())) }

    func awaitTurn(_ step: ReplaySchedule.Step, go: @escaping @Sendable () -> Void) {
        state.withLock { $0.asked[step] = go }
        advance()
    }

    func came(_ step: ReplaySchedule.Step) {
        _ = state.withLock { $0.come.insert(step) }
        advance()
    }

    var progress: Int { state.withLock { $0.progress } }

    func pauses() {}

    private func advance() {
        let all = state.withLock { state in
            var all: [@Sendable () -> Void] = []
            while let next = state.waiting.last {
                if next.sender == .server {
                    guard state.come.contains(.command(next.id)) else { break }
                } else {
                    guard let go = state.asked.removeValue(forKey: .command(next.id))
                    else { break }
                    all.append(go)
                }
                state.waiting.removeLast()
                state.progress += 1
            }
            return all
        }
        for go in all { go() }
    }
}

@Suite struct SocketPlayerTests {
    /// A session of one or several clients that was recorded from a server.
    private struct Recorder {
        private(set) var commands: [RecordedCommand] = []
        private(set) var texts: [CommandID: [UInt8]] = [:]
        private var server = ServerModel(seed: 3)
        private var sockets: Set<Int> = []

        mutating func say(_ text: String, on socket: Int = 1) {
            let session = SocketID(socket)
            if sockets.insert(socket).inserted { server.open(session, app: "app") }
            note(Array(text.utf8), socket, .client)
            let replies = server.receive(text: Array(text.utf8), from: session) { _ in
                .admitted(user: "user@example.com", account: "user")
            }
            for reply in replies {
                for (session, message) in reply.messages {
                    note(message.encoded(by: .server), session.rawValue, .server)
                }
            }
        }

        private mutating func note(_ text: [UInt8], _ socket: Int, _ sender: Peer) {
            let id = CommandID(Int64(commands.count + 1))
            commands.append(
                RecordedCommand(
                    id: id, socket: ConnectionID(Int64(socket)), sender: sender,
                    at: Instant(nanoseconds: Int64(commands.count) * 1_000_000), text: text))
            texts[id] = text
        }

        func recording(path: String) -> SocketPlayer.Recording {
            let ids = sockets.map { ConnectionID(Int64($0)) }
            return SocketPlayer.Recording(
                commands: commands, sockets: ids.map { RecordedSocket(id: $0) },
                transports: Dictionary(
                    uniqueKeysWithValues: ids.map { ($0, .init(host: "api.example", path: path)) })
            ) { [texts] in texts[$0] }
        }
    }

    private static func session(changes: Int, sockets: Int = 1) -> Recorder {
        var recorder = Recorder()
        for socket in 1...sockets {
            recorder.say(
                #"0:init:{"name":"note","clientid":"c\#(socket)","token":"0123456789abcdef0123456789abcdef","app_id":"app","api":"1.1","library":"x","version":"1"}"#,
                on: socket)
            recorder.say("0:i:1:::100", on: socket)
        }
        for number in 0..<changes {
            let socket = 1 + number % sockets
            let sv = number < 3 ? "" : #""sv":\#(number / 3),"#
            let v =
                number < 3
                ? #"{"n":{"o":"+","v":0}}"# : #"{"n":{"o":"r","v":\#(number)}}"#
            recorder.say(
                #"0:c:{"id":"k\#(number % 3)","o":"M",\#(sv)"v":\#(v),"ccid":"change\#(number)"}"#,
                on: socket)
        }
        return recorder
    }

    private static func target(_ peer: SimperiumPeer) -> ReplayTarget {
        ReplayTarget(base: SimperiumTarget(host: "127.0.0.1", port: peer.port))
    }

    private static func player(
        _ recorder: Recorder, _ target: ReplayTarget, path: String = "/sock/1/app/websocket"
    ) -> SocketPlayer {
        SocketPlayer(
            recorder.recording(path: path), target: target,
            identity: SharedIdentity(ReplayIdentity(seed: 5, isVerbatim: target.isVerbatim)))
    }

    @Test(arguments: ["/sock/1/app/websocket", "/sock/1/app/123/abc/websocket"])
    func `plays a session over sockets`(path: String) async throws {
        let peer = try await SimperiumPeer()
        let player = Self.player(
            Self.session(changes: 40), Self.target(peer), path: path)
        let played = await player.play(ConnectionID(1))
        #expect(played.deviations.map(\.description) == [])
        #expect(played.matched == played.recorded && played.recorded == 42)
        #expect(played.sent == 42)
        try await peer.close()
    }

    @Test func `plays sockets at once, each after what it had seen of the other`() async throws {
        let peer = try await SimperiumPeer()
        let session = Self.session(changes: 30, sockets: 2)
        var target = Self.target(peer)
        target.order = StrictOrder(session.commands)
        let player = Self.player(session, target)
        async let one = player.play(ConnectionID(1))
        async let two = player.play(ConnectionID(2))
        for played in await [one, two] {
            #expect(played.deviations.map(\.description) == [])
            #expect(played.matched == played.recorded)
        }
        try await peer.close()
    }

    @Test func `finds a changed answer`() async throws {
        let peer = try await SimperiumPeer { message in
            guard case .changes(var changes) = message.body, changes.first?.ev == 2 else {
                return message
            }
            changes[0].value = .object(JSONObject())
            return SimperiumMessage(message.channel, .changes(changes))
        }
        let player = Self.player(Self.session(changes: 4), Self.target(peer))
        let played = await player.play(ConnectionID(1))
        #expect(
            played.deviations.flatMap(\.differences.items).map(\.description)
                == [#"JSON /0/v/n: recorded {"o":"r","v":3}, not received"#])
        try await peer.close()
    }

    @Test func `says that there is no server`() async throws {
        let target = ReplayTarget(
            base: SimperiumTarget(host: "127.0.0.1", port: HTTPPeer.refusedPort))
        let played = await Self.player(Self.session(changes: 1), target).play(ConnectionID(1))
        #expect(played.unreachable?.contains("refused") == true)
        let nowhere = await Self.player(Self.session(changes: 1), ReplayTarget())
            .play(ConnectionID(1))
        #expect(nowhere.unreachable?.contains("api.example") == true)
    }

    @Test func `ends when it is told to`() async throws {
        let peer = try await SimperiumPeer()
        var target = Self.target(peer)
        target.pace = .times(0.000_001)
        let player = Self.player(Self.session(changes: 3), target)
        async let played = player.play(ConnectionID(1))
        player.stop()
        #expect(await played.wasStopped)
        try await peer.close()
    }
}
