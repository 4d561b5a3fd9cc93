import Dissection
import Framing
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
    private struct Entry {
        var at: Int64
        var order: Int
        var what: What
    }

    private enum What {
        case record(Record, Origin)
        /// A command that was sent and never arrived.
        case lost(ConnectionID, Peer, [UInt8])
        /// A command that Tapedeck changed: what was sent in the place of what is in the record.
        case altered(Record, said: [UInt8])
    }

    private var entries: [Entry] = []
    private var lastConnection: Int64 = 0
    /// When the session was last seen, in seconds.
    var end: Double?
    /// Whether the session goes on after that.
    var isRunning = false

    init() {}

    // MARK: Connections

    private mutating func add(_ what: What, at: Double) {
        entries.append(
            Entry(at: Int64((at * 1e9).rounded()), order: entries.count, what: what))
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
                        mode: mode)), .peer), at: at)
        for peer in Peer.allCases {
            let leg = LegRow(
                id: Self.leg(id, peer), connection: id, peer: peer, at: time,
                host: peer == .client ? "127.0.0.1" : "server.example", port: 80)
            add(.record(.leg(leg), .peer), at: at)
        }
        return id
    }

    private static func leg(_ id: ConnectionID, _ peer: Peer) -> LegID {
        LegID(id.rawValue * 2 + Int64(peer.rawValue))
    }

    /// Bytes of a peer, as one chunk.
    mutating func bytes(
        _ id: ConnectionID, _ sender: Peer, _ bytes: [UInt8], at: Double, origin: Origin = .peer
    ) {
        add(.record(chunk(id, sender, bytes, at: at, origin: origin), origin), at: at)
    }

    private func chunk(
        _ id: ConnectionID, _ sender: Peer, _ bytes: [UInt8], at: Double, origin: Origin
    ) -> Record {
        .chunk(
            Chunk(
                connection: id, leg: Self.leg(id, sender), sender: sender,
                origin: origin == .tapedeck ? .tapedeck : .peer,
                at: Instant(nanoseconds: Int64((at * 1e9).rounded())), bytes: bytes))
    }

    /// Both legs of a connection are closed; `by` closes first.
    mutating func close(
        _ id: ConnectionID, at: Double, by peer: Peer = .client, detail: String = "closed"
    ) {
        let time = Instant(nanoseconds: Int64((at * 1e9).rounded()))
        for side in [peer, peer.other] {
            let row = EventRow(
                .closed, connection: id, leg: Self.leg(id, side), at: time, detail: detail)
            add(.record(.event(row), .peer), at: at)
        }
    }

    /// Bytes are missing from the trace; of all connections without one.
    mutating func gap(_ id: ConnectionID?, _ sender: Peer? = nil, at: Double) {
        let time = Instant(nanoseconds: Int64((at * 1e9).rounded()))
        let row = GapRow(
            connection: id, leg: nil, sender: sender, at: time, until: time, count: 10, chunks: 1,
            reason: .notCaptured)
        add(.record(.gap(row), .peer), at: at)
    }

    /// A fault is told, without anything of what it did.
    mutating func fault(
        _ id: ConnectionID?, _ sender: Peer?, _ action: String, at: Double, came: [UInt8] = [],
        sent: [UInt8] = []
    ) {
        let row = FaultRow(
            at: Instant(nanoseconds: Int64((at * 1e9).rounded())), rule: "test", action: action,
            connection: id, sender: sender, came: came, sent: sent)
        add(.record(.fault(row), .tapedeck), at: at)
    }

    // MARK: HTTP

    /// A request and its response, each as one chunk.
    ///
    /// Line ends of heads are written as `\n`.
    ///
    /// A `Content-Length` is added where neither a length nor a transfer coding is given.
    mutating func exchange(
        _ id: ConnectionID, _ request: String, _ response: String?, at: Double, took: Double = 0.01,
        made: Bool = false
    ) {
        bytes(id, .client, Self.message(request), at: at)
        guard let response else { return }
        bytes(
            id, .server, Self.message(response), at: at + took,
            origin: made ? .tapedeck : .peer)
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

    /// The server sends a text message; `made` where Tapedeck does in its name.
    mutating func server(_ id: ConnectionID, _ text: String, at: Double, made: Bool = false) {
        frame(id, .server, Array(text.utf8), at: at, origin: made ? .tapedeck : .peer)
    }

    /// Somebody sends a frame that is a message.
    mutating func frame(
        _ id: ConnectionID, _ sender: Peer, _ payload: [UInt8], opcode: UInt8 = 1, at: Double,
        origin: Origin = .peer
    ) {
        bytes(id, sender, Self.frame(payload, opcode, sender), at: at, origin: origin)
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

    /// Somebody sends a command that a fault takes away.
    mutating func lose(
        _ id: ConnectionID, _ sender: Peer, _ text: String, action: String = "drop", at: Double
    ) {
        fault(id, sender, action, at: at, came: Array(text.utf8))
        add(.lost(id, sender, Array(text.utf8)), at: at)
    }

    /// Somebody sends a command that a fault changes.
    mutating func alter(
        _ id: ConnectionID, _ sender: Peer, said: String, heard: String, action: String, at: Double
    ) {
        fault(
            id, sender, action, at: at, came: Array(said.utf8), sent: Array(heard.utf8))
        let bytes = Self.frame(Array(heard.utf8), 1, sender)
        add(
            .altered(
                chunk(id, sender, bytes, at: at, origin: .peer), said: Array(said.utf8)), at: at)
    }

    // MARK: Diagnosing

    /// What happened, in order.
    func evidence() -> [Evidence] {
        var reader = ScriptReader()
        for entry in entries.sorted(by: { ($0.at, $0.order) < ($1.at, $1.order) }) {
            switch entry.what {
            case .record(let record, let origin): reader.put(record, origin)
            case .altered(let record, let said): reader.put(record, .altered, said: said)
            case .lost(let id, let sender, let text):
                reader.lose(id, sender, text, at: Instant(nanoseconds: entry.at))
            }
        }
        return reader.finish(at: Instant(nanoseconds: last))
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

    /// The identifiers of the rules that were broken, each once, sorted.
    func broken() -> [String] { Set(findings().map(\.rule.id)).sorted() }
}
