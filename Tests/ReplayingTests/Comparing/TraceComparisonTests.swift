import Notation
import Replaying
import Testing
import Wire

/// A recording made by hand.
private struct Recording {
    struct Exchange {
        var method = "GET"
        var host = "a.org"
        var path: String
        var query: String?
        var body = ""
        var status = 200
        var answer = ""
    }

    var exchanges: [Exchange] = []
    /// Socket, sender and text.
    var commands: [(Int64, Peer, String)] = []

    var compared: ComparedSession {
        let (list, texts) = (exchanges, commands)
        return ComparedSession(
            exchanges: RecordedExchanges(
                list.enumerated().map { index, exchange in
                    RecordedExchange(
                        id: ExchangeID(Int64(index + 1)), method: exchange.method,
                        host: exchange.host, path: exchange.path, query: exchange.query,
                        status: exchange.status, startedAt: second(Double(index)),
                        endedAt: second(Double(index) + 0.5), api: "http")
                }),
            commands: RecordedCommands(
                texts.enumerated().map { index, command in
                    RecordedCommand(
                        id: CommandID(Int64(index + 1)), socket: ConnectionID(command.0),
                        sender: command.1, at: second(Double(index)), text: bytes(command.2))
                })
        ) { id, peer in
            let exchange = list[Int(id.rawValue) - 1]
            return ReplayMessage(
                fields: peer == .server ? [.init("X-Kind", "a")] : [],
                body: bytes(peer == .client ? exchange.body : exchange.answer))
        } text: { id in
            bytes(texts[Int(id.rawValue) - 1].2)
        }
    }
}

private func items(
    _ a: Recording, _ b: Recording, _ options: TraceComparison.Options = .init()
) -> [ComparedItem] {
    var comparison = TraceComparison(a.compared, b.compared, options)
    var items: [ComparedItem] = []
    comparison.run { if case .item(let item) = $0 { items.append(item) } }
    return items
}

private func changes(
    _ a: Recording, _ b: Recording, _ options: TraceComparison.Options = .init()
) -> [String] {
    items(a, b, options).filter { $0.change.isDifference }.map { item in
        let places = item.differences.map { " \($0.part.rawValue) \($0.difference)" }.joined()
        let sides = [item.a, item.b].map { $0.map { String($0) } ?? "-" }.joined(separator: "|")
        return "\(item.change.rawValue) \(sides)\(places)"
    }
}

/// An identifier as programs make them.
private func uuid(_ random: inout SplitMix64) -> String {
    let name = random.name()
    return
        "\(name.prefix(8))-\(name.dropFirst(8).prefix(4))-4\(name.suffix(3))-a1b2-\(name.prefix(12))"
}

/// A session of some exchanges and two clients on a bucket, with keys drawn from `keys`.
private func session(_ random: inout SplitMix64, keys seed: UInt64 = 9) -> Recording {
    var keys = SplitMix64(seed: seed)
    var recording = Recording()
    for number in 0..<30 {
        let id = uuid(&keys)
        recording.exchanges.append(
            .init(
                method: number % 3 == 0 ? "POST" : "GET", path: "/things/\(number % 5)/\(id)",
                query: number % 2 == 0 ? "n=\(number)" : nil,
                body: number % 3 == 0 ? #"{"id":"\#(id)","value":\#(number)}"# : "",
                answer: #"{"id":"\#(id)","answer":\#(number % 7)}"#))
    }
    for socket in [Int64(1), 2] {
        recording.commands.append(
            (
                socket, .client,
                #"0:init:{"app_id":"app","name":"note","clientid":"c\#(socket)","token":"t","api":"1.1"}"#
            ))
        recording.commands.append((socket, .server, "0:auth:me@example.org"))
        for number in 0..<40 {
            let key = uuid(&keys)
            let value = number * 10 + Int(socket)
            recording.commands.append(
                (
                    socket, .client,
                    #"0:c:{"clientid":"c\#(socket)","id":"\#(key)","o":"M","v":{"n":{"o":"+","v":\#(value)}},"ccid":"\#(random.name())"}"#
                ))
            recording.commands.append(
                (
                    socket, .server,
                    #"0:c:[{"clientid":"c\#(socket)","id":"\#(key)","o":"M","v":{"n":{"o":"+","v":\#(value)}},"ev":1,"cv":"\#(random.name())","ccids":["\#(random.name())"]}]"#
                ))
        }
    }
    return recording
}

@Suite struct TraceComparisonTests {
    @Test func `a recording is the same as itself`() {
        var random = SplitMix64(seed: 1)
        for _ in 0..<10 {
            let recording = session(&random)
            let all = items(recording, recording)
            #expect(all.allSatisfy { $0.change == .same })
            #expect(all.count == recording.exchanges.count + recording.commands.count)
            #expect(changes(recording, recording, .init(isExact: true)).isEmpty)
        }
    }

    @Test func `identifiers made anew are taken for each other`() {
        var random = SplitMix64(seed: 2)
        let one = session(&random, keys: 1)
        let other = session(&random, keys: 2)
        #expect(changes(one, other).isEmpty)
        #expect(changes(one, other, .init(isExact: true)).count > 100)
    }

    @Test func `an identifier that is taken for two is found`() {
        var random = SplitMix64(seed: 2)
        let one = session(&random, keys: 1)
        var other = session(&random, keys: 2)
        // The answer speaks of the thing before.
        other.exchanges[4].answer = other.exchanges[4].answer.replacing(
            other.exchanges[4].path.suffix(36), with: other.exchanges[3].path.suffix(36))
        let found = items(one, other).filter { $0.change.isDifference }
        #expect(found.map(\.a) == [5] && found.map(\.b) == [5])
        #expect(found.first?.differences.map(\.difference.path) == ["/id"])
        #expect(found.first?.differences.map(\.part) == [.answer])
    }

    @Test func `what is removed, inserted or changed is found and pointed at`() {
        var random = SplitMix64(seed: 3)
        for _ in 0..<60 {
            let one = session(&random)
            var other = session(&random)
            let place = random.below(one.exchanges.count)
            let number = Int64(place + 1)
            switch random.below(4) {
            case 0:
                other.exchanges.remove(at: place)
                #expect(changes(one, other) == ["missing \(number)|-"])
            case 1:
                other.exchanges.insert(.init(path: "/other"), at: place)
                #expect(changes(one, other) == ["added -|\(number)"])
            case 2:
                other.exchanges[place].status = 503
                #expect(
                    changes(one, other) == [
                        "changed \(number)|\(number) answer status: recorded 200, received 503"
                    ])
            default:
                let old = #""answer":\#(place % 7)"#
                other.exchanges[place].answer.replace(old, with: #""answer":"x""#)
                #expect(
                    changes(one, other) == [
                        "changed \(number)|\(number) answer JSON /answer: "
                            + #"recorded \#(place % 7), received "x""#
                    ])
                let rule = try? IgnoreRule(parsing: "json:/answer")
                #expect(changes(one, other, .init(rules: [rule].compactMap(\.self))).isEmpty)
            }
        }
    }

    @Test func `commands that are removed, inserted or changed are found and pointed at`() {
        var random = SplitMix64(seed: 4)
        for _ in 0..<60 {
            let one = session(&random)
            var other = session(&random)
            // None that opens a channel.
            var place = random.below(one.commands.count)
            if place % 82 < 2 { place += 2 }
            let number = Int64(place + 1)
            switch random.below(3) {
            case 0:
                other.commands.remove(at: place)
                #expect(changes(one, other) == ["missing \(number)|-"])
            case 1:
                let (socket, sender, _) = other.commands[place]
                other.commands.insert((socket, sender, "0:cv:1"), at: place)
                #expect(changes(one, other) == ["added -|\(number)"])
            default:
                other.commands[place].2.replace(#""v":{"n""#, with: #""v":{"m""#)
                let found = items(one, other).filter { $0.change.isDifference }
                #expect(found.map(\.change) == [.changed])
                #expect(found.first?.a == number && found.first?.b == number)
            }
        }
    }

    @Test func `another order is told apart from other contents`() {
        let one = Recording(exchanges: [.init(path: "/a"), .init(path: "/b"), .init(path: "/c")])
        var other = one
        other.exchanges.swapAt(0, 2)
        #expect(items(one, other).allSatisfy { $0.change == .same || $0.change == .moved })
        #expect(items(one, other).contains { $0.change == .moved })
    }

    @Test func `hosts of another name are taken for each other`() {
        let one = Recording(exchanges: [
            .init(host: "a.org:1", path: "/"), .init(host: "b.org:2", path: "/"),
        ])
        var other = one
        other.exchanges[0].host = "a.org:3"
        #expect(changes(one, other).isEmpty)
        other.exchanges[1].host = "a.org:3"
        #expect(!changes(one, other).isEmpty)
    }

    @Test func `channels are paired by client and by what they say`() {
        var random = SplitMix64(seed: 7)
        let one = session(&random)
        var other = session(&random)
        // The second socket comes first.
        let half = other.commands.count / 2
        other.commands = Array(other.commands[half...] + other.commands[..<half])
        #expect(changes(one, other).isEmpty)
        var renamed = other
        for index in renamed.commands.indices {
            for (old, new) in [("\"c1\"", "\"x1\""), ("\"c2\"", "\"x2\"")] {
                renamed.commands[index].2.replace(old, with: new)
            }
        }
        #expect(changes(one, renamed).isEmpty)
    }

    @Test func `compares durations side by side`() throws {
        let one = Recording(exchanges: [.init(path: "/a"), .init(path: "/b")])
        var comparison = TraceComparison(one.compared, one.compared)
        comparison.run { _ in }
        let timing = TimingComparison(
            one.compared, one.compared, pairs: comparison.exchangePairs)
        let row = try #require(timing.rows.first)
        #expect(timing.rows.count == 1 && row.api == "http" && row.a == row.b)
        #expect(row.a.count == 2 && row.a.median == 500_000_000 && row.a.p95 == 500_000_000)
        #expect(timing.shifts.allSatisfy { $0.before == $0.after })
    }

    // MARK: Connections that are opened again

    /// A client that makes three changes, and is cut off after `sent` of them were sent and
    /// `acknowledged` of them answered, which it then sends again or fetches.
    private func reconnection(
        sent: Int, acknowledged: Int, asksTwice: Bool = false, last: Int = 3, doubles: Bool = false
    ) -> Recording {
        var recording = Recording()
        let opening = """
            0:init:{"name":"notes","clientid":"client","app_id":"app","api":"1.1","token":"t"}
            """
        func change(_ number: Int) -> String {
            """
            0:c:{"id":"k","o":"M","ccid":"ccid-\(number)","v":{"n":{"o":"r","v":\(number)}}}
            """
        }
        func made(_ numbers: ClosedRange<Int>) -> String {
            let elements = numbers.map {
                """
                {"id":"k","o":"M","ccids":["ccid-\($0)"],"cv":"cv-\($0)","ev":\($0),\
                "v":{"n":{"o":"r","v":\($0)}}}
                """
            }
            return "0:c:[\(elements.joined(separator: ","))]"
        }
        recording.commands = [(1, .client, opening), (1, .server, "0:auth:ada")]
        recording.commands += [(1, .client, "0:i:1:::10"), (1, .server, #"0:i:{"index":[]}"#)]
        for number in 1...3 where number <= sent {
            recording.commands.append((1, .client, change(number)))
            if doubles, number == 1 { recording.commands.append((1, .client, change(number))) }
            guard number <= acknowledged else { continue }
            recording.commands.append((1, .server, made(number...number)))
        }
        recording.commands += [(2, .client, opening), (2, .server, "0:auth:ada")]
        recording.commands.append((2, .client, "0:cv:cv-\(acknowledged)"))
        // The server had what was sent.
        recording.commands.append(
            (2, .server, acknowledged < sent ? made((acknowledged + 1)...sent) : "0:c:[]"))
        if asksTwice {
            recording.commands.append((2, .client, "0:cv:cv-\(sent)"))
            recording.commands.append((2, .server, "0:c:[]"))
        }
        for number in 1...3 where number > acknowledged {
            recording.commands.append((2, .client, change(number == 3 ? last : number)))
            let answer =
                number <= sent
                ? #"0:c:[{"id":"k","ccids":["ccid-\#(number)"],"error":409}]"#
                : made(number...number)
            recording.commands.append((2, .server, answer))
        }
        return recording
    }

    @Test(arguments: 0...2, 0...2)
    func `where a connection was cut is no difference`(sent: Int, acknowledged: Int) {
        let whole = reconnection(sent: 2, acknowledged: 2)
        let other = reconnection(
            sent: max(sent, acknowledged), acknowledged: acknowledged, asksTwice: sent == 1)
        #expect(changes(whole, other) == [])
        #expect(changes(other, whole) == [])
    }

    @Test func `what was sent only once or twice, or another value, is one`() {
        let whole = reconnection(sent: 2, acknowledged: 1)
        let doubled = reconnection(sent: 2, acknowledged: 1, doubles: true)
        #expect(changes(whole, doubled).count == 1)
        #expect(changes(whole, reconnection(sent: 2, acknowledged: 1, last: 7)).isEmpty == false)
        // A connection more.
        var more = whole
        more.commands.append(
            (3, .client, #"0:init:{"name":"notes","clientid":"client","app_id":"app","token":"t"}"#)
        )
        #expect(changes(whole, more).count == 1)
        // As it was sent, it is all different.
        let exact = changes(
            whole, reconnection(sent: 1, acknowledged: 1), .init(isExact: true))
        #expect(exact.isEmpty == false)
    }
}
