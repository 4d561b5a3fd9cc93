import Dissection
import Framing
import Testing
import Wire

@testable import Diagnosis

/// A session written as who says what and when, taken apart by the real decoders.
///
///     var script = SessionScript()
///     let socket = script.socket(at: 0)
///     script.client(socket, "0:init:{…}", at: 0.1)
///     script.server(socket, "0:auth:user@example.com", at: 0.2)
///     #expect(script.findings().map(\.rule.id) == [])
///
/// Times are seconds since the session began. What is said may be written in any order.
struct SessionScript {
    struct Entry {
        var at: Int64
        var order: Int
        var what: What
        /// Whether it happens only where Tapedeck does nothing on purpose.
        var isCalm = false
    }

    enum What {
        case record(Record)
        /// Somebody has Tapedeck carry out an action.
        case act(ConnectionID, String)
    }

    var entries: [Entry] = []
    private var lastConnection: Int64 = 0
    private struct Leaving: Hashable {
        var socket: ConnectionID
        var peer: Peer
    }
    /// Simperium sockets, and who of their peers has sent a Close.
    private var sockets: Set<ConnectionID> = []
    private var leaving: Set<Leaving> = []
    /// When the session was last seen, in seconds.
    var end: Double?
    /// Whether the session goes on after that.
    var isRunning = false
    /// The rules of the plan under which it is recorded, as lines; without any, peers are left alone.
    private(set) var rules: [String] = []

    init() {}

    // MARK: Connections

    private mutating func add(_ what: What, at: Double, isCalm: Bool = false) {
        entries.append(
            Entry(
                at: Int64((at * 1e9).rounded()), order: entries.count, what: what, isCalm: isCalm))
    }

    /// A client connects; its legs are numbered after the connection.
    @discardableResult
    mutating func connection(
        at: Double, client: String = "127.0.0.1:5000", mode: ConnectionRow.Mode = .reverse
    ) -> ConnectionID {
        lastConnection += 1
        let id = ConnectionID(lastConnection)
        let time = Instant(nanoseconds: Int64((at * 1e9).rounded()))
        add(
            .record(
                .connection(
                    ConnectionRow(
                        id: id, at: time, listener: "127.0.0.1:8080", client: client,
                        mode: mode))), at: at)
        for peer in Peer.allCases {
            let leg = LegRow(
                id: Self.leg(id, peer), connection: id, peer: peer, at: time,
                host: peer == .client ? "127.0.0.1" : "server.example", port: 80)
            add(.record(.leg(leg)), at: at)
        }
        return id
    }

    static func leg(_ id: ConnectionID, _ peer: Peer) -> LegID {
        LegID(id.rawValue * 2 + Int64(peer.rawValue))
    }

    /// Bytes of a peer, as one chunk.
    mutating func bytes(
        _ id: ConnectionID, _ sender: Peer, _ bytes: [UInt8], at: Double, isCalm: Bool = false
    ) {
        let chunk = Chunk(
            connection: id, leg: Self.leg(id, sender), sender: sender, origin: .peer,
            at: Instant(nanoseconds: Int64((at * 1e9).rounded())), bytes: bytes)
        add(.record(.chunk(chunk)), at: at, isCalm: isCalm)
    }

    /// Both legs of a connection are closed; `by` closes first.
    ///
    /// Peers of a Simperium socket that is not reset take leave of each other before.
    mutating func close(
        _ id: ConnectionID, at: Double, by peer: Peer = .client, detail: String = "closed"
    ) {
        if sockets.contains(id), detail == "closed" {
            for side in [peer, peer.other] where !leaving.contains(Leaving(socket: id, peer: side))
            {
                frame(id, side, [0x03, 0xE8], opcode: 8, at: at)
            }
        }
        let time = Instant(nanoseconds: Int64((at * 1e9).rounded()))
        for side in [peer, peer.other] {
            let row = EventRow(
                .closed, connection: id, leg: Self.leg(id, side), at: time, detail: detail)
            add(.record(.event(row)), at: at)
        }
    }

    /// Bytes are missing from the trace; of all connections without one.
    mutating func gap(_ id: ConnectionID?, _ sender: Peer? = nil, at: Double) {
        let time = Instant(nanoseconds: Int64((at * 1e9).rounded()))
        let row = GapRow(
            connection: id, leg: nil, sender: sender, at: time, until: time, count: 10, chunks: 1,
            reason: .notCaptured)
        add(.record(.gap(row)), at: at)
    }

    // MARK: Faults

    /// Tapedeck does something on purpose: `rule` is a line of a plan, `command:cv => cv-unknown`.
    mutating func rule(_ rule: String) { rules.append(rule) }

    /// Tapedeck does something on purpose to what comes at this moment, or within so many seconds.
    mutating func rule(_ rule: String, at: Double, within: Double = 0) {
        let time = Int((at * 1000).rounded())
        let end = Int(((at + within) * 1000).rounded(.up)) + 1
        // What has an argument `to` of its own.
        let isTaken = ["=> send ", "=> move-current", "=> unknown-channel"].contains {
            rule.firstRange(of: $0) != nil
        }
        rules.append("\(rule) from=\(time)ms \(isTaken ? "schedule-to" : "to")=\(end)ms")
    }

    /// Somebody has Tapedeck do something to a connection: `reset`, `stall sender=client`.
    mutating func act(_ id: ConnectionID, _ action: String, at: Double) {
        add(.act(id, action), at: at)
    }

    /// Tapedeck sends a text message in a peer's name.
    mutating func inject(_ id: ConnectionID, _ sender: Peer, _ text: String, at: Double) {
        act(id, "send '\(text)' to=\(sender.other)", at: at)
        bytes(id, sender, Self.frame(Array(text.utf8), 1, sender), at: at, isCalm: true)
    }

    /// Somebody sends a text message that a fault takes away.
    mutating func lose(_ id: ConnectionID, _ sender: Peer, _ text: String, at: Double) {
        rule("kind:message sender:\(sender) => drop", at: at)
        frame(id, sender, Array(text.utf8), at: at)
    }

    /// The session as it would be had Tapedeck done nothing.
    var withoutFaults: Self {
        var script = self
        script.rules = []
        script.entries = entries.compactMap { entry in
            if case .act = entry.what { return nil }
            var entry = entry
            entry.isCalm = false
            return entry
        }
        return script
    }

    /// Whether Tapedeck does anything on purpose.
    var hasFaults: Bool {
        !rules.isEmpty || entries.contains { if case .act = $0.what { true } else { false } }
    }

    // MARK: HTTP

    /// A request and its response, each as one chunk; `isCalm` where Tapedeck answers in the server's
    /// place, if it does anything on purpose.
    ///
    /// Line ends of heads are written as `\n`.
    ///
    /// A `Content-Length` is added where neither a length nor a transfer coding is given.
    mutating func exchange(
        _ id: ConnectionID, _ request: String, _ response: String?, at: Double, took: Double = 0.01,
        isCalm: Bool = false
    ) {
        bytes(id, .client, Self.message(request), at: at)
        guard let response else { return }
        bytes(id, .server, Self.message(response), at: at + took, isCalm: isCalm)
    }

    static func message(_ text: String) -> [UInt8] {
        var (head, body) = (text, "")
        if let end = text.firstRange(of: "\n\n") {
            head = String(text[..<end.lowerBound])
            body = String(text[end.upperBound...])
        }
        var lines = head.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let isAnswer = head.hasPrefix("HTTP/")
        let hasLength = lines.contains {
            let name = $0.lowercased()
            return name.hasPrefix("content-length:") || name.hasPrefix("transfer-encoding:")
        }
        let isEmptyKind =
            isAnswer && (head.contains(" 204") || head.contains(" 101"))
            || !isAnswer && body.isEmpty
        if !hasLength, !isEmptyKind { lines.append("Content-Length: \(body.utf8.count)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    // MARK: Sockets

    /// A client connects and opens a Simperium socket.
    mutating func socket(
        at: Double, client: String = "127.0.0.1:5000", app: String = "app"
    ) -> ConnectionID {
        let id = connection(at: at, client: client)
        sockets.insert(id)
        exchange(
            id,
            """
            GET /sock/1/\(app)/websocket HTTP/1.1
            Host: api.simperium.com
            Upgrade: websocket
            Connection: Upgrade
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
            Sec-WebSocket-Version: 13


            """,
            """
            HTTP/1.1 101 Switching Protocols
            Upgrade: websocket
            Connection: Upgrade
            Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=


            """, at: at, took: 0)
        return id
    }

    /// A channel is opened and let, which takes no time: `init`, `auth`.
    mutating func open(
        _ id: ConnectionID, channel: Int = 0, bucket: String = "note", clientID: String = "c-1",
        command: String? = nil, at: Double
    ) {
        let cmd = command.map { #","cmd":"\#($0)""# } ?? ""
        client(
            id,
            #"\#(channel):init:{"name":"\#(bucket)","clientid":"\#(clientID)","api":"1.1","token":"t","app_id":"app","library":"lib","version":"1"\#(cmd)}"#,
            at: at)
        server(id, "\(channel):auth:user@example.com", at: at)
    }

    /// The client sends a text message.
    mutating func client(_ id: ConnectionID, _ text: String, at: Double) {
        frame(id, .client, Array(text.utf8), at: at)
    }

    /// The server sends a text message; `isCalm` where Tapedeck does in its place, if it does anything
    /// on purpose.
    mutating func server(_ id: ConnectionID, _ text: String, at: Double, isCalm: Bool = false) {
        frame(id, .server, Array(text.utf8), at: at, isCalm: isCalm)
    }

    /// Somebody sends a frame that is a message.
    mutating func frame(
        _ id: ConnectionID, _ sender: Peer, _ payload: [UInt8], opcode: UInt8 = 1, at: Double,
        isCalm: Bool = false
    ) {
        if opcode == 8 { leaving.insert(Leaving(socket: id, peer: sender)) }
        bytes(id, sender, Self.frame(payload, opcode, sender), at: at, isCalm: isCalm)
    }

    /// A frame that is a message, masked where a client sends it.
    static func frame(_ payload: [UInt8], _ opcode: UInt8, _ sender: Peer) -> [UInt8] {
        var bytes: [UInt8] = [0x80 | opcode]
        let masked: UInt8 = sender == .client ? 0x80 : 0
        switch payload.count {
        case ..<126: bytes.append(masked | UInt8(payload.count))
        case ..<65_536:
            bytes += [masked | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            bytes.append(masked | 127)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8((payload.count >> shift) & 0xFF))
            }
        }
        guard masked != 0 else { return bytes + payload }
        let key: [UInt8] = [1, 2, 3, 4]
        return bytes + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }

    // MARK: Diagnosing

    /// What happened, in order, as the proxy records it where it does something on purpose.
    func evidence() -> [Evidence] {
        let end = Instant(nanoseconds: last)
        let happened = entries.sorted { ($0.at, $0.order) < ($1.at, $1.order) }
        guard !hasFaults else {
            do {
                return try ProxiedScript.evidence(of: happened, under: rules, until: end)
            } catch {
                Issue.record(error, "\(rules)")
                return []
            }
        }
        var reader = ScriptReader()
        for case .record(let record) in happened.map(\.what) { reader.put(record) }
        return reader.finish(at: end)
    }

    private var last: Int64 {
        end.map { Int64(($0 * 1e9).rounded()) } ?? (entries.map(\.at).max() ?? 0) + 600_000_000_000
    }

    /// The findings, the worst first; the session ends ten minutes after its last entry unless told.
    func findings() -> [Finding] {
        var diagnosis = Diagnosis()
        for item in evidence() { diagnosis.observe(item) }
        diagnosis.finish(at: Instant(nanoseconds: last), isRunning: isRunning)
        return diagnosis.findings
    }

    /// The same as ``findings()``, found by lanes that are given a few things at a time.
    func findingsOfLanes() -> [Finding] {
        var lanes = (0..<DiagnosisLane.count).map { DiagnosisLane($0) }
        var diagnosis = Diagnosis()
        let evidence = evidence()
        for start in stride(from: 0, to: evidence.count, by: 7) {
            let batch = Array(evidence[start..<min(start + 7, evidence.count)])
            diagnosis.join(lanes.indices.map { lanes[$0].observe(batch) })
        }
        let end = Instant(nanoseconds: last)
        diagnosis.join(lanes.indices.map { lanes[$0].finish(at: end, isRunning: isRunning) })
        return diagnosis.findings
    }

    /// Whether a rule is broken.
    func breaks(_ rule: Rule) -> Bool { findings().contains { $0.rule == rule } }

    /// The identifiers of the rules that were broken, each once, sorted.
    func broken() -> [String] { Set(findings().map(\.rule.id)).sorted() }
}
