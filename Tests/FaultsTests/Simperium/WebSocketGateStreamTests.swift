import Framing
import Notation
import Testing
import Wire

@testable import Faults

/// Streams cut at random places.
struct WebSocketGateStreamTests {
    private static let words = [
        "h:1", "0:cv:a", #"0:c:{"id":"k","o":"M","v":{"a":{"o":"+","v":1}},"ccid":"c1"}"#,
        #"0:i:{"current":"x","index":[]}"#, "0:e:k.1", "0:index",
        #"0:c:[{"clientid":"x","id":"k","o":"M","v":{},"sv":4,"ev":5,"cv":"c","ccids":["z"]}]"#,
    ]
    private static let rules = [
        "command:c sender:server => drop probability=0.3",
        "command:cv => cv-unknown probability=0.5",
        "command:c sender:client => error 440 probability=0.5",
        "command:i sender:server => repeat probability=0.5",
        "command:c sender:server => compact probability=0.3",
        "command:c sender:server => version-gap probability=0.3",
        "sender:client command:e => reorder probability=0.5",
        "opcode:9 => drop probability=0.3", "command:h => send 0:index probability=0.3",
        "opcode:1 => repeat probability=0.1",
    ]

    /// What a peer says: some messages in fragments with pings between.
    private static func messages(
        _ stage: inout SocketStage, from sender: Peer, count: Int, _ draws: inout SplitMix64
    ) -> [[UInt8]] {
        (0..<count).map { _ in
            let texts = (0..<Int.random(in: 1...3, using: &draws)).map { _ in
                words.randomElement(using: &draws) ?? "h:1"
            }
            return stage.frames(
                stage.way.isSockJS ? texts : [texts[0]], from: sender,
                fragments: Int.random(in: 1...3, using: &draws),
                between: Bool.random(using: &draws) ? [1, 2, 3] : nil)
        }
    }

    @Test(arguments: SocketStage.Way.all)
    func `without a rule every chunk goes on as it came, at once`(_ way: SocketStage.Way) throws {
        var draws = SplitMix64(seed: 11)
        var stage = try SocketStage(way)
        for peer in Peer.allCases {
            var bytes = Self.messages(&stage, from: peer, count: 40, &draws).flatMap { $0 }
            while !bytes.isEmpty {
                let piece = Array(bytes.prefix(Int.random(in: 1...90, using: &draws)))
                bytes.removeFirst(piece.count)
                stage.commands = []
                stage.give(piece, from: peer)
                #expect(stage.commands == [.pass(sender: peer, piece)])
            }
        }
    }

    @Test(arguments: SocketStage.Way.all)
    func `with rules that match nothing all bytes go on as they came`(
        _ way: SocketStage.Way
    ) throws {
        var draws = SplitMix64(seed: 12)
        var stage = try SocketStage(way, rules: ["command:log => drop", "opcode:2 => drop"])
        for peer in Peer.allCases {
            var bytes = Self.messages(&stage, from: peer, count: 40, &draws).flatMap { $0 }
            while !bytes.isEmpty {
                let piece = Array(bytes.prefix(Int.random(in: 1...90, using: &draws)))
                bytes.removeFirst(piece.count)
                stage.give(piece, from: peer)
            }
            #expect(stage.delivered(peer) == stage.sent[peer.rawValue])
        }
        #expect(
            stage.commands.allSatisfy {
                switch $0 {
                case .pass, .wake: true
                default: false
                }
            })
    }

    @Test(arguments: SocketStage.Way.all, 0..<6)
    func `how a stream is cut changes nothing, and all can read it`(
        _ way: SocketStage.Way, _ seed: UInt64
    ) throws {
        var draws = SplitMix64(seed: seed)
        var whole = try SocketStage(way, rules: Self.rules, seed: seed)
        var cut = try SocketStage(way, rules: Self.rules, seed: seed)
        var single = try SocketStage(way, rules: Self.rules, seed: seed)
        for _ in 0..<30 {
            let peer = Peer.allCases.randomElement(using: &draws) ?? .client
            let bytes = Self.messages(&whole, from: peer, count: 2, &draws).flatMap { $0 }
            whole.give(bytes, from: peer)
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...40, using: &draws))
                cut.give(Array(piece), from: peer)
                rest = rest.dropFirst(piece.count)
            }
            for byte in bytes { single.give([byte], from: peer) }
        }
        for peer in Peer.allCases {
            for stage in [whole, cut, single] {
                #expect(stage.accounted(peer) == stage.sent[peer.rawValue])
                #expect(stage.heard(peer).problems == [])
                #expect(stage.said(peer).problems == [])
            }
            #expect(whole.delivered(peer) == cut.delivered(peer))
            #expect(whole.delivered(peer) == single.delivered(peer))
        }
        #expect(whole.rows == cut.rows)
        #expect(!whole.rows.isEmpty)
    }

    @Test(arguments: SocketStage.Way.all)
    func `a message longer than what waits goes on unjudged`(_ way: SocketStage.Way) throws {
        var stage = try SocketStage(way, rules: ["command:c sender:server => drop"])
        var draws = SplitMix64(seed: 3)
        let symbols = (0..<(3 << 19)).map { _ in UInt8.random(in: 0x30...0x7A, using: &draws) }
        let text = "0:c:" + String(decoding: symbols.filter { $0 != 0x5C }, as: UTF8.self)
        let bytes = stage.frames([text], from: .server)
        var rest = bytes[...]
        while !rest.isEmpty {
            stage.give(Array(rest.prefix(65_536)), from: .server)
            rest = rest.dropFirst(65_536)
        }
        let isSame = stage.delivered(.server) == bytes
        stage.say("0:c:[]", from: .server)
        let isStillSame = stage.delivered(.server) == bytes
        #expect(isSame && isStillSame)
        #expect(stage.rows.count == 1)
    }

    @Test
    func `a rule takes effect at the next message`() throws {
        var stage = try SocketStage(.init(compression: .init()))
        let first = stage.frames(["0:c:[]"], from: .server)
        stage.give(Array(first.prefix(3)), from: .server)
        try stage.session.add(FaultRule.parse("command:c => drop"))
        stage.give(Array(first.dropFirst(3)), from: .server)
        stage.say("0:c:[]", from: .server)
        stage.say("0:cv:?", from: .server)
        #expect(stage.heard(.server).texts == ["0:c:[]", "0:cv:?"])
        #expect(stage.heard(.server).problems == [])
    }

    @Test
    func `bytes that are no frames go on as they came`() throws {
        var stage = try SocketStage(rules: ["command:c => drop"])
        let bytes: [UInt8] = [0x81, 0x7F] + Array(repeating: 0xFF, count: 30)
        stage.give(bytes, from: .server)
        stage.give([1, 2, 3], from: .server)
        #expect(stage.delivered(.server) == bytes + [1, 2, 3])
        stage.give([0x81], from: .client)
        stage.gate.ended(.client, at: .zero, into: &stage.commands)
        #expect(stage.delivered(.client) == [0x81])
    }

    @Test
    func `long messages can be read after one was lost`() throws {
        var stage = try SocketStage(
            .init(compression: .init()), rules: ["command:c sender:server => drop first=1"])
        stage.say("0:c:[]", from: .server)
        let text = "0:c:" + String(repeating: "over and over ", count: 150_000)
        let bytes = stage.frames([text], from: .server, fragments: 3, between: [1])
        stage.give(Array(bytes.prefix(100)), from: .server)
        stage.give(Array(bytes.dropFirst(100)), from: .server)
        let isSame = stage.heard(.server).texts == [text]
        #expect(isSame)
        #expect(stage.heard(.server).controls == 1)
        #expect(stage.heard(.server).problems == [])
        #expect(stage.accounted(.server) == stage.sent[1])
    }

    @Test(arguments: SocketStage.Way.all, 0..<8)
    func `whatever comes goes out once`(_ way: SocketStage.Way, _ seed: UInt64) throws {
        var draws = SplitMix64(seed: seed)
        var stage = try SocketStage(way, rules: Self.rules, seed: seed)
        for round in 0..<120 {
            let peer = Peer.allCases.randomElement(using: &draws) ?? .client
            var bytes = Self.messages(&stage, from: peer, count: 1, &draws).flatMap { $0 }
            if Int.random(in: 0..<4, using: &draws) == 0, round > 20 {
                let place = Int.random(in: 0..<bytes.count, using: &draws)
                bytes[place] ^= UInt8.random(in: 1...255, using: &draws)
            }
            stage.give(bytes, from: peer, at: Int64(round))
            if round % 10 == 0 {
                let text = Firing(
                    rule: "fire", action: FaultAction(.send, ["text": .text("0:index")]),
                    scope: "", occurrence: 1, draw: seed)
                stage.gate.fire(text, at: .zero, into: &stage.commands)
            }
        }
        for peer in Peer.allCases {
            stage.gate.ended(peer, at: .zero, into: &stage.commands)
            #expect(stage.accounted(peer) == stage.sent[peer.rawValue])
        }
        stage.gate.wake(at: Instant(nanoseconds: .max), into: &stage.commands)
        #expect(stage.gate.postponed.isEmpty && stage.gate.joining.isEmpty)
    }

    @Test(arguments: SocketStage.Way.all)
    func `a ping between slow fragments does not wait for ever`(_ way: SocketStage.Way) throws {
        var stage = try SocketStage(way, rules: ["command:c => drop"])
        let bytes = stage.frames(["0:c:[]"], from: .server, fragments: 2, between: [1, 2])
        let last = bytes.count - 1
        stage.give(Array(bytes[..<last]), from: .server)
        #expect(stage.delivered(.server).isEmpty)
        let due = Instant(nanoseconds: 1_000_000_000)
        #expect(stage.commands == [.wake(at: due)])
        stage.gate.wake(at: due, into: &stage.commands)
        #expect(stage.delivered(.server) == Array(bytes[..<last]))
        stage.give(Array(bytes[last...]), from: .server)
        #expect(stage.delivered(.server) == bytes)
        stage.say("0:c:[]", from: .server)
        #expect(stage.delivered(.server) == bytes)
    }
}
