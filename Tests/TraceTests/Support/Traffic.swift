import Synchronization
import Wire

@testable import Trace

/// Makes the records of conversations, on a clock of its own.
struct Traffic {
    private var now: Int64 = 0
    private var next: Int64

    /// Traffic whose connections and legs are numbered from `first` on.
    init(first: Int64 = 1) { next = first }

    mutating func tick() -> Instant {
        now += 1_000
        return Instant(nanoseconds: now)
    }

    /// Lets time pass.
    mutating func pass(seconds: Int64) { now += seconds * 1_000_000_000 }

    /// An HTTP connection with its exchanges, which ends if `closes`.
    mutating func http(
        exchanges: Int, body: String = "hello world", closes: Bool = true
    ) -> [Record] {
        let id = open()
        var records = id.records
        for number in 0..<exchanges {
            records += exchange(id, number: number, body: body)
        }
        if closes { records += close(id) }
        return records
    }

    struct Opened {
        var connection: ConnectionID
        var client: LegID
        var server: LegID
        var records: [Record]
    }

    mutating func open() -> Opened {
        let connection = ConnectionID(next)
        let client = LegID(2 * next)
        let server = LegID(2 * next + 1)
        next += 1
        return Opened(
            connection: connection, client: client, server: server,
            records: [
                .connection(
                    ConnectionRow(
                        id: connection, at: tick(), listener: "127.0.0.1:1", client: "127.0.0.1:2",
                        mode: .reverse)),
                .leg(
                    LegRow(
                        id: client, connection: connection, peer: .client, at: tick(),
                        host: "127.0.0.1", port: 2)),
                .leg(
                    LegRow(
                        id: server, connection: connection, peer: .server, at: tick(),
                        host: "example.org", port: 80)),
                .event(
                    EventRow(
                        .opened, connection: connection, leg: server, at: tick(),
                        detail: "192.0.2.1:80")),
            ])
    }

    mutating func close(_ opened: Opened) -> [Record] {
        [
            .event(EventRow(.ended, connection: opened.connection, leg: opened.client, at: tick())),
            .event(
                EventRow(
                    .closed, connection: opened.connection, leg: opened.server, at: tick(),
                    detail: "closed")),
            .event(
                EventRow(
                    .closed, connection: opened.connection, leg: opened.client, at: tick(),
                    detail: "closed")),
        ]
    }

    mutating func chunk(
        _ opened: Opened, _ sender: Peer, _ bytes: [UInt8], _ patches: [Patch] = []
    )
        -> Record
    {
        .chunk(
            Chunk(
                connection: opened.connection,
                leg: sender == .client ? opened.client : opened.server, sender: sender, at: tick(),
                bytes: bytes, patches: patches))
    }

    mutating func exchange(_ opened: Opened, number: Int, body: String) -> [Record] {
        let request = "GET /item/\(number)?n=1 HTTP/1.1\r\nHost: localhost:1\r\n\r\n"
        let response =
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let host = Patch(
            offset: "GET /item/\(number)?n=1 HTTP/1.1\r\nHost: ".utf8.count, removed: 11,
            inserted: Array("example.org".utf8), reason: .host)
        return [
            chunk(opened, .client, Array(request.utf8), [host]),
            chunk(opened, .server, Array(response.utf8)),
            chunk(opened, .server, Array(body.utf8)),
        ]
    }

    /// A form that creates these cases, and its acceptance.
    mutating func form(_ opened: Opened, cases: [String]) -> [Record] {
        let blocks = cases.map { id in
            """
            <case xmlns="http://commcarehq.org/case/transaction/v2" case_id="\(id)">\
            <create><case_type>t</case_type><case_name>of \(id)</case_name></create>\
            <update><age>7</age></update></case>
            """
        }
        let body = "<data xmlns=\"f\">\(blocks.joined())</data>"
        let request = """
            POST /a/demo/receiver/ HTTP/1.1\r
            Host: hq\r
            Content-Length: \(body.utf8.count)\r
            \r
            \(body)
            """
        let response = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"
        return [
            chunk(opened, .client, Array(request.utf8)),
            chunk(opened, .server, Array(response.utf8)),
        ]
    }

    /// The handshake of a socket, one of Simperium unless told.
    mutating func upgrade(
        _ opened: Opened, path: String = "/sock/1/app/websocket"
    ) -> [Record] {
        let request = """
            GET \(path) HTTP/1.1\r
            Host: api.simperium.com\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            Sec-WebSocket-Version: 13\r
            \r

            """
        let response = """
            HTTP/1.1 101 Switching Protocols\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r
            \r

            """
        return [
            chunk(opened, .client, Array(request.utf8)),
            chunk(opened, .server, Array(response.utf8)),
        ]
    }

    /// One text message in one frame in one chunk.
    mutating func message(_ opened: Opened, _ sender: Peer, _ text: String) -> Record {
        var bytes: [UInt8] = [0x81]
        let payload = Array(text.utf8)
        let masked: UInt8 = sender == .client ? 0x80 : 0
        if payload.count < 126 {
            bytes.append(masked | UInt8(payload.count))
        } else {
            bytes += [masked | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        }
        // A mask of zeros changes nothing.
        if sender == .client { bytes += [0, 0, 0, 0] }
        return chunk(opened, sender, bytes + payload)
    }

    /// A change of one object.
    mutating func change(_ opened: Opened, _ number: Int, padding: Int = 0) -> Record {
        let value = String(repeating: "x", count: padding)
        return message(
            opened, .client,
            #"0:c:{"clientid":"a","id":"key\#(number)","o":"M","v":{"t":{"o":"r","v":"word\#(number)\#(value)"}},"ccid":"id\#(number)"}"#
        )
    }
}

/// A number that closures share.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    func get() -> Value { value.withLock { $0 } }

    func set(_ new: Value) { value.withLock { $0 = new } }

    func change(_ body: (inout Value) -> Void) {
        value.withLock { (state: inout Value) in body(&state) }
    }
}
