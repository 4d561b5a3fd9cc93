import Foundation
import Framing
import Notation
import Testing
import Trace
import TraceWorld
import Wire

@testable import Redaction

@Suite("A redacted trace of connections whose sides differ") struct RedactionSideTests {
    private typealias Random = SplitMix64

    /// What a fault does to a whole message.
    private enum Deed: Int, CaseIterable {
        case nothing, lost, removed, late, altered, replaced, again, answered
    }

    private static func chunk(_ record: Record) -> Chunk {
        guard case .chunk(let chunk) = record else {
            return Chunk(
                connection: ConnectionID(0), leg: LegID(0), sender: .client, at: .zero, bytes: [])
        }
        return chunk
    }

    private static func deed(_ random: inout Random) -> Deed {
        Deed(rawValue: Int.random(in: 0..<Deed.allCases.count, using: &random)) ?? .nothing
    }

    /// A word of some bytes becomes another one, in the head where the body is compressed.
    private static func alter(_ chunk: inout Chunk, _ random: inout Random) {
        let text = String(decoding: chunk.bytes, as: UTF8.self)
        let isCompressed = text.contains("Content-Encoding")
        let end = Array("\r\n\r\n".utf8)
        let head = chunk.bytes.firstRange(of: end)?.lowerBound ?? chunk.bytes.count
        let starts = chunk.bytes.indices.prefix(isCompressed ? head : .max).dropLast(4).filter {
            start in
            chunk.bytes[start..<start + 4].allSatisfy { (0x61...0x7A).contains($0) }
        }
        guard let start = starts.randomElement(using: &random) else { return }
        chunk.patches = [
            Patch(offset: start, removed: 4, inserted: Array("zqzq".utf8), reason: .fault)
        ]
    }

    private static func replace(_ chunk: inout Chunk, with bytes: [UInt8]) {
        chunk.patches = [
            Patch(offset: 0, removed: chunk.bytes.count, inserted: bytes, reason: .fault)
                .trimmed(in: chunk.bytes[...])
        ].compactMap(\.self)
    }

    private static func late(_ chunk: inout Chunk) {
        let at = Instant(nanoseconds: chunk.at.nanoseconds + 2_500)
        chunk.deliveries = [Delivery(offset: 0, count: chunk.bytes.count, at: at)]
    }

    private static func lost(_ chunk: inout Chunk) {
        chunk.deliveries = [Delivery(offset: 0, count: chunk.bytes.count, at: nil)]
    }

    private static func made(
        _ session: inout Conversation, _ sender: Peer, _ bytes: [UInt8]
    ) -> Record {
        var made = chunk(session.chunk(sender, bytes, origin: .tapedeck))
        made.leg = sender == .client ? session.server : session.client
        return .chunk(made)
    }

    private static func http(_ session: inout Conversation, _ random: inout Random) -> [Record] {
        var records: [Record] = []
        let all = RedactionTests.exchanges
        for (request, response) in all {
            var asked = chunk(session.chunk(.client, request))
            var answered = chunk(session.chunk(.server, response))
            let other = (all.randomElement(using: &random) ?? all[0])
            switch deed(&random) {
            case .nothing: records += [.chunk(asked), .chunk(answered)]
            case .lost, .removed:
                lost(&answered)
                records += [
                    .chunk(asked), .chunk(answered), made(&session, .server, other.response),
                ]
            case .late:
                late(&answered)
                records += [.chunk(asked), .chunk(answered)]
            case .altered:
                alter(&asked, &random)
                alter(&answered, &random)
                records += [.chunk(asked), .chunk(answered)]
            case .replaced:
                replace(&asked, with: other.request)
                replace(&answered, with: other.response)
                records += [.chunk(asked), .chunk(answered)]
            case .again:
                records += [.chunk(asked), .chunk(answered), made(&session, .client, request)]
                var unwanted = chunk(session.chunk(.server, response))
                lost(&unwanted)
                records.append(.chunk(unwanted))
            case .answered:
                lost(&asked)
                records += [.chunk(asked), made(&session, .server, response)]
            }
        }
        return records
    }

    /// Messages that are compressed by their senders where `deflate`, and after the first fault in a
    /// direction delivered as they are, as the proxy does it.
    private static func socket(
        _ session: inout Conversation, deflate: Bool, _ random: inout Random
    ) -> [Record] {
        var records = Array(
            RedactionTests.socket(&session, deflate: deflate).prefix(2))
        let deflaters = [MessageDeflater(), MessageDeflater()]
        var isApart = [false, false]
        for (sender, text) in RedactionTests.commands + RedactionTests.commands.dropFirst(4) {
            let mask: [UInt8]? = sender == .client ? [9, 8, 7, 6] : nil
            let plain = Conversation.frame(Array(text.utf8), mask: mask)
            var frame = plain
            if deflate {
                let payload = deflaters[sender.rawValue]?.deflate(Array(text.utf8).span) ?? []
                frame = Conversation.frame(payload, first: 0xC1, mask: mask)
            }
            var sent = chunk(session.chunk(sender, frame))
            let deed = text.hasPrefix("0:init") ? .nothing : deed(&random)
            if deed != .nothing, deed != .late { isApart[sender.rawValue] = true }
            if deflate, isApart[sender.rawValue] { replace(&sent, with: plain) }
            switch deed {
            case .nothing: break
            case .lost: lost(&sent)
            case .removed: replace(&sent, with: [])
            case .late: if !deflate { late(&sent) }
            case .altered, .replaced:
                let others = RedactionTests.commands.filter { $0.0 == sender }
                let other = others.randomElement(using: &random)?.1 ?? text
                replace(&sent, with: Conversation.frame(Array(other.utf8), mask: mask))
            case .again, .answered:
                records.append(made(&session, sender, plain))
            }
            records.append(.chunk(sent))
        }
        return records
    }

    private static func record(_ world: TraceWorld, seed: UInt64) throws {
        let writer = try world.writer()
        var random = Random(seed: seed)
        // Shows what the secrets are, whatever is lost of them.
        RedactionTests.record(into: writer)
        var session = Conversation(4)
        _ = writer.put(session.opening() + http(&session, &random) + session.closing())
        for (number, deflate) in [(5, false), (6, true)] {
            var session = Conversation(Int64(number))
            _ = writer.put(
                session.opening() + socket(&session, deflate: deflate, &random) + session.closing())
        }
        writer.finish()
    }

    private static func patches(
        _ world: TraceWorld, _ file: String, _ which: String
    ) throws -> [(chunk: Int, bytes: Range<Int>)] {
        let sql = """
            SELECT t.chunk_id, t."offset", t.removed FROM patch t
            JOIN chunk c ON c.id = t.chunk_id WHERE \(which) ORDER BY t.id
            """
        return try world.rows(sql, of: file).map { row in
            let values = row.split(separator: "|").compactMap { Int($0) }
            return (values[0], values[1]..<values[1] + values[2])
        }
    }

    @Test(arguments: 0..<24 as Range<UInt64>)
    func `holds no secret anywhere, and has the same rows`(seed: UInt64) throws {
        let world = try TraceWorld()
        try Self.record(world, seed: seed)
        try Redaction(key: RedactionTests.key).write(
            from: world.path("a.tape"), to: world.path("b.tape"))
        var everything = try Array(Data(contentsOf: URL(fileURLWithPath: world.path("b.tape"))))
        for sql in [
            "SELECT head || x'0a' || coalesce(content, '') FROM body",
            "SELECT payload FROM any_message", "SELECT coalesce(text, '') FROM any_command",
            "SELECT bytes FROM chunk", "SELECT inserted FROM patch",
        ] {
            everything += Array(try world.rows(sql, of: "b.tape").joined().utf8)
        }
        for secret in RedactionTests.secrets + ["bert@kl", "inik.org"] {
            for needle in RedactionTests.needles(secret)
            where RedactionTests.contains(everything, needle) {
                Issue.record("\(secret) as \(String(decoding: needle, as: UTF8.self))")
            }
        }
        for (table, columns) in [
            ("chunk", "id, connection_id, leg_id, sender, origin, at_ns"),
            (
                "any_exchange",
                """
                id, side, fate, counterpart_id, api, method, path, status, outcome, problem, \
                started_ns, request_ended_ns, ended_ns, length(query)
                """
            ),
            ("http_body", "id, size, is_text, coding, content_type, problem"),
            ("part", "id, name, filename, size, \"offset\""),
            ("openrosa", "id, kind, root, cases, problem"),
            ("frame", "id, fin, rsv, opcode, mask"),
            (
                "any_message",
                """
                id, side, fate, counterpart_id, sender, at_ns, ended_ns, opcode, size, \
                compressed, frames, problem
                """
            ),
            (
                "any_command",
                "id, side, fate, counterpart_id, channel, name, bucket, key, cv, payload_size, problem"
            ),
            ("any_change", "id, side, fate, key, o, sv, ev, cv, ccid, size"), ("note", "code"),
        ] {
            let sql = "SELECT \(columns) FROM \(table) ORDER BY 1"
            let (before, after) = (try world.rows(sql), try world.rows(sql, of: "b.tape"))
            #expect(before == after, "\(table)")
        }
        #expect(try world.rows("PRAGMA integrity_check", of: "b.tape") == ["ok"])
        // What was not compressed stays where it was.
        let plain = "c.connection_id IN (1, 2, 4, 5)"
        let deliveries = """
            SELECT t.* FROM delivery t JOIN chunk c ON c.id = t.chunk_id WHERE \(plain) ORDER BY 1
            """
        let (before, after) = try (world.rows(deliveries), world.rows(deliveries, of: "b.tape"))
        #expect(before == after)
        // A changed word may tell one side of a secret that the other does not have.
        let changed = try Self.patches(world, "a.tape", plain)
        let redacted = try Self.patches(world, "b.tape", plain)
        for patch in changed {
            #expect(
                redacted.contains {
                    $0.chunk == patch.chunk && $0.bytes.lowerBound <= patch.bytes.lowerBound
                        && $0.bytes.upperBound >= patch.bytes.upperBound
                }, "\(patch)")
        }
        #expect(
            redacted.reduce(0) { $0 + $1.bytes.count }
                <= changed.reduce(0) { $0 + $1.bytes.count + 48 })
        #expect(try SecretScan.run(world.path("b.tape")) == [])
    }
}
