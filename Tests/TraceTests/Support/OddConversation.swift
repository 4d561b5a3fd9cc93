import Notation
import Wire

/// A conversation as odd as peers can make one, from a seed: records whose chunks may be cut in any
/// way.
struct OddConversation {
    /// One thing that happens.
    enum Step {
        case detail(Peer, [UInt8], Chunk.Origin)
        case happens(EventRow.Kind, Peer)
    }

    private(set) var steps: [Step] = []
    private(set) var mode = ConnectionRow.Mode.reverse
    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        mode = chance(3) ? .forward : .reverse
        if chance(4) { happens(.tls, .client) }
        talk(depth: 0)
        if chance(2) { happens(.ended, chance(2) ? .client : .server) }
        let first: Peer = chance(2) ? .client : .server
        if chance(5) { detail(first, "HTTP/1.1 ") }
        happens(.closed, first)
        if chance(4) { detail(first == .client ? .server : .client, "late") }
        happens(.closed, first == .client ? .server : .client)
    }

    private mutating func chance(_ one: Int) -> Bool {
        Int.random(in: 0..<one, using: &random) == 0
    }

    private mutating func pick(_ texts: [String]) -> String {
        texts[Int.random(in: 0..<texts.count, using: &random)]
    }

    private mutating func detail(_ peer: Peer, _ text: String, _ origin: Chunk.Origin = .peer) {
        steps.append(.detail(peer, Array(text.utf8), origin))
    }

    private mutating func happens(_ kind: EventRow.Kind, _ peer: Peer) {
        steps.append(.happens(kind, peer))
    }

    private mutating func talk(depth: Int) {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: broken()
            case 1: return tunnel(depth: depth)
            case 2: if upgrade() { return }
            case 3: pipelined()
            default: exchange()
            }
        }
    }

    private static let answers = [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX: y\r\n\r\n",
        "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 201 Made\r\nContent-Length: 1\r\n\r\n!",
        "HTTP/1.1 400 Bad Request\r\nContent-Type: text/xml\r\nContent-Length: 8\r\n\r\n<a><b/><",
    ]

    private static let requests = [
        "GET /a?b=c HTTP/1.1\r\nHost: o.example\r\n\r\n",
        "HEAD http://o.example/a HTTP/1.1\r\nHost: o.example\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: o.example:81\r\nContent-Length: 5\r\n\r\nhello",
        "PUT /a HTTP/1.1\r\nHost: o\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\n\r\n",
        "POST /a/d/receiver/ HTTP/1.1\r\nHost: o\r\nContent-Type: text/xml\r\nContent-Length: 23\r\n\r\n<data xmlns='f'></data>",
    ]

    private mutating func exchange() {
        let request = pick(Self.requests)
        let end = chance(6) ? request.utf8.count / 2 : request.utf8.count
        steps.append(.detail(.client, Array(request.utf8.prefix(end)), .peer))
        if chance(8) { detail(.server, pick(Self.answers)) }
        steps.append(.detail(.client, Array(request.utf8.dropFirst(end)), .peer))
        guard !chance(10) else { return }
        detail(.server, pick(Self.answers), chance(6) ? .tapedeck : .peer)
        if chance(10) { detail(.server, pick(Self.answers)) }
    }

    private mutating func pipelined() {
        let count = Int.random(in: 2...4, using: &random)
        for _ in 0..<count { detail(.client, pick(Self.requests)) }
        for _ in 0..<count { detail(.server, pick(Self.answers)) }
    }

    private mutating func broken() {
        detail(
            .client,
            pick([
                "POST /x HTTP/1.1\r\nHost: o\r\nContent-Length: -5\r\n\r\n",
                "POST /x HTTP/1.1\r\nHost: o\r\nContent-Length: abc\r\n\r\nabc",
                "POST /x HTTP/1.1\r\nHost: o\r\nContent-Length: 1\r\n\r\nabcdef\r\n\r\n",
                "POST /x HTTP/1.1\r\nHost: o\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n",
                "PI\u{1}NG\r\n\r\n", "what is this?\r\n\r\n", "GET /never-ends HTTP/1.1\r\nHost",
                "\r\n\r\n\rX", "GET\r\n",
            ]))
        if chance(2) { detail(.server, "HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nno") }
        if chance(4) { detail(.server, "garbage\r\n") }
    }

    /// - Returns: Whether another protocol follows.
    private mutating func upgrade() -> Bool {
        let name = pick(["websocket", "h2c", "x"])
        detail(
            .client,
            "GET /sock HTTP/1.1\r\nHost: o\r\nConnection: Upgrade\r\nUpgrade: \(name)\r\n\r\n")
        if chance(2) {
            steps.append(.detail(.client, [0x81, 0x82, 1, 2, 3, 4, 0x69, 0x6B], .peer))
        }
        guard chance(2) else {
            detail(.server, pick(Self.answers))
            return false
        }
        detail(
            .server,
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: \(name)\r\n\r\n")
        steps.append(.detail(.server, [0x81, 2, 0x68, 0x69, 0x88, 0], .peer))
        steps.append(.detail(.client, [0x81, 0x82, 1, 2, 3, 4, 0x69, 0x6B, 0xFF, 0xFF], .peer))
        return true
    }

    private mutating func tunnel(depth: Int) {
        detail(.client, "CONNECT o.example:443 HTTP/1.1\r\nHost: o.example:443\r\n\r\n")
        let begins = chance(4)
        if begins { detail(.client, "GET /early HTTP/1.1\r\nHost: o.example\r\n\r\n") }
        guard !chance(4) else {
            detail(.server, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            if begins { detail(.server, pick(Self.answers)) }
            return
        }
        detail(.server, "HTTP/1.1 200 Connected\r\n\r\n", chance(2) ? .tapedeck : .peer)
        if begins { detail(.server, pick(Self.answers)) }
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            happens(.raw, .client)
            steps.append(.detail(.client, [0x16, 3, 1, 0, 5, 1, 2, 3, 4, 5], .peer))
            steps.append(.detail(.server, [0x16, 3, 1, 0, 1, 9], .peer))
        case 1: steps.append(.detail(.client, [0, 1, 2, 3], .peer))
        case 2:
            happens(.tls, .client)
            happens(.tls, .server)
            if depth < 3 { talk(depth: depth + 1) }
        default: if depth < 3 { talk(depth: depth + 1) }
        }
    }

    /// The records, with chunks of at most `longest` bytes; nil for one chunk a step.
    func records(_ number: Int64, longest: Int?, seed: UInt64) -> [Record] {
        let connection = ConnectionID(number)
        let (client, server) = (LegID(2 * number), LegID(2 * number + 1))
        var cuts = SplitMix64(seed: seed)
        // Time does not depend on how the bytes are cut.
        var at: Int64 = 0
        var records: [Record] = [
            .connection(
                ConnectionRow(
                    id: connection, at: .zero, listener: "127.0.0.1:1", client: "127.0.0.1:2",
                    mode: mode)),
            .leg(
                LegRow(
                    id: client, connection: connection, peer: .client, at: .zero,
                    host: "127.0.0.1", port: 2)),
            .leg(
                LegRow(
                    id: server, connection: connection, peer: .server, at: .zero,
                    host: "o.example", port: 80, isTLS: number % 2 == 0)),
        ]
        for step in steps {
            at += 1_000
            let instant = Instant(nanoseconds: at)
            switch step {
            case .happens(let kind, let peer):
                records.append(
                    .event(
                        EventRow(
                            kind, connection: connection, leg: peer == .client ? client : server,
                            at: instant, detail: kind == .closed ? "closed" : "")))
            case .detail(let peer, let bytes, let origin):
                var rest = bytes[...]
                while !rest.isEmpty {
                    let most = longest.map { Int.random(in: 1...$0, using: &cuts) } ?? rest.count
                    records.append(
                        .chunk(
                            Chunk(
                                connection: connection,
                                leg: peer == .client || origin == .tapedeck ? client : server,
                                sender: peer, origin: origin, at: instant,
                                bytes: Array(rest.prefix(most)))))
                    rest = rest.dropFirst(most)
                }
            }
        }
        return records
    }
}
