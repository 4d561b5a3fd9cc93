import Testing
import Wire

@testable import Replaying

@Suite struct CatchUpAnswersTests {
    private static func change(_ ccids: String...) -> String {
        let changes = ccids.map { ccid in
            #"{"id":"k\#(ccid)","o":"M","v":{},"ev":1,"cv":"cv-\#(ccid)","ccids":["\#(ccid)"]}"#
        }
        return "0:c:[\(changes.joined(separator: ","))]"
    }

    /// Which commands answer which, by their numbers.
    private static func answers(_ lines: (Int, Peer, String)...) -> [Int64: Int64] {
        var session = PlannedSession()
        for (socket, sender, text) in lines { session.say(socket, sender, text) }
        let found = CatchUpAnswers.find(in: session.commands, lost: []) { session.texts[$0] }
        return Dictionary(
            uniqueKeysWithValues: found.map { ($0.key.rawValue, $0.value.rawValue) })
    }

    @Test func `a change that comes meanwhile is no answer`() {
        let found = Self.answers(
            (1, .client, "0:cv:cv-a"), (1, .server, Self.change("b")),
            (1, .server, Self.change("a1", "b")))
        #expect(found == [3: 1])
    }

    @Test func `one change is the answer where nothing repeats it`() {
        let found = Self.answers(
            (1, .client, "0:cv:cv-a"), (1, .server, Self.change("b")),
            (1, .client, "0:cv:cv-b"), (1, .server, "0:c:[]"))
        #expect(found == [2: 1, 4: 3])
    }

    @Test func `asking again for what came meanwhile leaves the first question open`() {
        let found = Self.answers(
            (1, .client, "0:cv:cv-a"), (1, .server, Self.change("c")),
            (1, .client, "0:cv:cv-c"), (1, .server, Self.change("b", "c")),
            (1, .server, "0:c:[]"))
        #expect(found == [4: 1, 5: 3])
    }

    @Test func `a change that does not follow what was asked for is none`() {
        let found = Self.answers(
            (2, .server, Self.change("a")), (2, .server, Self.change("b")),
            (2, .server, Self.change("c")), (1, .client, "0:cv:cv-a"),
            (1, .server, Self.change("c")))
        #expect(found == [:])
    }

    @Test func `its own change is none, and comes behind the answer to what was asked before`() {
        let own = #"0:c:{"id":"k","o":"M","v":{},"ccid":"mine"}"#
        let found = Self.answers(
            (1, .client, "0:cv:cv-a"), (1, .client, own), (1, .server, Self.change("b")),
            (1, .server, Self.change("mine")), (1, .server, Self.change("c", "d")))
        #expect(found == [3: 1])
    }

    @Test func `a page that was asked for later comes behind the answer`() {
        let found = Self.answers(
            (1, .client, "0:cv:cv-a"), (1, .client, "0:i::::10"), (1, .server, Self.change("b")),
            (1, .server, #"0:i:{"index":[],"current":"cv-b"}"#),
            (1, .server, Self.change("c", "d")))
        #expect(found == [3: 1])
    }

    @Test func `an opening that asks for changes is answered first of all`() {
        let opening = #"0:init:{"app_id":"a","name":"b","cmd":"cv:cv-a"}"#
        let found = Self.answers(
            (1, .client, opening), (1, .server, "0:auth:ann@example.com"),
            (1, .server, Self.change("b")), (1, .server, Self.change("c")))
        #expect(found == [3: 1])
    }

    @Test func `an unknown change version is an answer`() {
        let found = Self.answers(
            (1, .client, "0:cv:cv-a"), (1, .server, Self.change("b")), (1, .server, "0:cv:?"))
        #expect(found == [3: 1])
    }

    @Test func `an unknown change version answers what one change did not`() {
        let found = Self.answers(
            (2, .server, Self.change("a")), (2, .server, Self.change("b")),
            (2, .server, Self.change("c")), (1, .client, "0:cv:cv-a"), (1, .client, "0:cv:cv-x"),
            (1, .client, "0:cv:cv-b"), (1, .server, Self.change("b")), (1, .server, "0:cv:?"),
            (1, .server, Self.change("c", "d")))
        #expect(found == [7: 4, 8: 5, 9: 6])
    }

    @Test func `an unknown change version is the answer where no question is too many`() {
        let found = Self.answers(
            (2, .server, Self.change("a")), (2, .server, Self.change("b")),
            (2, .server, Self.change("c")), (1, .client, "0:cv:cv-a"), (1, .client, "0:cv:cv-b"),
            (1, .server, Self.change("b")), (1, .server, "0:cv:?"),
            (1, .server, Self.change("c", "d")))
        #expect(found == [7: 4, 8: 5])
    }

    @Test func `changes that are told as one say nothing about what came before them`() {
        let merged = #"{"id":"k","o":"M","v":{},"ev":2,"cv":"cv-c","ccids":["a","c"]}"#
        let first = #"{"id":"kb","o":"M","v":{},"ev":1,"cv":"cv-b","ccids":["b"]}"#
        let found = Self.answers(
            (1, .client, "0:cv:cv-z"), (1, .server, Self.change("a")),
            (2, .client, "0:cv:cv-z"), (2, .server, "0:c:[\(first),\(merged)]"))
        #expect(found == [2: 1, 4: 3])
    }

    @Test func `what came before the answer to one question answers no later one`() {
        let found = Self.answers(
            (1, .client, "0:cv:cv-a"), (1, .client, "0:cv:cv-b"), (1, .server, Self.change("c")),
            (1, .server, "0:cv:?"))
        #expect(found == [4: 1])
    }

    @Test func `a change that was made while the channel was open came by itself`() {
        let made = #"0:c:{"id":"kb","o":"M","v":{},"ccid":"b"}"#
        let found = Self.answers(
            (1, .client, #"0:init:{"app_id":"a","name":"b"}"#),
            (1, .server, "0:auth:ann@example.com"), (2, .client, made),
            (1, .client, "0:cv:cv-a"), (1, .server, Self.change("b")))
        #expect(found == [:])
    }

    @Test func `what the answer to another channel begins with follows what that one asked for`() {
        let found = Self.answers(
            (2, .client, "0:cv:cv-a"), (2, .server, Self.change("c")),
            (2, .server, Self.change("b", "c")), (1, .client, "0:cv:cv-a"),
            (1, .server, Self.change("b")))
        #expect(found == [3: 1, 5: 4])
    }
}
