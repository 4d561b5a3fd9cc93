import Framing
import Testing
import Wire

@testable import Faults

@Suite struct WebSocketEndTests {
    private let edit = #"0:c:{"id":"k","o":"M","v":{"a":{"o":"+","v":1}},"ccid":"c1"}"#

    @Test(
        arguments: SocketStage.Way.all,
        ["close", "reset", "close-code 1012", "stall", "stall sender=client"])
    func `tells the change that an end takes away`(
        _ way: SocketStage.Way, _ action: String
    ) throws {
        var stage = try SocketStage(way, rules: ["command:c sender:client => \(action)"])
        stage.say("0:cv:a", from: .client)
        stage.say(edit, from: .client)
        let row = try #require(stage.rows.first)
        #expect(stage.rows.count == 1)
        #expect(String(decoding: row.came, as: UTF8.self) == edit)
        #expect(row.sender == .client)
    }

    @Test
    func `tells nothing that goes on`() throws {
        var stage = try SocketStage(rules: [
            "command:c sender:client => stall sender=server",
            "command:c sender:client => half-close",
            "command:c sender:client => close after=1s",
        ])
        stage.say(edit, from: .client)
        #expect(stage.rows.map(\.came) == [[], []])
    }

    @Test
    func `tells all that is lost of a frame of SockJS, and each once`() throws {
        var stage = try SocketStage(
            SocketStage.Way(isSockJS: true),
            rules: [
                "command:c sender:client key:b => drop", "command:c sender:client key:c => reset",
            ])
        let edits = ["a", "b", "c"].map {
            #"0:c:{"id":"\#($0)","o":"M","v":{"a":{"o":"+","v":1}},"ccid":"c1"}"#
        }
        stage.give(stage.frames(edits, from: .client), from: .client)
        let rest = SockJSFrame.encode(client: [edits[0], edits[2]].map { Array($0.utf8) })
        #expect(stage.rows.map(\.came) == [Array(edits[1].utf8), rest])
    }
}
