import Testing

@testable import SyncClients

/// Commands that are sent again, without sockets.
struct CommandTalkTests {
    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func talk(_ command: String, waits: Bool = false) -> CommandTalk {
        CommandTalk(bytes(command), opening: bytes("0:init:{\"name\":\"notes\"}"), waits: waits)
    }

    private static let change = "0:c:{\"id\":\"a\",\"ccid\":\"x\",\"o\":\"M\",\"v\":{}}"

    @Test func `the channel is opened, then the command sent until its answer`() {
        var talk = Self.talk(Self.change)
        #expect(talk.handle(.opened) == [.send(Self.bytes("0:init:{\"name\":\"notes\"}"))])
        #expect(talk.handle(.received(Self.bytes("h:1"))) == [])
        #expect(talk.handle(.received(Self.bytes("1:auth:a@b.example"))) == [])
        #expect(
            talk.handle(.received(Self.bytes("0:auth:a@b.example"))) == [
                .send(Self.bytes(Self.change))
            ])
        #expect(talk.handle(.received(Self.bytes("0:c:[{\"id\":\"a\",\"ccids\":[\"y\"]}]"))) == [])
        #expect(
            talk.handle(
                .received(Self.bytes("0:c:[{\"id\":\"a\",\"ccids\":[\"x\"],\"error\":409}]")))
                == [.finish(.answered)])
        #expect(talk.handle(.ended("closed")) == [])
    }

    @Test(
        arguments: [
            ("0:i:::5", "0:i:{\"current\":\"a\",\"index\":[]}"),
            ("0:e:k.1", "0:e:k.1\n{\"data\":{}}"),
            ("0:cv:a", "0:cv:?"), ("0:cv:a", "0:c:[]"), ("h:1", "h:2"),
        ])
    func `answers of each kind`(each: (command: String, answer: String)) {
        var talk = CommandTalk(Self.bytes(each.command), opening: nil, waits: false)
        #expect(talk.handle(.opened) == [.send(Self.bytes(each.command))])
        #expect(talk.handle(.received(Self.bytes("0:o:{}"))) == [])
        #expect(talk.handle(.received(Self.bytes(each.answer))) == [.finish(.answered)])
    }

    @Test func `nothing is sent over a refused channel`() {
        var talk = Self.talk(Self.change)
        _ = talk.handle(.opened)
        #expect(talk.handle(.received(Self.bytes("0:auth:expired"))) == [])
        #expect(
            talk.handle(.received(Self.bytes("0:auth:{\"code\":401,\"msg\":\"Token invalid\"}")))
                == [.finish(.refused("the server refuses the channel with 401: Token invalid"))])
    }

    @Test func `time and the connection end it`() {
        var waiting = Self.talk(Self.change)
        #expect(waiting.handle(.timePassed) == [.finish(.unanswered)])
        var closed = Self.talk(Self.change)
        #expect(closed.handle(.ended("gone")) == [.finish(.ended("gone"))])
    }

    @Test func `with a time to wait it goes on after the answer`() {
        var talk = CommandTalk(Self.bytes("h:1"), opening: nil, waits: true)
        _ = talk.handle(.opened)
        #expect(talk.handle(.received(Self.bytes("h:2"))) == [])
        #expect(talk.handle(.timePassed) == [.finish(.waited)])
    }

    @Test func `what has no answer is only sent`() {
        var talk = CommandTalk(Self.bytes("log:{\"a\":1}"), opening: nil, waits: false)
        #expect(
            talk.handle(.opened) == [.send(Self.bytes("log:{\"a\":1}")), .finish(.sent)])
    }
}
