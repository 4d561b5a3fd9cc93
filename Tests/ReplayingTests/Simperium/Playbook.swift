import Replaying
import Testing
import Wire

/// A recording as a test writes it down, one command a line: `1< 0:auth:x`, `2> h:1`.
///
/// The number is that of the connection, `>` is the client. Lines are a second apart.
struct Script {
    private(set) var commands: [RecordedCommand] = []
    private(set) var texts: [CommandID: [UInt8]] = [:]

    init(_ lines: [String]) {
        for line in lines { add(line) }
    }

    mutating func add(_ line: String) {
        let digits = line.prefix { $0.isNumber }
        let rest = line.dropFirst(digits.count)
        let id = CommandID(Int64(commands.count + 1))
        let text = bytes(String(rest.dropFirst(2)))
        commands.append(
            RecordedCommand(
                id: id, socket: ConnectionID(Int64(digits) ?? 0),
                sender: rest.first == ">" ? .client : .server,
                at: second(Double(commands.count + 1)), text: text))
        texts[id] = text
    }

    func replay(
        _ mode: SimperiumReplay.Mode = .strict, pace: ReplayPace = .asFastAsPossible,
        sockets: [RecordedSocket] = [], waitsForAbsent: Bool = false
    ) -> SimperiumReplay {
        SimperiumReplay(
            commands, sockets: sockets, mode: mode, pace: pace, waitsForAbsent: waitsForAbsent
        ) { [texts] in texts[$0] }
    }
}

/// The conversation of live clients with a replay; a failure names the command.
struct Playbook {
    var replay: SimperiumReplay
    var now = 100.0

    init(_ replay: SimperiumReplay) { self.replay = replay }

    /// What is said about a command that comes: `1< text`, `stop`, `report`, `close 1 1000`.
    mutating func on(
        _ text: String, socket: Int = 1, expect expected: String...,
        at location: SourceLocation = #_sourceLocation
    ) {
        now += 1
        let output = replay.handle(.received(socket: socket, text: bytes(text)), at: second(now))
        #expect(output.map(Self.line) == expected, "\(text)", sourceLocation: location)
    }

    static func line(_ command: ReplayCommand) -> String {
        switch command {
        case .send(let sending): "\(sending.socket)< \(string(sending.text))"
        case .close(let socket, let code, _): "close \(socket) \(code ?? 0)"
        case .report: "report"
        case .stop: "stop"
        case .handOver(let one): "model \(one.bucket)"
        }
    }
}
