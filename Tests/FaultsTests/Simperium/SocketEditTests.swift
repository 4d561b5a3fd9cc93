import Framing
import Testing
import Wire

@testable import Faults

/// Edits of messages that hold no commands, over plain and compressed sockets.
struct SocketEditTests {
    private static let ways = SocketStage.Way.all.filter { !$0.isSockJS }

    @Test(arguments: ways, [1, 3])
    func `messages of both sides are edited`(way: SocketStage.Way, fragments: Int) throws {
        for sender in Peer.allCases {
            var stage = try SocketStage(
                way, rules: ["kind:message => edit json /v 2", "opcode:text => edit replace x y"],
                path: "/live")
            stage.say("hello", from: .client)
            for text in [#"{"v":1,"t":"x"}"#, #"{"v":1,"t":"z"}"#, #"{"v":2}"#] {
                stage.give(
                    stage.frames([text], from: sender, fragments: fragments), from: sender)
            }
            let heard = stage.heard(sender)
            #expect(heard.problems.isEmpty)
            #expect(
                heard.texts.suffix(3) == [#"{"v":2,"t":"y"}"#, #"{"v":2,"t":"z"}"#, #"{"v":2}"#])
            #expect(stage.accounted(sender) == stage.sent[sender.rawValue])
            let done = stage.rows.filter { $0.problem == nil }
            #expect(done.map(\.sender) == [sender, sender, sender])
            #expect(done.allSatisfy { $0.effect == .altered })
        }
    }

    @Test func `only those of one side`() throws {
        var stage = try SocketStage(
            SocketStage.Way(), rules: ["kind:message => edit json /v 2 sender=server"],
            path: "/live")
        for sender in Peer.allCases { stage.say(#"{"v":1}"#, from: sender) }
        #expect(stage.heard(.client).texts == [#"{"v":1}"#])
        #expect(stage.heard(.server).texts == [#"{"v":2}"#])
        #expect(stage.rows.map(\.problem) == ["it is a message of the client", nil])
    }

    @Test(arguments: SocketStage.Way.all)
    func `commands are no messages to be edited`(way: SocketStage.Way) throws {
        var stage = try SocketStage(way, rules: ["kind:message => edit replace h o"])
        stage.say("h:1", from: .client)
        #expect(stage.heard(.client).texts == ["h:1"])
        #expect(
            stage.rows.map(\.problem) == [
                "it holds commands of Simperium, which edit-object changes"
            ])
    }

    @Test func `control messages stay`() throws {
        var stage = try SocketStage(
            SocketStage.Way(), rules: ["kind:message => edit replace h o"], path: "/live")
        stage.give(stage.control(.ping, Array("h".utf8), from: .client), from: .client)
        #expect(stage.delivered(.client) == stage.sent[0])
        #expect(stage.rows.map(\.problem) == ["a control message stays"])
    }

    @Test(arguments: [
        "kind:message => edit query a b", "kind:message => edit status 404",
        "opcode:text => edit form a b", "kind:message => edit header A b",
    ])
    func `what no message has is refused with its plan`(rule: String) {
        #expect(throws: FaultPlanError.self) { try FaultRule.parse(rule, named: "rule") }
    }
}
