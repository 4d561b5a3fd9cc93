import Framing
import Testing
import Wire

@testable import Faults

/// Messages that pass unread are those that no rule holds for.
struct MessagePrefilterTests {
    private static let texts = [
        "h:1", "h:2", "log:1", "0:cv:a", "7:cv:none", "0:index", "?", "c", "c:x", "garbage", ":",
        "1",
        "12345678901234567890:c:[]", "0:abcdefghij:x", "00:cv:a", "e:k.1", "0:i::::5", "3:e:k.1",
        "3:e:missing.1\n?", "0:o:{}", "0:auth:a@b.example", #"0:auth:{"code":401,"msg":"no"}"#,
        #"0:init:{"name":"notes","clientid":"dev-1","api":"1.1","token":"t","app_id":"a"}"#,
        #"3:init:{"name":"tags","clientid":"dev-2","api":"1.1","token":"t","app_id":"a"}"#,
        #"0:init:{"name":"notes","clientid":"dev-1","cmd":"cv:none"}"#,
        #"3:init:{"name":"tags","clientid":"dev-2","cmd":"i::::50"}"#,
        #"0:c:{"id":"k","o":"M","v":{"a":{"o":"+","v":1}},"ccid":"c1"}"#,
        #"3:c:{"id":"\u006b","o":"M","v":{"a":{"o":"+","v":"Missing"}},"ccid":"c2"}"#,
        #"3:c:[{"clientid":"x","id":"missing","o":"M","v":{},"sv":4,"ev":5,"cv":"c","ccids":["z"]}]"#,
        #"0:c:[{"clientid":"x","id":7,"o":"-","cv":"none","ccids":["z","c1"]}]"#,
        #"0:c:[{"ccids":["c1"],"id":"k","clientid":"dev-1","error":440}]"#,
        #"0:i:{"current":"none","index":[]}"#,
    ]
    private static let filters = [
        "command:c", "command:c sender:server", "sender:client", "sender:SERVER key:missing",
        "key:k", "key:7", "cv:none", "ccid:c1", #"ccid:"z c1""#, "clientid:x", "clientid:dev-1",
        "bucket:notes", "bucket:tags command:c", "not bucket:tags", "channel:3", "channel:0..2",
        "command:e or command:cv", "not command:h", "command:abcdefghij", "app:a", "error:440",
        "missing", "body~missing", "payload~ISSIN", "command:i key:*", "operation:M", "opcode:1",
        "opcode:1 sender:server", "payload~garbage", "command:log", "problem:*", "channel:*",
        "command:init", "command:cv", "command:i", "command:{e,i}", #"command:"?""#,
        "not channel:*", "body~a@b",
    ]

    /// How much each rule held for.
    private static func counts(
        _ way: SocketStage.Way, _ filters: [String], readsAll: Bool, fragments: Int = 1
    ) throws -> [Int64] {
        let rules = filters.map { "\($0) => latency 0s" }
        var stage = try SocketStage(way, rules: rules)
        if readsAll {
            // What waits for an acknowledgement has everything read.
            let firing = Firing(
                rule: "", action: FaultAction(.error), scope: "", occurrence: 1, draw: 1)
            stage.gate.refusals["99:none"] = WebSocketGate.Refusal(firing: firing, json: [])
        }
        for text in texts + texts {
            for peer in Peer.allCases {
                let bytes = stage.frames([text], from: peer, fragments: fragments)
                stage.give(bytes, from: peer)
            }
        }
        return stage.session.rules.map(\.matched)
    }

    @Test(arguments: SocketStage.Way.all)
    func `rules hold for as much as if everything were read`(_ way: SocketStage.Way) throws {
        let read = try Self.counts(way, Self.filters, readsAll: true)
        for fragments in 1...3 {
            let counts = try Self.counts(
                way, Self.filters, readsAll: false, fragments: fragments)
            #expect(counts == read)
        }
        #expect(read.contains { $0 > 0 })
    }

    @Test(arguments: SocketStage.Way.all, Self.filters.indices)
    func `each rule alone holds for as much as if everything were read`(
        _ way: SocketStage.Way, _ place: Int
    ) throws {
        let filters = [Self.filters[place]]
        let read = try Self.counts(way, filters, readsAll: true)
        #expect(try Self.counts(way, filters, readsAll: false) == read)
        #expect(try Self.counts(way, filters, readsAll: false, fragments: 2) == read)
    }

    @Test(arguments: SocketStage.Way.all)
    func `channels that were opened before a rule came are known to it`(
        _ way: SocketStage.Way
    ) throws {
        let opening = #"4:init:{"name":"notes","clientid":"dev-1","api":"1.1","app_id":"a"}"#
        for size in [1, 3, 50, 1000] {
            var stage = try SocketStage(way)
            var bytes = ["h:1", "h:2", opening, "4:cv:a"].flatMap {
                stage.frames([$0], from: .client)
            }
            while !bytes.isEmpty {
                stage.give(Array(bytes.prefix(size)), from: .client)
                bytes.removeFirst(min(size, bytes.count))
            }
            try stage.session.add(
                FaultPlan().adding(line: "bucket:notes command:c => drop").rules[0])
            stage.say("4:c:[]", from: .server)
            stage.say("h:1", from: .server)
            #expect(stage.heard(.server).texts == ["h:1"])
            #expect(stage.delivered(.client) == stage.sent[0])
        }
    }

    @Test func `what passed unread is in the order it was sent`() throws {
        var stage = try SocketStage(rules: ["command:cv => drop"])
        let texts = ["h:1", "0:cv:a", "0:c:[]", "0:cv:b", "0:e:k.1", "0:index"]
        let bytes = texts.flatMap { stage.frames([$0], from: .server) }
        for size in [1, 2, 7, bytes.count] {
            var other = try SocketStage(rules: ["command:cv => drop"])
            var rest = bytes[...]
            while !rest.isEmpty {
                other.give(Array(rest.prefix(size)), from: .server)
                rest = rest.dropFirst(size)
            }
            #expect(other.heard(.server).texts == ["h:1", "0:c:[]", "0:e:k.1", "0:index"])
            #expect(other.accounted(.server) == bytes)
        }
    }
}
