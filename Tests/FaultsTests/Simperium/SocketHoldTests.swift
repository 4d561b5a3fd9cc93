import Framing
import Notation
import Testing
import Wire

@testable import Faults

/// Commands and messages that somebody decides about, over plain and compressed sockets and SockJS.
struct SocketHoldTests {
    private static let opening =
        #"0:init:{"name":"notes","clientid":"dev-1","api":"1.1","token":"t","app_id":"notes-app"}"#
    private static let change = #"0:c:{"id":"k","o":"M","v":{"a":{"o":"+","v":1}},"ccid":"c1"}"#

    private static func stage(
        _ way: SocketStage.Way, _ rule: String = "command:c sender:client => hold"
    ) throws -> SocketStage {
        var stage = try SocketStage(way, rules: [rule])
        stage.say(opening, from: .client)
        return stage
    }

    private static func decide(
        _ stage: inout SocketStage, _ id: Int64, _ decision: HoldDecision, isHeld: Bool = true,
        at location: SourceLocation = #_sourceLocation
    ) {
        let found = stage.gate.decide(
            HeldMessage.ID(id), decision, at: Instant(nanoseconds: 9), into: &stage.commands)
        #expect(found == isHeld, sourceLocation: location)
    }

    @Test(arguments: SocketStage.Way.all)
    func `its channel waits, and all else goes on`(way: SocketStage.Way) throws {
        var stage = try Self.stage(way)
        stage.say(Self.change, from: .client)
        stage.say("h:1", from: .client)
        stage.say("0:cv:aa", from: .client)
        stage.say("1:cv:bb", from: .client)
        stage.say("0:c:[]", from: .server)
        #expect(stage.heard(.client).texts == [Self.opening, "h:1", "1:cv:bb"])
        #expect(stage.heard(.server).texts == ["0:c:[]"])
        #expect(
            stage.gate.heldMessages.map { String(decoding: $0.bytes, as: UTF8.self) } == [
                Self.change
            ])
        Self.decide(&stage, 1, .release)
        stage.say("0:cv:cc", from: .client)
        #expect(
            stage.heard(.client).texts
                == [Self.opening, "h:1", "1:cv:bb", Self.change, "0:cv:aa", "0:cv:cc"])
        #expect(stage.heard(.client).problems == [])
        #expect(stage.accounted(.client) == stage.sent[0])
        #expect(
            stage.rows.map(\.action)
                == ["hold", "hold outcome=behind", "hold outcome=released"])
        Self.decide(&stage, 1, .release, isHeld: false)
    }

    @Test(arguments: SocketStage.Way.all)
    func `it is edited, dropped or answered`(way: SocketStage.Way) throws {
        let cases: [(HoldDecision, server: [String], client: [String])] = [
            (.edit(Array("0:c:{}".utf8)), ["0:c:{}"], []), (.drop, [], []),
            (.answer(Array("0:c:[1]".utf8)), [], ["0:c:[1]"]),
        ]
        for (decision, server, client) in cases {
            var stage = try Self.stage(way)
            stage.say(Self.change, from: .client)
            stage.say("0:cv:aa", from: .client)
            Self.decide(&stage, 1, decision)
            #expect(stage.heard(.client).texts == [Self.opening] + server + ["0:cv:aa"])
            #expect(stage.heard(.server).texts == client)
            #expect(stage.heard(.client).problems == [])
        }
    }

    @Test func `two of a channel keep their order, whichever is decided first`() throws {
        var stage = try Self.stage(SocketStage.Way())
        stage.say("0:c:{\"ccid\":\"1\"}", from: .client)
        stage.say("0:c:{\"ccid\":\"2\"}", from: .client)
        Self.decide(&stage, 2, .release)
        #expect(stage.heard(.client).texts == [Self.opening])
        Self.decide(&stage, 1, .release)
        #expect(
            stage.heard(.client).texts
                == [Self.opening, "0:c:{\"ccid\":\"1\"}", "0:c:{\"ccid\":\"2\"}"])
    }

    @Test func `it goes on by itself, or is lost with its sender`() throws {
        var stage = try Self.stage(SocketStage.Way(), "command:c => hold 1s")
        stage.say(Self.change, from: .client)
        #expect(stage.commands.contains(.wake(at: Instant(nanoseconds: 1_000_000_000))))
        stage.gate.wake(at: Instant(nanoseconds: 1_000_000_000), into: &stage.commands)
        #expect(stage.heard(.client).texts == [Self.opening, Self.change])
        stage.say(Self.change, from: .client, at: 2_000_000_000)
        stage.gate.ended(.client, at: Instant(nanoseconds: 2_000_000_001), into: &stage.commands)
        #expect(stage.heard(.client).texts == [Self.opening, Self.change])
        #expect(stage.rows.last?.action == "hold 1s outcome=left")
        #expect(stage.rows.last?.effect == .lost)
    }

    @Test(arguments: SocketStage.Way.all.filter { !$0.isSockJS })
    func `a message that is no command`(way: SocketStage.Way) throws {
        var stage = try SocketStage(way, rules: ["opcode:text \"say hello\" => hold"])
        stage.say("say hello", from: .server)
        stage.say("more", from: .server)
        stage.say("up", from: .client)
        #expect(stage.heard(.server).texts == [])
        #expect(stage.heard(.client).texts == ["up"])
        Self.decide(&stage, 1, .edit(Array("say bye".utf8)))
        #expect(stage.heard(.server).texts == ["say bye", "more"])
        #expect(stage.heard(.server).problems == [])
    }

    @Test func `much that is held stops the reading`() throws {
        var stage = try Self.stage(SocketStage.Way())
        for _ in 0..<40 {
            stage.say("0:c:" + String(repeating: "x", count: 30_000), from: .client)
        }
        #expect(stage.gate.holdsMuch(of: .client))
        #expect(!stage.gate.holdsMuch(of: .server))
        for id in 1...40 { Self.decide(&stage, Int64(id), .release) }
        #expect(!stage.gate.holdsMuch(of: .client))
        #expect(stage.heard(.client).texts.count == 41)
    }

    @Test(arguments: 0..<40)
    func `chance decides, and nothing is lost or overtakes its channel`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let way = SocketStage.Way.all[Int(seed) % SocketStage.Way.all.count]
        var stage = try Self.stage(way, "command:c sender:client => hold every=2")
        var expected: [Int: [String]] = [:]
        for number in 0..<60 {
            let channel = Int.random(in: 0..<3, using: &random)
            let text = "\(channel):c:{\"n\":\(number)}"
            expected[channel, default: []].append(text)
            stage.say(text, from: .client)
            let held = stage.gate.heldMessages
            if let one = held.randomElement(using: &random), Bool.random(using: &random) {
                Self.decide(&stage, one.id.rawValue, .release)
            }
        }
        while let one = stage.gate.heldMessages.randomElement(using: &random) {
            Self.decide(&stage, one.id.rawValue, .release)
        }
        #expect(stage.gate.holdings.isEmpty)
        let heard = stage.heard(.client)
        #expect(heard.problems == [])
        for (channel, texts) in expected {
            #expect(heard.texts.filter { $0.hasPrefix("\(channel):c") } == texts)
        }
        #expect(stage.accounted(.client) == stage.sent[0])
    }
}
