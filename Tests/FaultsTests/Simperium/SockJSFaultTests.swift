import Framing
import Testing
import Wire

@testable import Faults

struct SockJSFaultTests {
    private static let ways = SocketStage.Way.all.filter(\.isSockJS)

    @Test(arguments: ways)
    func `alters one message of a frame and no other`(_ way: SocketStage.Way) throws {
        var stage = try SocketStage(
            way,
            rules: [
                "command:h sender:server => wrong-heartbeat", "command:i sender:server => drop",
            ])
        let texts = ["0:c:[]", "h:4", #"0:i:{"index":[]}"#, #"1:c:["😀"]"#]
        stage.give(stage.frames(texts, from: .server), from: .server)
        stage.say("0:c:[]", from: .server)
        #expect(stage.heard(.server).texts == ["0:c:[]", "h:5", #"1:c:["😀"]"#, "0:c:[]"])
        #expect(stage.heard(.server).problems == [])
        #expect(stage.said(.server).texts == texts + ["0:c:[]"])
        #expect(stage.accounted(.server) == stage.sent[1])
    }

    @Test(arguments: ways)
    func `leaves the spelling of the others as it was`(_ way: SocketStage.Way) throws {
        var stage = try SocketStage(way, rules: ["command:h => drop"])
        let payload = Array(#" [ "0:cv:\u0061" , "h:1" ,"0:cv:b" ] "#.utf8)
        stage.give(stage.frames(payload: payload, from: .client), from: .client)
        var assembler = WebSocketAssembler(sender: .client, compression: way.compression)
        var events: [WebSocketEvent] = []
        assembler.consume(stage.delivered(.client).span, into: &events)
        let payloads = events.compactMap { event -> String? in
            guard case .message(let message) = event else { return nil }
            return String(decoding: message.payload, as: UTF8.self)
        }
        #expect(payloads == [#"["0:cv:\u0061","0:cv:b"]"#])
    }

    @Test(arguments: ways)
    func `keeps what it answers and forwards the rest`(_ way: SocketStage.Way) throws {
        var stage = try SocketStage(way, rules: ["command:cv => cv-unknown"])
        stage.give(stage.frames(["h:1", "0:cv:a", "0:i::::5"], from: .client), from: .client)
        stage.give(stage.frames(["0:cv:b", "1:cv:c"], from: .client), from: .client)
        #expect(stage.heard(.client).texts == ["h:1", "0:i::::5"])
        #expect(
            stage.said(.client).texts == ["h:1", "0:cv:a", "0:i::::5", "0:cv:b", "1:cv:c"])
        #expect(stage.said(.client).problems == [])
        #expect(stage.heard(.server).texts == ["0:cv:?", "0:cv:?", "1:cv:?"])
        #expect(stage.accounted(.client) == stage.sent[0])
    }

    @Test(arguments: ways)
    func `lets frames of SockJS itself pass`(_ way: SocketStage.Way) throws {
        var stage = try SocketStage(way, rules: ["command:h => drop"])
        for frame in ["o", "h", #"c[3000,"Go away!"]"#] {
            stage.give(stage.frames(payload: Array(frame.utf8), from: .server), from: .server)
        }
        #expect(stage.delivered(.server) == stage.sent[1])
        #expect(stage.rows.isEmpty)
    }
}
