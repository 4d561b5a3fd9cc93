import Framing
import Notation
import Testing
import Wire

@testable import Dissection

@Suite("Each side's rows are those of what that peer had, decoded alone")
struct SidesPropertyTests {
    @Test(arguments: 0..<300) func `of HTTP with differences anywhere`(seed: Int) {
        var dice = SplitMix64(seed: UInt64(seed))
        var talk = SidedTalk()
        for number in 0..<Int.random(in: 1...5, using: &dice) { talk.exchange(number, &dice) }
        check(talk)
    }

    @Test(arguments: 0..<300) func `of WebSockets with differences anywhere`(seed: Int) {
        var dice = SplitMix64(seed: UInt64(seed) + 1_000)
        var talk = SidedTalk()
        talk.upgrade(seed % 3, &dice)
        for number in 0..<12 { talk.message(number, &dice) }
        check(talk)
    }

    @Test func `what is the same stands once`() {
        for seed in 0..<50 as Range<UInt64> {
            var dice = SplitMix64(seed: seed)
            var talk = SidedTalk()
            talk.differs = false
            for number in 0..<3 { talk.exchange(number, &dice) }
            talk.upgrade(Int(seed % 3), &dice)
            for number in 0..<6 { talk.message(number, &dice) }
            let rows = talk.rows()
            #expect(rows.exchanges.count == 4)
            #expect(rows.exchanges.allSatisfy { $0.side == .both && $0.fate == .same })
            #expect(rows.messages.count == 6)
            #expect(rows.messages.allSatisfy { $0.side == .both && $0.fate == .same })
        }
    }

    private func check(_ talk: SidedTalk) {
        let rows = talk.rows()
        for peer in Peer.allCases {
            let found = rows.told(by: peer)
            let expected = talk.rows(of: peer).told(by: peer)
            if let (one, other) = zip(found, expected).first(where: { $0 != $1 }) {
                Issue.record("\(peer) had\n\(other)\nand the trace says\n\(one)")
            }
            #expect(found.count == expected.count, "\(peer)")
        }
        let ids = rows.exchanges.map(\.id)
        for row in rows.exchanges {
            if let other = row.counterpart { #expect(ids.contains(other)) }
            #expect(row.side != .both || row.fate == .same)
        }
        let messages = Set(rows.messages.map(\.id))
        for row in rows.messages {
            if let other = row.counterpart { #expect(messages.contains(other)) }
            #expect(row.side != .both || row.fate == .same)
        }
    }
}

/// A conversation with chunks that the peers had differently.
private struct SidedTalk {
    var differs = true
    private var records: [Record] = []
    private var clock: Int64 = 0
    private var deflaters: [MessageDeflater]?

    init() {
        records.append(
            .connection(
                ConnectionRow(
                    id: Stage.connection, at: .zero, listener: "127.0.0.1:8080",
                    client: "127.0.0.1:5000", mode: .reverse)))
        for peer in Peer.allCases {
            records.append(
                .leg(
                    LegRow(
                        id: peer == .client ? Stage.client : Stage.server,
                        connection: Stage.connection, peer: peer, at: .zero, host: "127.0.0.1",
                        port: 80)))
        }
    }

    // MARK: Talking

    mutating func exchange(_ number: Int, _ dice: inout SplitMix64) {
        let body = Dialogue.text(&dice)
        say(
            .client,
            Array(
                "POST /\(number) HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.count)\r\n\r\n".utf8)
                + body, &dice)
        if differs, Int.random(in: 0..<6, using: &dice) == 0 {
            put(.server, Array("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n".utf8), by: .tapedeck)
        }
        let answer = Dialogue.text(&dice)
        say(
            .server,
            Array("HTTP/1.1 200 OK\r\nContent-Length: \(answer.count)\r\n\r\n".utf8) + answer,
            &dice)
    }

    mutating func upgrade(_ compression: Int, _ dice: inout SplitMix64) {
        let common = "Connection: Upgrade\r\nUpgrade: websocket\r\n"
        let agreed =
            switch compression {
            case 0: ""
            case 1:
                "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; "
                    + "client_no_context_takeover\r\n"
            default: "Sec-WebSocket-Extensions: permessage-deflate\r\n"
            }
        put(.client, Array("GET /sock/1/app/websocket HTTP/1.1\r\nHost: h\r\n\(common)\r\n".utf8))
        put(.server, Array("HTTP/1.1 101 Switching Protocols\r\n\(common)\(agreed)\r\n".utf8))
        if compression > 0 {
            deflaters = Peer.allCases.compactMap { _ in
                MessageDeflater(contextTakeover: compression == 2)
            }
        }
    }

    mutating func message(_ number: Int, _ dice: inout SplitMix64) {
        let sender = Peer.allCases[Int.random(in: 0...1, using: &dice)]
        let text = Array("0:c:[{\"id\":\"k\(number)\",\"ccid\":\"\(number)\",\"o\":\"M\"}]".utf8)
        let frame = frame(text, sender, &dice)
        guard differs else { return say(sender, frame, &dice) }
        switch Int.random(in: 0..<10, using: &dice) {
        case 0: put(sender, frame, deliveries: [Delivery(offset: 0, count: frame.count, at: nil)])
        case 1:
            let other = plain(Array("0:h:7".utf8), sender)
            put(sender, frame, patches: [whole(frame, other)])
        case 2:
            put(sender, plain(Array("0:h:\(number)".utf8), sender), by: .tapedeck)
            say(sender, frame, &dice)
        case 3:
            say(sender, frame, &dice)
            put(sender, plain(text, sender), by: .tapedeck)
        case 4:
            put(sender, frame, deliveries: [Delivery(offset: 0, count: frame.count, at: nil)])
            put(sender.other, plain(Array("0:h:1".utf8), sender.other))
            put(sender, plain(text, sender), by: .tapedeck)
        default: say(sender, frame, &dice)
        }
    }

    private func plain(_ text: [UInt8], _ sender: Peer) -> [UInt8] {
        WebSocketFrameEncoder.encode(
            opcode: .text, payload: text, mask: sender == .client ? 0x0102_0304 : nil)
    }

    private func frame(_ text: [UInt8], _ sender: Peer, _ dice: inout SplitMix64) -> [UInt8] {
        guard let deflaters, Int.random(in: 0..<4, using: &dice) > 0 else {
            return plain(text, sender)
        }
        return WebSocketFrameEncoder.encode(
            opcode: .text, payload: deflaters[sender.rawValue].deflate(text.span), fin: true,
            rsv: 4, mask: sender == .client ? 0x0102_0304 : nil)
    }

    private func whole(_ bytes: [UInt8], _ other: [UInt8]) -> Patch {
        let patch = Patch(offset: 0, removed: bytes.count, inserted: other, reason: .fault)
        return patch.trimmed(in: bytes[...]) ?? patch
    }

    /// Sends bytes in one to three reads, of which some differ.
    private mutating func say(_ sender: Peer, _ bytes: [UInt8], _ dice: inout SplitMix64) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count =
                Int.random(in: 0..<3, using: &dice) == 0
                ? Int.random(in: 1...rest.count, using: &dice) : rest.count
            let part = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            var patches: [Patch] = []
            var deliveries: [Delivery] = []
            if differs, Int.random(in: 0..<8, using: &dice) == 0 {
                let start = Int.random(in: 0..<part.count, using: &dice)
                let length = Int.random(in: 0...min(8, part.count - start), using: &dice)
                switch Int.random(in: 0..<4, using: &dice) {
                case 0:
                    let inserted = (0..<Int.random(in: 0...6, using: &dice)).map { _ in
                        UInt8.random(in: 0x20...0x7E, using: &dice)
                    }
                    patches = [
                        Patch(offset: start, removed: length, inserted: inserted, reason: .fault)
                    ]
                case 1 where length > 0:
                    deliveries = [Delivery(offset: start, count: length, at: nil)]
                case 2 where length > 0:
                    deliveries = [Delivery(offset: start, count: length, at: later)]
                default:
                    deliveries = [Delivery(offset: 0, count: part.count, at: later)]
                }
            }
            put(sender, part, patches: patches, deliveries: deliveries)
        }
    }

    private var later: Instant { Instant(nanoseconds: clock + 1_500) }

    private mutating func put(
        _ sender: Peer, _ bytes: [UInt8], by origin: Chunk.Origin = .peer, patches: [Patch] = [],
        deliveries: [Delivery] = []
    ) {
        clock += 1_000
        records.append(
            .chunk(
                Chunk(
                    connection: Stage.connection,
                    leg: sender == .client ? Stage.client : Stage.server, sender: sender,
                    origin: origin, at: Instant(nanoseconds: clock), bytes: bytes,
                    patches: patches, deliveries: deliveries)))
    }

    // MARK: Decoding

    /// The rows of both sides.
    func rows() -> [DerivedRow] { rows(records.map { [$0] }) }

    /// The rows of what one peer had, each of its chunks with its number.
    func rows(of peer: Peer) -> [DerivedRow] {
        rows(
            records.map { record in
                guard case .chunk(var chunk) = record else { return [record] }
                let view = ChunkView(of: chunk, hadBy: peer)
                chunk.patches = []
                chunk.deliveries = []
                // To itself a peer has nothing that Tapedeck made.
                chunk.origin = .peer
                return zip(view.segments.indices, view.segments).map { index, segment in
                    let end =
                        index + 1 < view.segments.count
                        ? view.segments[index + 1].start : view.bytes.count
                    chunk.at = segment.at
                    chunk.bytes = Array(view.bytes[segment.start..<end])
                    return .chunk(chunk)
                }
            }, peer)
    }

    private func rows(_ records: [[Record]], _ peer: Peer? = nil) -> [DerivedRow] {
        var dissector = Dissector()
        var rows: [DerivedRow] = []
        var last: Int64 = 0
        for list in records {
            if case .chunk? = list.first { last += 1 }
            if list.isEmpty { last += 1 }
            for record in list {
                var id: ChunkID?
                if case .chunk = record { id = ChunkID(last) }
                dissector.consume(record, chunk: id, into: &rows)
            }
        }
        dissector.flush(into: &rows)
        dissector.finish(at: Instant(nanoseconds: clock + 10_000), into: &rows)
        return rows
    }
}

extension [DerivedRow] {
    /// What a peer had, as text that does not depend on numbers and offsets.
    fileprivate func told(by peer: Peer) -> [String] {
        let nowhere = Place(chunk: ChunkID(0), offset: 0)
        var told: [String] = []
        for var row in exchanges where row.side.isHad(by: peer) {
            let id = row.id
            row.id = ExchangeID(0)
            row.serverLeg = nil
            row.isLocal = false
            row.requestPlace = nowhere
            row.responsePlace = nil
            (row.side, row.fate, row.counterpart) = (.both, .same, nil)
            var parts: [String] = []
            for var body in bodies where body.exchange == id {
                body.exchange = ExchangeID(0)
                (body.headPlace, body.contentParts) = (nil, [])
                parts.append("\(body)")
            }
            told.append("\(row) \(parts.sorted())")
        }
        // A message may be given again with another fate.
        var last: [MessageID: MessageRow] = [:]
        for row in messages { last[row.id] = row }
        var commands: [CommandID: CommandRow] = [:]
        for row in self.commands { commands[row.id] = row }
        for row in last.values where row.side.isHad(by: peer) {
            let own = commands.values.filter { $0.message == row.id }
                .sorted { $0.position < $1.position }
                .map { command in
                    let changes = changes.filter { $0.command == command.id }.map(\.ccid)
                    return "\(command.name) \(command.channel ?? -1) \(command.at) \(Set(changes))"
                }
            // What waited for the rest of its message began earlier for its sender.
            told.append(
                "\(row.sender) \(row.opcode) \(row.payload) \(row.size) \(row.endedAt) "
                    + "\(row.closeCode ?? 0) \(own)")
        }
        // Offsets in the stream are counted from another byte where the sides differed before.
        return told.map { $0.replacing(/at byte \d+/, with: "at a byte") }.sorted()
    }
}
