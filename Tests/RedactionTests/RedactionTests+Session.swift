import Foundation
import Framing
import Notation
import Trace
import TraceWorld
import Wire

@testable import Redaction

/// A session full of secrets.
extension RedactionTests {
    /// The secrets, each in one place at least where it is found by its place or its look.
    static let secrets = [
        "hunter2!Zoë", "anna.müller", "anna@clinic-nord.org", "0123456789abcdef0123456789abcdef",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm5hIn0.c2lnbmF0dXJl", "sess-4711-abcdef",
        "Müller-Lüdenscheidt",
        "山田太郎さん", "+4915112345678", "AKIAIOSFODNN7EXAMPLX", "commcare_7f9e-11aa", "sha1$abc$feed42",
        "geheim & <wichtig>", "dcd98b7102dd2f0e8b11d0f600bfb0c093", "patient-zero-9",
    ]

    static func basic(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    static func request(
        _ line: String, _ fields: [String], _ body: [UInt8] = [], _ coding: String? = nil
    ) -> [UInt8] {
        let more = coding.map { ["Content-Encoding: \($0)"] } ?? []
        let length = body.isEmpty ? [] : ["Content-Length: \(body.count)"]
        let lines = [line, "Host: clinic.example"] + fields + more + length
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    static func response(_ fields: [String], _ body: [UInt8]) -> [UInt8] {
        request("HTTP/1.1 200 OK", fields + (body.isEmpty ? ["Content-Length: 0"] : []), body)
    }

    static func chunked(_ body: [UInt8], _ size: Int) -> [UInt8] {
        var result: [UInt8] = []
        for start in stride(from: 0, to: body.count, by: size) {
            let part = body[start..<min(start + size, body.count)]
            result += Array((String(part.count, radix: 16) + ";x=y\r\n").utf8) + part + [13, 10]
        }
        return result + Array("0\r\n\r\n".utf8)
    }

    /// Requests and responses that carry every secret, in every place and coding.
    static var exchanges: [(request: [UInt8], response: [UInt8])] {
        let json = """
            {"username":"anna.müller","password":"hunter2!Zo\\u00eb","access_token":"\(secrets[3])",\
            "note":"mail anna@clinic-nord.org","deep":[{"jwt":"\(secrets[4])"}],"phone":4915112345678}
            """
        let restore = """
            <OpenRosaResponse xmlns="http://openrosa.org/http/response"><message nature="x">hi anna.müller\
            </message><Registration xmlns="http://openrosa.org/user/registration"><username>anna.müller</username>\
            <password>sha1$abc$feed42</password><user_data><data key="first_name">Müller-Lüdenscheidt</data>\
            </user_data></Registration><case xmlns="c"><create><case_name>山田太郎さん</case_name></create><update>\
            <phone_number>+4915112345678</phone_number><age>42</age><secret>geheim &amp; &lt;wichtig&gt;</secret>\
            </update></case></OpenRosaResponse>
            """
        let form =
            "<data><name><![CDATA[Müller-Lüdenscheidt]]></name><deviceID>commcare_7f9e-11aa</deviceID></data>"
        let multipart = """
            --b\r\nContent-Disposition: form-data; name="xml_submission_file"; filename="f.xml"\r\n\
            Content-Transfer-Encoding: base64\r\n\r\n\(basic(form))\r\n--b\r\n\
            Content-Disposition: form-data; name="password"\r\n\r\nhunter2!Zoë\r\n--b--\r\n
            """
        let query =
            "password=hunter2%21Zo%C3%ab&device_id=commcare_7f9e-11aa&note=geheim+%26+%3Cwichtig%3E"
        let digest = """
            Authorization: Digest username="anna.müller", realm="r", nonce="\(secrets[13])", uri="/x?token=patient-zero-9"
            """
        let gzip = StoredCoding.encode(Array(restore.utf8), [.gzip], isWhole: true)
        let brotli = StoredCoding.encode(Array(json.utf8), [.brotli], isWhole: true)
        return [
            (
                request(
                    "GET /a/demo/phone/restore/?\(query) HTTP/1.1",
                    [
                        "Authorization: Basic \(basic("anna.müller:hunter2!Zoë"))",
                        "Cookie: a=b; sessionid=sess-4711-abcdef",
                    ]),
                response(
                    ["Set-Cookie: sessionid=sess-4711-abcdef; Path=/", "Content-Type: text/xml"],
                    Array(restore.utf8))
            ),
            (
                request(
                    "POST /login HTTP/1.1", ["Content-Type: application/json"], Array(json.utf8)),
                request(
                    "HTTP/1.1 200 OK", ["Content-Encoding: gzip", "Transfer-Encoding: chunked"])
                    + chunked(gzip, 100)
            ),
            (
                request(
                    "POST /form HTTP/1.1",
                    ["Content-Type: multipart/form-data; boundary=b", digest], Array(multipart.utf8)
                ),
                request("HTTP/1.1 200 OK", [], brotli, "br")
            ),
            (
                request(
                    "POST /l HTTP/1.1",
                    [
                        "Content-Type: application/x-www-form-urlencoded",
                        "X-Api-Key: patient-zero-9",
                    ], Array(query.utf8)),
                response(
                    [
                        "Content-Type: text/plain",
                        "WWW-Authenticate: Digest nonce=\"\(secrets[13])\"",
                    ], Array("key AKIAIOSFODNN7EXAMPLX\n\(restore)".utf8))
            ),
            (
                request("GET /bin HTTP/1.1", ["Authorization: Bearer \(secrets[4])"]),
                response(
                    ["Content-Type: image/png"], [0xFF, 0, 0x80] + Array(secrets[3].utf8) + [0xFE])
            ),
        ]
    }

    /// Simperium commands; those of the server with an object that deltas edit.
    static let commands: [(Peer, String)] = [
        (
            .client,
            #"0:init:{"clientid":"c","api":"1.1","token":"\#(secrets[3])","app_id":"app","name":"note"}"#
        ),
        (.server, "0:auth:anna@clinic-nord.org"),
        (.client, "0:i:1:::40"),
        (
            .server,
            #"0:i:{"index":[{"id":"k","v":1,"d":{"text":"see ","password":"hunter2!Zo\u00eb"}}],"current":"a"}"#
        ),
        (
            .client,
            #"0:c:{"id":"k","o":"M","sv":1,"ccid":"x1","v":{"text":{"o":"d","v":"=4\t+bert@kl"}}}"#
        ),
        (
            .server,
            #"0:c:[{"id":"k","o":"M","sv":1,"ev":2,"cv":"b","ccids":["x1"],"v":{"text":{"o":"d","v":"=4\t+bert@kl"}}}]"#
        ),
        (
            .server,
            #"0:c:[{"id":"k","o":"M","sv":2,"ev":3,"cv":"c","ccids":["y1"],"v":{"text":{"o":"d","v":"=11\t+inik.org %C3%BC"}}}]"#
        ),
        (.client, "0:e:k.3"),
        (
            .server,
            "0:e:k.3\n"
                + #"{"data":{"text":"see bert@klinik.org ü","password":"hunter2!Zo\u00eb"}}"#
        ),
        (.server, "h:1"),
    ]

    static func socket(
        _ session: inout Conversation, deflate: Bool, fragments: Int = 1
    ) -> [Record] {
        let more = deflate ? "Sec-WebSocket-Extensions: permessage-deflate\r\n" : ""
        var records = session.simperium(changes: 0).prefix(2).map { record in
            guard case .chunk(var chunk) = record else { return record }
            chunk.bytes = Array(chunk.bytes.dropLast(2)) + Array((more + "\r\n").utf8)
            return .chunk(chunk)
        }
        let deflaters = [MessageDeflater(), MessageDeflater()]
        for (sender, text) in commands {
            let mask: [UInt8]? = sender == .client ? [9, 8, 7, 6] : nil
            var payload = Array(text.utf8)
            if deflate { payload = deflaters[sender.rawValue]?.deflate(payload.span) ?? [] }
            let size = max(1, (payload.count + fragments - 1) / fragments)
            let starts = Array(stride(from: 0, to: payload.count, by: size))
            for start in starts {
                let part = Array(payload[start..<min(start + size, payload.count)])
                let first: UInt8 =
                    (start == 0 ? (deflate ? 0x41 : 0x01) : 0) | (start == starts.last ? 0x80 : 0)
                records.append(
                    session.chunk(sender, Conversation.frame(part, first: first, mask: mask)))
            }
        }
        return records
    }

    /// Cuts what each sender says into reads at random places; each exchange stays in order.
    static func cut(_ records: [Record], _ random: inout SplitMix64) -> [Record] {
        records.flatMap { record -> [Record] in
            guard case .chunk(let chunk) = record, chunk.patches.isEmpty else { return [record] }
            var parts: [Record] = []
            var rest = chunk.bytes[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...max(1, min(rest.count, 400)), using: &random)
                var part = chunk
                part.bytes = Array(rest.prefix(count))
                parts.append(.chunk(part))
                rest = rest.dropFirst(count)
            }
            return parts
        }
    }

    static func record(_ world: TraceWorld, seed: UInt64?) throws {
        let writer = try world.writer(arguments: "record --token=\(secrets[3])")
        record(into: writer, seed: seed)
        writer.finish()
    }

    static func record(into writer: TraceWriter, seed: UInt64? = nil) {
        var random = SplitMix64(seed: seed ?? 0)
        func put(_ records: [Record]) {
            _ = writer.put(seed == nil ? records : cut(records, &random))
        }
        var http = Conversation(1)
        put(http.opening())
        for exchange in exchanges {
            put([http.chunk(.client, exchange.request), http.chunk(.server, exchange.response)])
        }
        put(http.closing())
        for (number, deflate) in [(2, false), (3, true)] {
            var session = Conversation(Int64(number))
            put(
                session.opening() + socket(&session, deflate: deflate, fragments: number)
                    + session.closing())
        }
        _ = writer.put(
            [
                .fault(
                    FaultRow(
                        at: http.tick(), rule: "r", action: "replace \(secrets[3])",
                        connection: ConnectionID(2),
                        sender: .server)),
                .finding(
                    FindingRow(
                        at: http.tick(), rule: "x", severity: .error, chunk: ChunkID(1), offset: 0,
                        detail: "it sent \"0123456789abcd…\"",
                        expected: "<name>Müller-Lüdenscheidt</name>")),
            ] as [Record])
    }

    /// Each secret as it stands in bytes, and what else it may look like.
    static func needles(_ secret: String) -> [[UInt8]] {
        let bytes = Array(secret.utf8)
        return [bytes] + Spelling.variants(of: bytes).map(\.spelled) + [
            Array(basic(secret).utf8.dropLast(4))
        ]
    }

    static func contains(_ bytes: [UInt8], _ needle: [UInt8]) -> Bool {
        Data(bytes).range(of: Data(needle)) != nil
    }
}
