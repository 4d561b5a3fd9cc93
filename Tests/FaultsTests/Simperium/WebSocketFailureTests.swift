import Testing
import Wire

@testable import Faults

/// An action that cannot be carried out on a message.
struct SocketFailure: Sendable, CustomTestStringConvertible {
    let rule: String
    let said: [(Peer, String)]
    /// Part of the reason.
    let problem: String

    var testDescription: String { "\(rule): \(problem)" }
}

private let creation =
    #"0:c:[{"clientid":"x","id":"k","o":"M","v":{"a":{"o":"+","v":1}},"ev":1,"cv":"aa","ccids":["c1"]}]"#
private let removal =
    #"0:c:[{"clientid":"x","id":"k","o":"-","sv":4,"ev":5,"cv":"cc","ccids":["z"]}]"#
private let nameless = #"0:c:[{"clientid":"x","id":"k","o":"-","sv":4,"ev":5,"cv":"cc"}]"#
private let edit = #"0:c:{"id":"k","o":"M","v":{"a":{"o":"+","v":1}},"ccid":"c1"}"#
private let editWithoutName = #"0:c:{"id":"k","o":"M","v":{"a":{"o":"+","v":1}}}"#

private let failures: [SocketFailure] = [
    SocketFailure(
        rule: "command:c => edit-object b 1", said: [(.server, creation)],
        problem: "no change has the member"),
    SocketFailure(
        rule: "command:c => edit-object a 1", said: [(.server, removal)],
        problem: "no change has the member"),
    SocketFailure(
        rule: "command:c => version-gap", said: [(.server, creation)],
        problem: "from one version to another"),
    SocketFailure(
        rule: "command:c => version-gap after=5s", said: [(.server, removal)],
        problem: "from one version to another"),
    SocketFailure(
        rule: "command:c => malformed-delta", said: [(.server, removal)],
        problem: "no change has an operation"),
    SocketFailure(
        rule: "command:c => foreign-ccids", said: [(.server, nameless)],
        problem: "no change has a ccid"),
    SocketFailure(
        rule: "command:i => move-current", said: [(.server, "0:i:what")],
        problem: "not a page of an index"),
    SocketFailure(
        rule: "command:h sender:server => wrong-heartbeat",
        said: [(.server, "h:9223372036854775807")], problem: "not a heartbeat"),
    SocketFailure(
        rule: "command:c => compact", said: [(.server, "0:c:[]")], problem: "no changes"),
    SocketFailure(
        rule: "command:cv => cv-unknown", said: [(.client, "cv:a")], problem: "no channel"),
    SocketFailure(
        rule: "command:c => change-unknown", said: [(.client, "0:c:what")],
        problem: "does not answer such a command"),
    SocketFailure(
        rule: "command:e => entity-unknown", said: [(.client, "0:e:")],
        problem: "does not answer such a command"),
    SocketFailure(
        rule: "command:init => auth-failure", said: [(.client, "0:init:what")],
        problem: "does not answer such a command"),
    SocketFailure(
        rule: "command:init => auth-expired", said: [(.client, "0:init:what")],
        problem: "does not answer such a command"),
    SocketFailure(
        rule: "command:c sender:client => error 440", said: [(.client, "0:c:what")],
        problem: "does not answer such a command"),
    SocketFailure(
        rule: "command:c sender:client => error 440 forwarded", said: [(.client, editWithoutName)],
        problem: "no change has a ccid"),
]

struct WebSocketFailureTests {
    @Test(arguments: failures)
    func `says why an action is not carried out, and forwards what came`(
        _ failure: SocketFailure
    ) throws {
        var stage = try SocketStage(rules: [failure.rule])
        for (sender, text) in failure.said { stage.say(text, from: sender) }
        let row = try #require(stage.rows.first)
        #expect(stage.rows.count == 1)
        #expect(row.problem?.contains(failure.problem) == true, "\(row.problem ?? "")")
        #expect(!row.isDone && row.effect == [])
        for sender in Peer.allCases {
            let said = failure.said.filter { $0.0 == sender }.map(\.1)
            #expect(stage.heard(sender).texts == said)
        }
        let status = try #require(stage.session.rules.first)
        #expect(status.fired == 0 && status.failed == 1 && status.matched == 1)
        #expect(!stage.commands.contains { if case .hold = $0 { true } else { false } })
    }

    @Test func `says that the server never answered a change that was to be refused`() throws {
        var stage = try SocketStage(rules: ["command:c sender:client => error 440 forwarded"])
        stage.say(edit, from: .client)
        #expect(stage.rows.isEmpty)
        stage.gate.ended(.server, at: .zero, into: &stage.commands)
        #expect(stage.rows.map(\.problem) == ["the server did not answer the change"])
        #expect(stage.session.rules.map(\.failed) == [1])
        // A refusal that the client got is done, whatever else its command changed.
        var other = try SocketStage(rules: ["command:c sender:client => error 440 forwarded"])
        let two =
            #"0:c:[{"id":"k","o":"M","v":{"a":{"o":"+","v":1}},"ccid":"c1"},{"id":"l","o":"-","ccid":"c2"}]"#
        other.say(two, from: .client)
        other.say(creation, from: .server)
        other.gate.ended(.server, at: .zero, into: &other.commands)
        #expect(other.rows.map(\.isDone) == [true])
        #expect(other.session.rules.map(\.failed) == [0])
    }

    @Test func `says that too many messages wait`() throws {
        var stage = try SocketStage(rules: ["command:h => reorder"])
        // Each on a channel of its own, so that none overtakes another.
        for channel in 0...WebSocketGate.maxWaiting {
            stage.say("\(channel):h:1", from: .client)
        }
        #expect(stage.rows.count == WebSocketGate.maxWaiting + 1)
        #expect(stage.rows.count { !$0.isDone } == 1)
        #expect(stage.rows.last?.problem?.contains("wait already") == true)
        #expect(stage.session.rules.map(\.failed) == [1])
        #expect(stage.session.rules.map(\.fired) == [Int64(WebSocketGate.maxWaiting)])
    }

    @Test func `says that no change came to be joined`() throws {
        var stage = try SocketStage(rules: [
            "command:c sender:server => compact count=2", "command:c sender:server => drop",
        ])
        stage.say(creation, from: .server)
        stage.gate.wake(at: Instant(nanoseconds: 6_000_000_000), into: &stage.commands)
        #expect(stage.heard(.server).texts == [])
        #expect(stage.rows.map(\.problem) == [nil, "no change came"])
    }
}
