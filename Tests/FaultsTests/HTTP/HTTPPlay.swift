import Notation
import Wire

@testable import Faults

/// One step of a conversation.
struct Step: Sendable {
    var sender: Peer
    var bytes: [UInt8]

    static func client(_ text: String) -> Step { Step(sender: .client, bytes: Array(text.utf8)) }
    static func server(_ text: String) -> Step { Step(sender: .server, bytes: Array(text.utf8)) }
    static func server(_ bytes: [UInt8]) -> Step { Step(sender: .server, bytes: bytes) }
    static func client(_ bytes: [UInt8]) -> Step { Step(sender: .client, bytes: bytes) }
    /// The sender says that nothing more comes.
    static func end(_ sender: Peer) -> Step { Step(sender: sender, bytes: []) }
}

/// A conversation through a gate, without sockets.
struct HTTPPlay {
    /// How reads are cut.
    enum Cuts: CaseIterable {
        case whole, bytes, random, others
    }

    var gate: HTTPGate
    let session: FaultSession
    var commands: [GateCommand] = []
    var change: HTTPSwitch?
    var now = Instant(nanoseconds: 1_000_000_000)

    /// A second after it: Sun, 06 Nov 1994 08:49:37 GMT.
    static let clock = SessionClock(startedUnixNanoseconds: 784_111_776_000_000_000)

    init(
        _ rules: [String], server: GateContext.Server? = nil, seed: UInt64 = 1,
        recordings: RecordingSource = .none
    ) throws {
        let made = try rules.enumerated().map { try FaultRule.parse($1, named: "rule-\($0)") }
        session = FaultSession(
            plan: FaultPlan(rules: made, seed: nil), seed: seed, recordings: recordings)
        gate = HTTPGate(
            GateContext(
                connection: ConnectionID(7), session: SessionID(3), client: "10.0.0.5",
                server: server, clock: Self.clock),
            session: session)
    }

    /// Plays `steps`, cut as told.
    static func run(
        _ rules: [String], _ steps: [Step], _ cuts: Cuts = .whole,
        server: GateContext.Server? = nil, recordings: RecordingSource = .none
    ) throws -> HTTPPlay {
        var play = try HTTPPlay(rules, server: server, recordings: recordings)
        var draws = SplitMix64(seed: cuts == .random ? 11 : 12)
        for step in steps {
            guard !step.bytes.isEmpty else {
                play.gate.ended(step.sender, at: play.now, into: &play.commands)
                continue
            }
            var rest = step.bytes[...]
            while !rest.isEmpty {
                let size =
                    switch cuts {
                    case .whole: rest.count
                    case .bytes: 1
                    case .random, .others: Int.random(in: 1...40, using: &draws)
                    }
                play.take(Array(rest.prefix(size)), from: step.sender)
                rest = rest.dropFirst(size)
            }
        }
        return play
    }

    mutating func take(_ bytes: [UInt8], from sender: Peer) {
        if sender == .client {
            gate.request(bytes, at: now, into: &commands)
        } else if let made = gate.response(bytes, at: now, into: &commands) {
            change = made
        }
    }

    /// What the receiver of this sender's bytes gets.
    func sent(by sender: Peer) -> String {
        var bytes: [UInt8] = []
        for command in commands {
            switch command {
            case .pass(sender, let more), .replace(sender, _, let more), .make(sender, let more):
                bytes += more
            case .answer(let more, _) where sender == .server:
                bytes += more
            default:
                break
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What came from this sender, as the commands account for it.
    func came(from sender: Peer) -> [UInt8] {
        commands.flatMap { command -> [UInt8] in
            switch command {
            case .pass(sender, let bytes), .replace(sender, let bytes, _),
                .keep(sender, let bytes):
                bytes
            default: []
            }
        }
    }

    var faults: [FaultRow] {
        commands.compactMap { if case .fault(let row) = $0 { row } else { nil } }
    }

    var isClosed: Bool { commands.contains(.close(isReset: false)) }
    var isReset: Bool { commands.contains(.close(isReset: true)) }
    var swallowed: Int { commands.count { $0 == .swallowed } }

    /// The commands with neighbours of one kind as one, whatever the reads were.
    var joined: [GateCommand] {
        var result: [GateCommand] = []
        var closes: [GateCommand] = []
        for command in commands {
            switch (result.last, command) {
            case (_, .close):
                closes.append(command)
            case (.pass(let one, let bytes), .pass(let other, let more)) where one == other:
                result[result.count - 1] = .pass(sender: one, bytes + more)
            case (.keep(let one, let bytes), .keep(let other, let more)) where one == other:
                result[result.count - 1] = .keep(sender: one, bytes + more)
            case (.replace(let one, let bytes, let by), .replace(let other, let more, let also))
            where one == other:
                result[result.count - 1] = .replace(sender: one, bytes + more, by: by + also)
            default:
                result.append(command)
            }
        }
        return result + closes
    }
}

/// Conversations that rules are tried on.
enum Talk {
    static let restorePath = "/a/demo/phone/restore/?version=2.0&device_id=phone-1"

    static func get(_ path: String, _ fields: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: hq.example\r\n\(fields)\r\n"
    }

    static func post(_ path: String, _ body: String, _ fields: String = "") -> String {
        "POST \(path) HTTP/1.1\r\nHost: hq.example\r\nContent-Type: text/xml\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
    }

    static func ok(_ body: String, _ fields: String = "") -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: \(body.utf8.count)\r\n"
            + "\(fields)\r\n\(body)"
    }

    static let chunked =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
        + "5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nX-Sum: 1\r\n\r\n"

    static let all: [[Step]] = [
        [.client(get("/a")), .server(ok("<a/>"))],
        [.client(get("/a") + get("/b")), .server(ok("<a/>") + ok("<b/>"))],
        [.client(post("/a", "<data/>")), .server("HTTP/1.1 204 No Content\r\n\r\n")],
        [.client(get("/a")), .server(chunked), .client(get("/b")), .server(ok("x"))],
        [
            .client("HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n"),
            .server("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"),
            .client(get("/b")), .server("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"),
        ],
        [
            .client(
                "POST /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"),
            .server("HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"),
            .client("abc"), .server(ok("y")),
        ],
        [
            .client(
                "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"),
            .client("0\r\n\r\n"), .server("HTTP/1.1 200 OK\r\n\r\nuntil the end"), .end(.server),
        ],
        [
            .client(get("/ws", "Connection: Upgrade\r\nUpgrade: websocket\r\n") + get("/next")),
            .server("HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nno"),
            .server(ok("next")),
        ],
        [
            .client("CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n"), .client("\u{16}\u{3}"),
            .server("HTTP/1.1 200 OK\r\n\r\n"), .server("bytes"), .client("more"),
        ],
        [.client("SSH-2.0-OpenSSH_9.6\r\n"), .server("SSH-2.0-other\r\n"), .client("\0\u{1}")],
        [.client(get("/a")), .server("220 mail.example ESMTP\r\n"), .server("more")],
        [.client("\r\n" + get("/a")), .server(ok("<a/>") + "HTTP/1.1 408 Late\r\n\r\n")],
        [.client("GET /a HT"), .end(.client)],
        [
            .client(get("/a")), .server("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"),
            .end(.server),
        ],
    ]
}
