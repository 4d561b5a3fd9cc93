import Testing
import Wire

@testable import Faults

/// Changes of objects that are edited on their way, over plain and compressed sockets and SockJS.
struct ObjectEditTests {
    private static let opening =
        #"0:init:{"name":"notes","clientid":"dev-1","api":"1.1","token":"t","app_id":"notes-app"}"#

    /// A change around `body`, as a client sends it or the server.
    private static func change(_ body: String, from sender: Peer) -> String {
        sender == .client
            ? #"0:c:{"id":"k","o":"M",\#(body),"ccid":"c1"}"#
            : #"0:c:[{"clientid":"x","id":"k","o":"M",\#(body),"ev":5,"cv":"cc","ccids":["z"]}]"#
    }

    @Test(
        arguments: [
            ("a new", #""v":{"a":{"o":"+","v":1}}"#, #""v":{"a":{"o":"+","v":"new"}}"#),
            (
                "a [1]", #""v":{"a":{"o":"d","v":"=1\t+x"}},"sv":4"#,
                #""v":{"a":{"o":"r","v":[1]}},"sv":4"#
            ),
            ("a null", #""v":{"a":{"o":"-"}},"sv":4"#, #""v":{"a":{"o":"r","v":null}},"sv":4"#),
            (
                "a 7", #""v":{"a":{"o":"+","v":1}},"d":{"a":1,"b":2}"#,
                #""v":{"a":{"o":"+","v":7}},"d":{"a":7,"b":2}"#
            ),
            (
                "a 7", #""v":{"b":{"o":"I","v":1},"a":{"o":"I","v":1}},"sv":4"#,
                #""v":{"b":{"o":"I","v":1},"a":{"o":"r","v":7}},"sv":4"#
            ),
        ], SocketStage.Way.all)
    func `a change leaves the member with the value`(
        each: (edit: String, body: String, expected: String), way: SocketStage.Way
    ) throws {
        for sender in Peer.allCases {
            var stage = try SocketStage(way, rules: ["command:c => edit-object \(each.edit)"])
            stage.say(Self.opening, from: .client)
            stage.say(Self.change(each.body, from: sender), from: sender)
            stage.say("5:x:still here", from: sender)
            let before = sender == .client ? [Self.opening] : []
            #expect(
                stage.heard(sender).texts
                    == before + [Self.change(each.expected, from: sender), "5:x:still here"])
            #expect(stage.heard(sender).problems == [])
            #expect(stage.accounted(sender) == stage.sent[sender.rawValue])
        }
    }
}
