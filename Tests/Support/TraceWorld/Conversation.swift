package import Wire

/// Makes the records of conversations, on a clock of its own.
package struct Conversation {
    private var now: Int64 = 0
    package let connection: ConnectionID
    package let client: LegID
    package let server: LegID

    package init(_ number: Int64) {
        connection = ConnectionID(number)
        client = LegID(2 * number)
        server = LegID(2 * number + 1)
    }

    package mutating func tick() -> Instant {
        now += 1_000
        return Instant(nanoseconds: now)
    }

    package mutating func opening(host: String = "example.org") -> [Record] {
        [
            .connection(
                ConnectionRow(
                    id: connection, at: tick(), listener: "127.0.0.1:8080",
                    client: "127.0.0.1:5000",
                    mode: .reverse)),
            .leg(
                LegRow(
                    id: client, connection: connection, peer: .client, at: tick(),
                    host: "127.0.0.1", port: 5_000)),
            .leg(
                LegRow(
                    id: server, connection: connection, peer: .server, at: tick(), host: host,
                    port: 80)),
            .event(
                EventRow(
                    .opened, connection: connection, leg: server, at: tick(), detail: "192.0.2.1:80"
                )
            ),
        ]
    }

    package mutating func closing() -> [Record] {
        [server, client].map { leg in
            .event(
                EventRow(.closed, connection: connection, leg: leg, at: tick(), detail: "closed"))
        }
    }

    package mutating func chunk(
        _ sender: Peer, _ bytes: [UInt8], _ patches: [Patch] = [], _ deliveries: [Delivery] = [],
        origin: Chunk.Origin = .peer
    ) -> Record {
        .chunk(
            Chunk(
                connection: connection, leg: sender == .client ? client : server, sender: sender,
                origin: origin, at: tick(), bytes: bytes, patches: patches, deliveries: deliveries))
    }

    /// A submission with a picture, as OpenRosa has it, and its answer in several chunks.
    package mutating func submission(_ number: Int) -> [Record] {
        let form = """
            <?xml version='1.0'?>
            <data xmlns="http://example.org/form"><name>Zoë \(number)</name>
            <meta><instanceID>uuid:\(number)</instanceID></meta></data>
            """
        let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 0x10, 0x0A, 0x41, 0xFF, 0xD9]
        let body =
            Array(
                """
                --b\r
                Content-Disposition: form-data; name="xml_submission_file"; filename="f.xml"\r
                Content-Type: text/xml\r
                \r
                \(form)\r
                --b\r
                Content-Disposition: form-data; name="a.jpg"; filename="a.jpg"\r
                Content-Type: image/jpeg\r
                \r

                """.utf8) + picture + Array("\r\n--b--\r\n".utf8)
        let head = """
            POST /a/demo/receiver/ HTTP/1.1\r
            Host: localhost:8080\r
            X-OpenRosa-Version: 1.0\r
            Content-Type: multipart/form-data; boundary=b\r
            Content-Length: \(body.count)\r
            \r

            """
        let host = Patch(
            offset: "POST /a/demo/receiver/ HTTP/1.1\r\nHost: ".utf8.count, removed: 14,
            inserted: Array("example.org".utf8), reason: .host)
        let answer = """
            <OpenRosaResponse xmlns="http://openrosa.org/http/response">\
            <message nature="submit_success">thanks</message></OpenRosaResponse>
            """
        return [
            chunk(.client, Array(head.utf8) + body.prefix(100), [host]),
            chunk(.client, Array(body.dropFirst(100))),
            chunk(
                .server,
                Array(
                    """
                    HTTP/1.1 201 Created\r
                    Content-Type: text/xml\r
                    Content-Length: \(answer.utf8.count)\r
                    \r

                    """.utf8)),
            chunk(.server, Array(answer.utf8)),
        ]
    }

    /// The handshake of a Simperium socket and some commands.
    package mutating func simperium(changes: Int) -> [Record] {
        var records = [
            chunk(
                .client,
                Array(
                    """
                    GET /sock/1/app/websocket HTTP/1.1\r
                    Host: api.simperium.com\r
                    Upgrade: websocket\r
                    Connection: Upgrade\r
                    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
                    Sec-WebSocket-Version: 13\r
                    \r

                    """.utf8)),
            chunk(
                .server,
                Array(
                    """
                    HTTP/1.1 101 Switching Protocols\r
                    Upgrade: websocket\r
                    Connection: Upgrade\r
                    Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r
                    \r

                    """.utf8)),
            message(
                .client,
                #"0:init:{"clientid":"c","api":"1.1","token":"t","app_id":"app","name":"note"}"#),
            message(.server, "0:auth:user@example.org"),
        ]
        for number in 0..<changes {
            let change = """
                {"clientid":"c","id":"k\(number)","o":"M","ccid":"x\(number)",\
                "v":{"text":{"o":"r","v":"Grüße \(number)"}}}
                """
            records.append(message(.client, "0:c:" + change))
            records.append(message(.server, "0:c:[\(change)]"))
        }
        return records
    }

    /// One text message in one frame in one chunk.
    package mutating func message(_ sender: Peer, _ text: String) -> Record {
        chunk(sender, Self.frame(Array(text.utf8), mask: sender == .client ? [1, 2, 3, 4] : nil))
    }

    package static func frame(_ payload: [UInt8], first: UInt8 = 0x81, mask: [UInt8]?) -> [UInt8] {
        var bytes = [first]
        let bit: UInt8 = mask == nil ? 0 : 0x80
        switch payload.count {
        case ..<126: bytes.append(bit | UInt8(payload.count))
        case ..<65_536: bytes += [bit | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        default:
            bytes.append(bit | 127)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        }
        guard let mask else { return bytes + payload }
        return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
    }
}
