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
        let frames = stage.frames([edit], from: .client)
        stage.give(frames, from: .client)
        let row = try #require(stage.rows.first)
        #expect(stage.rows.count == 1)
        #expect(row.effect?.contains(.lost) == true && row.sender == .client)
        // It comes right before what it takes away.
        let place = stage.commands.firstIndex { if case .fault = $0 { true } else { false } }
        let next = stage.commands.dropFirst((place ?? 0) + 1).first { !$0.received.isEmpty }
        #expect(next?.received == frames)
    }

    @Test
    func `tells nothing that goes on`() throws {
        var stage = try SocketStage(rules: [
            "command:c sender:client => stall sender=server",
            "command:c sender:client => half-close",
            "command:c sender:client => close after=1s",
        ])
        stage.say(edit, from: .client)
        #expect(stage.rows.count == 2)
        #expect(stage.rows.allSatisfy { $0.effect?.contains(.lost) == false })
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
        #expect(stage.rows.map(\.position) == [1, 0])
        #expect(stage.rows.map(\.effect) == [.lost, [.lost, .ended]])
    }
}
