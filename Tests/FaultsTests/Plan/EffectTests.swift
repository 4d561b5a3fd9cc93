import Framing
import Testing
import Wire

@testable import Faults

struct EffectTests {
    @Test(arguments: ActionKind.allCases)
    func `every action declares what it does to each side`(kind: ActionKind) throws {
        let action = try FaultRule.parse(kind.specification.example).action
        for sender in [nil, Peer.client, .server] {
            for hasTaken in [false, true] {
                #expect(action.effect(on: sender, hasTaken: hasTaken) != [])
            }
            #expect(
                FaultEffect.declared(for: "\(action)", on: sender, hasTaken: true)
                    == action.effect(on: sender, hasTaken: true))
        }
        // An action of a recording whose arguments are not those of today.
        #expect(FaultEffect.declared(for: "\(kind) what=ever", on: nil, hasTaken: false) != nil)
    }

    @Test func `an unknown action has no known effect`() {
        #expect(FaultEffect.declared(for: "vanish 3", on: .client, hasTaken: true) == nil)
    }

    @Test(
        arguments: [
            ("path:/a => 503", FaultEffect.answered), ("path:/a => 503 forwarded", .altered),
            ("path:/a => lose-answer", [.lost, .ended]),
            ("path:/a => lose-answer how=stall", [.lost, .stalled]),
            ("path:/a => answer-twice", .repeated), ("path:/a => truncate 1", [.altered, .ended]),
            ("path:/a => corrupt", .altered), ("path:/a => length 1", .altered),
            ("path:/a => content-type a/b", .altered), ("path:/a => cut-xml", .altered),
            ("path:/a => set-header X-A b", .altered),
            ("path:/a => remove-header Host sender=client", .altered), ("path:/a => drop", .lost),
            ("path:/a => drop close", [.lost, .ended]), ("path:/a => repeat", .repeated),
            ("path:/a => latency 1s", .delayed), ("path:/a => bandwidth 100", .delayed),
            ("path:/a => slice 10", .delayed), ("path:/a => stall", .stalled),
            ("path:/a => blackout 1s", [.delayed, .stalled]),
            ("path:/a => close", [.lost, .ended]), ("status:200 => reset", [.lost, .ended]),
            ("path:/a => half-close", [.stalled, .ended]),
        ] as [(String, FaultEffect)])
    func `a row has what was done to HTTP`(rule: String, effect: FaultEffect) throws {
        let play = try HTTPPlay.run(
            [rule], [.client(Talk.get("/a")), .server(Talk.ok("<abc/>"))])
        #expect(play.faults.map(\.effect) == [effect])
        #expect(play.faults.map(\.problem) == [nil])
    }

    @Test(
        arguments: [
            ("command:c sender:client => error 440", FaultEffect.answered),
            ("command:c sender:client => error 440 forwarded", .altered),
            ("command:cv => cv-unknown", .answered), ("command:cv => change-unknown", .answered),
            ("command:e => entity-unknown", .answered), ("command:init => auth-failure", .answered),
            ("command:init => auth-expired", .answered), ("command:i => move-current", .altered),
            ("command:c => foreign-ccids", .altered),
            ("command:c sender:server => compact", [.altered, .delayed]),
            ("command:c => malformed-delta", .altered),
            ("command:h sender:server => wrong-heartbeat", .altered),
            ("command:c => unknown-channel", .altered), ("command:cv => send 0:index", .injected),
            ("command:cv => drop", .lost), ("command:cv => repeat", .repeated),
            ("command:cv => reorder", .delayed), ("command:cv => latency 1s", .delayed),
            ("command:cv => stall sender=client", [.lost, .stalled]),
            ("command:cv => stall sender=server", .stalled),
            ("command:cv => close", [.lost, .ended]), ("command:cv => reset after=1s", .ended),
            ("command:cv => close-code 1012", [.lost, .injected, .ended]),
            ("opcode:9 => drop", .lost),
        ] as [(String, FaultEffect)])
    func `a row has what was done to a message`(rule: String, effect: FaultEffect) throws {
        var stage = try SocketStage(rules: [rule])
        let said: [(Peer, String)] = [
            (
                .client,
                #"0:init:{"name":"notes","clientid":"d","api":"1.1","token":"t","app_id":"a"}"#
            ),
            (.client, "0:e:k.1"), (.client, "h:1"), (.server, "h:2"),
            (.client, #"0:c:{"id":"k","o":"M","v":{"a":{"o":"+","v":1}},"ccid":"c1"}"#),
            (.server, #"0:i:{"current":"p1","index":[{"id":"k","v":1}],"mark":"m"}"#),
            (
                .server,
                #"0:c:[{"clientid":"d","id":"k","o":"M","v":{"a":{"o":"+","v":1}},"ev":1,"cv":"aa","ccids":["c1"]}]"#
            ),
            (.client, "0:cv:a"),
        ]
        for (sender, text) in said { stage.say(text, from: sender) }
        stage.give(stage.control(.ping, [1], from: .client), from: .client)
        stage.gate.wake(at: Instant(nanoseconds: 9_000_000_000), into: &stage.commands)
        let rows = stage.rows
        #expect(rows.first?.effect == effect)
        #expect(rows.allSatisfy { $0.isDone && $0.effect == effect })
    }
}
