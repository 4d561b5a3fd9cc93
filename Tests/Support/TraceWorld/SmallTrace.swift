import Foundation
import Trace
import Wire

/// A trace made by hand: connections with what was sent on them, on a clock that ticks with each
/// record.
final class SmallTrace {
    let path: String
    private let folder: URL
    private let writer: TraceWriter
    private var now: Int64 = 0
    private var next: Int64 = 1
    private var isMaking = false
    private var isLosing = false
    private var others: [UInt8]?

    /// An empty trace whose session began `started` nanoseconds after 1970.
    init(started: Int64 = 0) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("small-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appendingPathComponent("a.tape").path
        writer = try TraceWriter(
            path: path,
            session: SessionStart(
                provenance: .proxy, version: "1", arguments: "", startedUnixNanoseconds: started))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A file beside the trace.
    func beside(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Writes what waits.
    func flush() { writer.flush() }

    /// Writes what waits and ends the session.
    func finish() { writer.finish() }

    /// Lets time pass.
    func pass(_ nanoseconds: Int64) { now += nanoseconds }

    func tick() -> Instant {
        now += 1_000
        return Instant(nanoseconds: now)
    }

    func put(_ record: Record) { _ = writer.put([record]) }

    /// Opens a connection to a server.
    func open(host: String = "example.org", port: Int = 80) -> ConnectionID {
        let id = ConnectionID(next)
        next += 1
        put(
            .connection(
                ConnectionRow(
                    id: id, at: tick(), listener: "127.0.0.1:1", client: "127.0.0.1:2",
                    mode: .reverse)))
        put(
            .leg(
                LegRow(
                    id: leg(id, .client), connection: id, peer: .client, at: tick(),
                    host: "127.0.0.1", port: 2)))
        put(
            .leg(
                LegRow(
                    id: leg(id, .server), connection: id, peer: .server, at: tick(), host: host,
                    port: port)))
        return id
    }

    private func leg(_ id: ConnectionID, _ peer: Peer) -> LegID {
        LegID(2 * id.rawValue + Int64(peer.rawValue))
    }

    /// Sends bytes, of which the receiver gets none or others where that is asked for.
    func send(_ id: ConnectionID, _ sender: Peer, _ bytes: [UInt8]) {
        var patches: [Patch] = []
        if let others {
            patches = [Patch(offset: 0, removed: bytes.count, inserted: others, reason: .fault)]
        }
        put(
            .chunk(
                Chunk(
                    connection: id, leg: leg(id, sender), sender: sender,
                    origin: isMaking ? .tapedeck : .peer, at: tick(), bytes: bytes,
                    patches: patches.compactMap { $0.trimmed(in: bytes[...]) },
                    deliveries: isLosing
                        ? [Delivery(offset: 0, count: bytes.count, at: nil)] : [])))
    }

    /// Sends a message that is not delivered.
    func lose(_ id: ConnectionID, _ sender: Peer, _ text: String) {
        isLosing = true
        command(id, sender, text)
        isLosing = false
    }

    /// Sends a message in whose place the receiver gets another.
    func alter(_ id: ConnectionID, _ sender: Peer, _ text: String, to other: String) {
        others = frame(sender, Array(other.utf8))
        command(id, sender, text)
        others = nil
    }

    /// Sends a message in a peer's name, which Tapedeck made.
    func make(_ id: ConnectionID, _ sender: Peer, _ text: String) {
        isMaking = true
        command(id, sender, text)
        isMaking = false
    }

    /// Does something to a message on purpose, right before it.
    func fault(
        _ id: ConnectionID, _ sender: Peer, _ action: String, effect: FaultEffect? = nil,
        problem: String? = nil
    ) {
        put(
            .fault(
                FaultRow(
                    at: tick(), rule: "test", action: action, effect: effect,
                    problem: problem, connection: id, sender: sender)))
    }

    /// Sends text with line feeds for line ends.
    func send(_ id: ConnectionID, _ sender: Peer, _ text: String) {
        send(id, sender, Array(text.replacingOccurrences(of: "\n", with: "\r\n").utf8))
    }

    /// A request with its answer, which Tapedeck made where it is local.
    func exchange(
        _ id: ConnectionID, _ line: String, host: String = "example.org", body: String = "",
        status: Int = 200, answer: String = "ok", type: String = "text/plain",
        isLocal: Bool = false
    ) {
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\n"
        send(id, .client, "\(line) HTTP/1.1\nHost: \(host)\n\(length)\n")
        if !body.isEmpty { send(id, .client, Array(body.utf8)) }
        isMaking = isLocal
        defer { isMaking = false }
        send(
            id, .server,
            "HTTP/1.1 \(status) X\nContent-Type: \(type)\nContent-Length: \(answer.utf8.count)\n\n")
        send(id, .server, Array(answer.utf8))
    }

    /// Opens a connection and makes it a WebSocket.
    func socket(_ path: String = "/sock/1/app/websocket", extensions: String = "") -> ConnectionID {
        let id = open(host: "api.simperium.com")
        let more = extensions.isEmpty ? "" : extensions + "\n"
        send(
            id, .client,
            """
            GET \(path) HTTP/1.1
            Host: api.simperium.com
            Upgrade: websocket
            Connection: Upgrade
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
            Sec-WebSocket-Version: 13
            \(more)

            """)
        send(
            id, .server,
            """
            HTTP/1.1 101 Switching Protocols
            Upgrade: websocket
            Connection: Upgrade
            Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=
            \(more)

            """)
        return id
    }

    /// Sends a message in one frame.
    func message(_ id: ConnectionID, _ sender: Peer, _ payload: [UInt8], opcode: UInt8 = 1) {
        send(id, sender, frame(sender, payload, opcode: opcode))
    }

    private func frame(_ sender: Peer, _ payload: [UInt8], opcode: UInt8 = 1) -> [UInt8] {
        var bytes: [UInt8] = [0x80 | opcode]
        let mask: UInt8 = sender == .client ? 0x80 : 0
        if payload.count < 126 {
            bytes.append(mask | UInt8(payload.count))
        } else if payload.count < 65_536 {
            bytes += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        } else {
            bytes.append(mask | 127)
            bytes += (0..<8).reversed().map { UInt8(payload.count >> (8 * $0) & 0xFF) }
        }
        // A mask of zeros changes nothing.
        if sender == .client { bytes += [0, 0, 0, 0] }
        return bytes + payload
    }

    /// Sends a Simperium command.
    func command(_ id: ConnectionID, _ sender: Peer, _ text: String) {
        message(id, sender, Array(text.utf8))
    }

    /// Ends what one peer sends.
    func end(_ id: ConnectionID, _ peer: Peer) {
        put(.event(EventRow(.ended, connection: id, leg: leg(id, peer), at: tick())))
    }
}
