import Framing
import Testing
import Wire

@testable import Faults

/// One rule, what is said, and what the other side then hears.
struct SocketPlay: Sendable, CustomTestStringConvertible {
    let rule: String
    let said: [(Peer, String)]
    let toServer: [String]
    let toClient: [String]
    var wakesAt: Int64?

    var testDescription: String { rule }
}

private let opening =
    #"0:init:{"name":"notes","clientid":"dev-1","api":"1.1","token":"t","app_id":"notes-app"}"#
private let otherOpening =
    #"1:init:{"name":"tags","clientid":"dev-2","api":"1.1","token":"t","app_id":"notes-app"}"#
private let asking =
    #"0:init:{"name":"notes","cmd":"cv:aa","clientid":"dev-1","token":"t","app_id":"notes-app"}"#
private let unasked =
    #"0:init:{"name":"notes","clientid":"dev-1","token":"t","app_id":"notes-app"}"#
private let reading = #"0:init:{"name":"notes","clientid":"dev-1", "cmd":"i:1:::50"}"#
private let welcome = "0:auth:a@b.example"
private let edit = #"0:c:{"id":"k","o":"M","v":{"a":{"o":"+","v":1}},"ccid":"c1"}"#
private let second = #"0:c:{"id":"k","o":"M","v":{"b":{"o":"+","v":2}},"ccid":"c2","sv":1}"#
private let ack =
    #"0:c:[{"clientid":"dev-1","id":"k","o":"M","v":{"a":{"o":"+","v":1}},"ev":1,"cv":"aa","ccids":["c1"]}]"#
private let ack2 =
    #"0:c:[{"clientid":"dev-1","id":"k","o":"M","v":{"b":{"o":"+","v":2}},"sv":1,"ev":2,"cv":"bb","ccids":["c2"]}]"#
private let typed =
    #"0:c:[{"clientid":"x","id":"k","o":"M","v":{"s":{"o":"d","v":"=1\t+x"}},"sv":4,"ev":5,"cv":"cc","ccids":["z"]}]"#
private let page = #"0:i:{"current": "p1", "index": [{"id": "k", "v": 1}], "mark": "m"}"#

private let plays: [SocketPlay] = [
    SocketPlay(
        rule: "command:c sender:client => error 440", said: [(.client, opening), (.client, edit)],
        toServer: [opening],
        toClient: [#"0:c:[{"ccids":["c1"],"id":"k","clientid":"dev-1","error":440}]"#]),
    SocketPlay(
        rule: "command:c sender:client => error 440 as=string nth=2",
        said: [(.client, opening), (.client, edit), (.client, second)],
        toServer: [opening, edit],
        toClient: [#"0:c:[{"ccids":["c2"],"id":"k","clientid":"dev-1","error":"440"}]"#]),
    SocketPlay(
        rule: "command:c sender:client => error 503 forwarded=true",
        said: [(.client, opening), (.client, edit), (.server, ack), (.server, ack2)],
        toServer: [opening, edit],
        toClient: [#"0:c:[{"ccids":["c1"],"id":"k","clientid":"dev-1","error":503}]"#, ack2]),
    SocketPlay(
        rule: "command:c sender:client => error 440 nth=2 per=client",
        said: [
            (.client, opening), (.client, otherOpening), (.client, edit),
            (.client, "1" + edit.dropFirst()), (.client, second),
        ],
        toServer: [opening, otherOpening, edit, "1" + edit.dropFirst()],
        toClient: [#"0:c:[{"ccids":["c2"],"id":"k","clientid":"dev-1","error":440}]"#]),
    SocketPlay(
        rule: "command:cv => cv-unknown first=1",
        said: [(.client, "0:cv:aa"), (.client, "0:cv:bb")],
        toServer: ["0:cv:bb"], toClient: ["0:cv:?"]),
    SocketPlay(
        rule: "command:cv => change-unknown", said: [(.client, "3:cv:aa")], toServer: [],
        toClient: ["3:c:?"]),
    SocketPlay(
        rule: "command:cv => cv-unknown first=1",
        said: [(.client, asking), (.server, welcome), (.client, "0:cv:bb"), (.server, welcome)],
        toServer: [unasked, "0:cv:bb"], toClient: [welcome, "0:cv:?", welcome]),
    SocketPlay(
        rule: "command:cv => change-unknown", said: [(.client, asking), (.server, welcome)],
        toServer: [unasked], toClient: [welcome, "0:c:?"]),
    SocketPlay(
        rule: "command:cv => cv-unknown",
        said: [(.client, asking), (.server, #"0:auth:{"code":401}"#), (.server, welcome)],
        toServer: [unasked], toClient: [#"0:auth:{"code":401}"#, welcome]),
    SocketPlay(
        rule: "command:i sender:client => send 0:index",
        said: [(.client, opening), (.client, reading)], toServer: [opening, reading],
        toClient: ["0:index"]),
    SocketPlay(
        rule: "command:e => entity-unknown", said: [(.client, "0:e:a.b.3")], toServer: [],
        toClient: ["0:e:a.b.3\n?"]),
    SocketPlay(
        rule: "command:init => auth-failure", said: [(.client, opening)], toServer: [],
        toClient: [#"0:auth:{"msg":"Token invalid","code":401}"#]),
    SocketPlay(
        rule: "command:init => auth-failure 400", said: [(.client, opening)], toServer: [],
        toClient: [#"0:auth:{"msg":"Token malformed","code":400}"#]),
    SocketPlay(
        rule: "command:init => auth-expired", said: [(.client, opening)], toServer: [],
        toClient: ["0:auth:expired", #"0:auth:{"msg":"Token invalid","code":401}"#]),
    SocketPlay(
        rule: "command:i sender:server => drop", said: [(.client, "0:i::::1"), (.server, page)],
        toServer: ["0:i::::1"], toClient: []),
    SocketPlay(
        rule: "command:i sender:server => repeat count=2", said: [(.server, page)], toServer: [],
        toClient: [page, page, page]),
    SocketPlay(
        rule: "command:i sender:server => move-current to=p2", said: [(.server, page)],
        toServer: [],
        toClient: [#"0:i:{"current": "p2", "index": [{"id": "k", "v": 1}], "mark": "m"}"#]),
    SocketPlay(
        rule: "command:c sender:server => drop nth=1", said: [(.server, ack), (.server, ack2)],
        toServer: [], toClient: [ack2]),
    SocketPlay(
        rule: "command:c sender:server => repeat nth=1", said: [(.server, ack), (.server, ack2)],
        toServer: [], toClient: [ack, ack, ack2]),
    SocketPlay(
        rule: "command:c sender:server => reorder nth=1",
        said: [(.server, ack), (.server, "1:c:[]"), (.server, ack2)], toServer: [],
        toClient: ["1:c:[]", ack2, ack]),
    SocketPlay(
        rule: "command:c sender:server => reorder nth=1", said: [(.server, ack)], toServer: [],
        toClient: [ack], wakesAt: 5_000_000_000),
    SocketPlay(
        rule: "command:c sender:server => version-gap by=3", said: [(.server, ack2)],
        toServer: [],
        toClient: [
            #"0:c:[{"clientid":"dev-1","id":"k","o":"M","v":{"b":{"o":"+","v":2}},"sv":4,"ev":5,"cv":"bb","ccids":["c2"]}]"#
        ]),
    SocketPlay(
        rule: "command:c sender:server => compact", said: [(.server, ack), (.server, ack2)],
        toServer: [],
        toClient: [
            #"0:c:[{"clientid":"dev-1","id":"k","o":"M","v":{"a":{"o":"+","v":1},"b":{"o":"+","v":2}},"ev":2,"cv":"bb","ccids":["c1","c2"]}]"#
        ]),
    SocketPlay(
        rule: "command:c sender:server => compact count=3 nth=1",
        said: [(.server, ack), (.server, typed)], toServer: [],
        toClient: [
            "0:c:[" + ack.dropFirst(5).dropLast() + "," + typed.dropFirst(5)
        ], wakesAt: 5_000_000_000),
    SocketPlay(
        rule: "command:c sender:server => malformed-delta", said: [(.server, typed)], toServer: [],
        toClient: [
            #"0:c:[{"clientid":"x","id":"k","o":"M","v":{"s":{"o":"d","v":"=1000000\t=1\t+x"}},"sv":4,"ev":5,"cv":"cc","ccids":["z"]}]"#
        ]),
    SocketPlay(
        rule: "command:c sender:server => malformed-delta", said: [(.server, ack)], toServer: [],
        toClient: [
            #"0:c:[{"clientid":"dev-1","id":"k","o":"M","v":{"a":{"o":"d","v":"=1000000"}},"ev":1,"cv":"aa","ccids":["c1"]}]"#
        ]),
    SocketPlay(
        rule: "command:h sender:client => drop", said: [(.client, "h:1"), (.client, "0:i::::1")],
        toServer: ["0:i::::1"], toClient: []),
    SocketPlay(
        rule: "command:h sender:server => wrong-heartbeat by=5", said: [(.server, "h:2")],
        toServer: [], toClient: ["h:7"]),
    SocketPlay(
        rule: "command:c sender:server => unknown-channel", said: [(.server, "0:c:[]")],
        toServer: [], toClient: ["9999:c:[]"]),
    SocketPlay(
        rule: "command:init sender:client => send 0:index",
        said: [(.client, opening), (.server, welcome)], toServer: [opening],
        toClient: ["0:index", welcome]),
    SocketPlay(
        rule: "command:auth => send h:9 to=server", said: [(.client, opening), (.server, welcome)],
        toServer: [opening, "h:9"], toClient: [welcome]),
    SocketPlay(
        rule: "command:auth => send log:1 after=2s", said: [(.server, welcome)], toServer: [],
        toClient: [welcome, "log:1"], wakesAt: 2_000_000_000),
    SocketPlay(
        rule: "command:cv => cv-unknown after=1s", said: [(.client, "0:cv:a")], toServer: [],
        toClient: ["0:cv:?"], wakesAt: 1_000_000_000),
    SocketPlay(
        rule: "command:cv => repeat count=2 after=1s", said: [(.client, "0:cv:a")],
        toServer: ["0:cv:a", "0:cv:a", "0:cv:a"], toClient: [], wakesAt: 1_000_000_000),
    SocketPlay(
        rule: "body~welcome opcode:1 => repeat after=1s", said: [(.server, "0:auth:welcome")],
        toServer: [], toClient: ["0:auth:welcome", "0:auth:welcome"], wakesAt: 1_000_000_000),
    SocketPlay(
        rule: "bucket:notes app:notes-app clientid:dev-1 key:k ccid:c1 sender:server => drop",
        said: [(.client, opening), (.server, ack), (.server, ack2)], toServer: [opening],
        toClient: [ack2]),
]

struct WebSocketGateTests {
    @Test(arguments: plays, SocketStage.Way.all)
    func `does to commands what the rule says`(_ play: SocketPlay, _ way: SocketStage.Way) throws {
        var stage = try SocketStage(way, rules: [play.rule])
        for (sender, text) in play.said { stage.say(text, from: sender) }
        if let at = play.wakesAt {
            let due = Instant(nanoseconds: at)
            #expect(stage.commands.contains(.wake(at: due)))
            stage.gate.wake(at: Instant(nanoseconds: at - 1), into: &stage.commands)
            stage.gate.wake(at: due, into: &stage.commands)
        }
        // Traffic goes on, and everybody can still read it.
        for _ in 0..<2 {
            stage.say("5:x:still here, still here", from: .client)
            stage.say("5:y:still here, still here", from: .server)
        }
        let more = Array(repeating: "5:x:still here, still here", count: 2)
        let others = Array(repeating: "5:y:still here, still here", count: 2)
        for peer in Peer.allCases {
            #expect(stage.accounted(peer) == stage.sent[peer.rawValue])
            #expect(stage.heard(peer).problems == [])
            #expect(stage.said(peer).problems == [])
        }
        #expect(stage.heard(.client).texts == play.toServer + more)
        #expect(stage.heard(.server).texts == play.toClient + others)
        for (peer, last) in [(Peer.client, more), (.server, others)] {
            let said = play.said.filter { $0.0 == peer }.map(\.1)
            #expect(stage.said(peer).texts == said + last)
        }
        #expect(!stage.rows.isEmpty)
        #expect(stage.rows.allSatisfy { $0.connection == ConnectionID(7) })
    }

    @Test(arguments: SocketStage.Way.all)
    func `gives an acknowledgement identifiers that nobody knows`(_ way: SocketStage.Way) throws {
        var stage = try SocketStage(way, rules: ["command:c sender:server => foreign-ccids"])
        stage.say(ack, from: .server)
        let heard = stage.heard(.server)
        #expect(heard.problems == [])
        #expect(heard.texts.count == 1 && !heard.texts[0].contains("c1\""))
        #expect(heard.texts[0].hasPrefix(String(ack.prefix(60))))
        var again = try SocketStage(way, rules: ["command:c sender:server => foreign-ccids"])
        again.say(ack, from: .server)
        #expect(again.heard(.server).texts == heard.texts)
    }

    @Test(arguments: ["version-gap", "foreign-ccids", "unknown-channel", "latency 0s"])
    func `what is changed later waits`(_ action: String) throws {
        var stage = try SocketStage(rules: ["command:c sender:server => \(action) after=2s"])
        stage.give(stage.frames([ack2], from: .server), from: .server, at: 1_000_000_000)
        #expect(
            stage.commands.contains(
                .hold(sender: .server, until: Instant(nanoseconds: 3_000_000_000))))
    }

    @Test(arguments: ["command:cv", "opcode:1"])
    func `what is dropped ends the connection later`(_ filter: String) throws {
        var stage = try SocketStage(rules: ["\(filter) => drop close after=2s"])
        stage.say("0:cv:a", from: .client)
        let due = Instant(nanoseconds: 2_000_000_000)
        #expect(stage.commands.contains(.wake(at: due)))
        #expect(!stage.commands.contains(.close(isReset: false)))
        stage.gate.wake(at: due, into: &stage.commands)
        #expect(stage.commands.last == .close(isReset: false))
        #expect(stage.rows.count == 1)
    }

    @Test(arguments: SocketStage.Way.all)
    func `holds a message back for the time the rule says`(_ way: SocketStage.Way) throws {
        var stage = try SocketStage(
            way, rules: ["command:c sender:server => latency 300ms jitter=50ms"])
        stage.say("0:auth:a", from: .server)
        let bytes = stage.frames([ack], from: .server)
        stage.give(bytes, from: .server, at: 1_000_000_000)
        guard case .hold(.server, let until) = stage.commands.dropLast().last else {
            Issue.record("nothing is held")
            return
        }
        #expect((1_250_000_000...1_350_000_000).contains(until.nanoseconds))
        #expect(stage.commands.last == .pass(sender: .server, bytes))
    }

    @Test(arguments: SocketStage.Way.all)
    func `ends a WebSocket with a close message`(_ way: SocketStage.Way) throws {
        var stage = try SocketStage(
            way, rules: ["command:c sender:client => close-code 1012 reason=restart"])
        stage.say("0:cv:a", from: .client)
        stage.say(edit, from: .client)
        stage.say("0:cv:b", from: .client)
        stage.say(ack, from: .server)
        #expect(stage.heard(.client).texts == ["0:cv:a"])
        #expect(stage.heard(.client).closes == [1012])
        #expect(stage.heard(.server).closes == [way.isSockJS ? 1000 : 1012])
        #expect(
            stage.heard(.server).texts == (way.isSockJS ? [#"? c[1012,"restart"]"#] : []))
        for peer in Peer.allCases {
            #expect(stage.accounted(peer) == stage.sent[peer.rawValue])
            #expect(stage.heard(peer).problems == [])
        }
    }

    @Test(arguments: SocketStage.Way.all)
    func `fires between messages alone`(_ way: SocketStage.Way) throws {
        var stage = try SocketStage(way)
        let bytes = stage.frames(["0:c:[]"], from: .server, fragments: 2, between: [1, 2])
        stage.give(Array(bytes.prefix(5)), from: .server)
        let index = Firing(
            rule: "fire", action: FaultAction(.send, ["text": .text("0:index")]), scope: "",
            occurrence: 1, draw: 5)
        stage.gate.fire(index, at: .zero, into: &stage.commands)
        #expect(!stage.commands.contains { if case .make = $0 { true } else { false } })
        stage.give(Array(bytes.dropFirst(5)), from: .server)
        let toServer = Firing(
            rule: "fire",
            action: FaultAction(.send, ["text": .text("0:i::::1"), "to": .text("server")]),
            scope: "", occurrence: 1, draw: 5)
        stage.gate.fire(toServer, at: .zero, into: &stage.commands)
        #expect(stage.heard(.server).texts == ["0:c:[]", "0:index"])
        #expect(stage.heard(.server).problems == [])
        #expect(stage.heard(.client).texts == ["0:i::::1"])
        #expect(stage.heard(.client).problems == [])
    }

    @Test
    func `acts on connections and leaves speed to the shaper`() throws {
        var stage = try SocketStage(rules: [
            "command:c sender:client => bandwidth 100", "command:c sender:client => half-close",
            "command:c sender:client => reset",
        ])
        stage.say(edit, from: .client)
        #expect(stage.gate.takeShaping().map(\.action.kind) == [.bandwidth])
        #expect(stage.gate.takeShaping().isEmpty)
        #expect(stage.commands.contains(.end(sender: .server)))
        #expect(stage.commands.last == .close(isReset: true))
        #expect(stage.heard(.client).texts == [])
        #expect(stage.rows.count == 3)
    }

    @Test(arguments: SocketStage.Way.all)
    func `drops and doubles messages that are no commands`(_ way: SocketStage.Way) throws {
        var stage = try SocketStage(
            way, rules: ["opcode:9 => drop first=1", "opcode:10 => repeat", "opcode:9 => reorder"])
        for payload: UInt8 in 1...2 {
            stage.give(stage.control(.ping, [payload], from: .client), from: .client)
        }
        stage.give(stage.control(.pong, [3], from: .client), from: .client)
        let heard = stage.read(stage.delivered(.client), from: .client)
        #expect(heard.controls == 3)
        #expect(heard.problems == [])
        #expect(stage.accounted(.client) == stage.sent[0])
    }

    @Test
    func `opens no gap where nothing could show it`() throws {
        let removal =
            #"0:c:[{"clientid":"x","id":"k","o":"-","sv":4,"ev":5,"cv":"cc","ccids":["z"]}]"#
        var stage = try SocketStage(rules: ["command:c sender:server => version-gap"])
        stage.say(ack, from: .server)
        stage.say(removal, from: .server)
        #expect(stage.heard(.server).texts == [ack, removal])
        #expect(stage.rows.map(\.isDone) == [false, false])
    }

    @Test
    func `counts by the client that opened the channel`() throws {
        let rule = "command:c sender:client => error 440 first=1 per=client"
        var stage = try SocketStage(rules: [rule])
        for _ in 0..<2 {
            stage.say(opening, from: .client)
            stage.say(edit, from: .client)
            // Another connection of the same client.
            stage.gate = WebSocketGate(
                GateContext(
                    connection: ConnectionID(8), session: SessionID(1), client: "127.0.0.2"),
                path: "/sock/1/notes-app/websocket", compression: nil, session: stage.session)
        }
        #expect(stage.rows.map(\.scope) == ["dev-1"])
        #expect(stage.heard(.client).texts == [opening, opening, edit])
    }

    @Test
    func `is stated before the bytes that it is about`() throws {
        var stage = try SocketStage(
            .init(isSockJS: true), rules: ["command:cv => cv-unknown name=expired"])
        stage.say("0:cv:a", from: .client, at: 5)
        let row = try #require(stage.rows.first)
        #expect(row.rule == "expired" && row.action == "cv-unknown")
        #expect(row.at == Instant(nanoseconds: 5) && row.sender == .client)
        #expect(row.effect == .answered && row.position == 0)
        guard case .fault = stage.commands[0], case .keep = stage.commands[1],
            case .make(.server, _) = stage.commands[2]
        else {
            Issue.record("in another order: \(stage.commands)")
            return
        }
    }

    @Test
    func `knows how long a message took`() throws {
        var stage = try SocketStage(rules: ["sender:client duration>=5ms => drop"])
        for pause: Int64 in [1_000_000, 9_000_000] {
            let bytes = stage.frames(["0:cv:\(pause)"], from: .client)
            let at = pause * 10
            stage.give(Array(bytes.prefix(1)), from: .client, at: at)
            stage.give(Array(bytes.dropFirst()), from: .client, at: at + pause)
        }
        #expect(stage.heard(.client).texts == ["0:cv:1000000"])
    }
}
