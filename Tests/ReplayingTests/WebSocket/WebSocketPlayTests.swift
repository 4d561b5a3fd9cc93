import Testing
import Wire

@testable import Replaying

/// A recorded conversation as a test writes it down, and a live server that a test speaks for.
///
/// A line is `> text` of the client or `< text` of the server; `>>` and `<<` are binary. They are a
/// second apart, from second 1 on; the socket was open at second 0. Turns are given at once.
private struct PlayedTalk {
    var play: WebSocketPlay
    var identity = ReplayIdentity(seed: 1)
    var now = 100.0
    /// Others that count what they do.
    var progress = 0
    var timer: Instant?

    init(
        _ lines: String..., server: Int? = nil, client: Int? = nil,
        pace: ReplayPace = .asFastAsPossible, rules: [IgnoreRule] = []
    ) {
        var messages: [RecordedConversation.Message] = []
        var payloads: [MessageID: [UInt8]] = [:]
        for (index, line) in lines.enumerated() {
            let id = MessageID(Int64(index + 1))
            let mark = line.prefix { $0 != " " }
            payloads[id] = bytes(String(line.dropFirst(mark.count + 1)))
            messages.append(
                .init(
                    id: id, sender: mark.first == ">" ? .client : .server,
                    isText: mark.count == 1, at: second(Double(index + 1))))
        }
        func end(_ code: Int) -> RecordedSocket.End {
            .init(code: code, at: second(Double(lines.count + 1)))
        }
        var settings = WebSocketPlay.Settings()
        settings.pace = pace
        settings.patience = 4_000_000_000
        settings.leftOut = LeftOut(rules: rules)
        play = WebSocketPlay(
            RecordedConversation(
                exchange: ExchangeID(7), openedAt: .zero, messages: messages,
                end: server.map(end), clientEnd: client.map(end)), settings: settings
        ) { [payloads] in payloads[$0] }
    }

    /// What is done about an event; what only tells others is left out.
    mutating func on(_ event: WebSocketPlayEvent) -> [String] {
        var lines: [String] = []
        for command in play.handle(event, at: second(now), &identity) {
            switch command {
            case .send(let message):
                lines.append((message.isText ? "> " : ">> ") + string(message.payload))
            case .askTurn(let id): lines += on(.turn(id))
            case .close(let code): lines.append("close \(code.map { String($0) } ?? "-")")
            case .finish: lines.append("finish")
            case .setTimer(let time): timer = time
            case .opened, .came: break
            }
        }
        return lines
    }

    mutating func open() -> [String] {
        _ = on(.begun)
        return on(.opened(Differences()))
    }

    mutating func hear(_ text: String, isText: Bool = true) -> [String] {
        on(.received(SocketMessage(isText: isText, payload: bytes(text))))
    }

    mutating func hang(_ code: Int? = nil) -> [String] {
        on(.closed(code: code, reason: "by the server"))
    }

    /// Lets time go on to the next timer; nothing is to be waited for without one.
    mutating func wait() -> [String] {
        guard let next = timer else { return ["nothing is waited for"] }
        timer = nil
        now = max(now, Double(next.nanoseconds) / 1e9)
        return on(.timePassed(progress: progress))
    }

    /// Lets time pass until something is done, at most this often.
    mutating func wait(most: Int) -> [String] {
        for _ in 0..<most {
            let lines = wait()
            if !lines.isEmpty { return lines }
        }
        return []
    }

    var deviations: [String] { play.played.deviations.map(\.description) }
}

struct WebSocketPlayTests {
    @Test func `each message goes out behind what it came after, text and binary`() {
        var talk = PlayedTalk(
            "< hello", "< again", "> one", "< two", ">> three", "<< four", client: 4001)
        #expect(talk.open() == [])
        #expect(talk.hear("hello") == [])
        #expect(talk.hear("again") == ["> one"])
        #expect(talk.hear("two") == [">> three"])
        #expect(talk.hear("four", isText: false) == ["close 4001"])
        #expect(talk.hang(4001) == ["finish"])
        #expect(talk.deviations == [])
        let played = talk.play.played
        #expect(played.recorded == 4 && played.matched == 4 && played.sent == 2)
        #expect(talk.hear("late") == [])
    }

    @Test func `the server closes as it did`() {
        var talk = PlayedTalk("> one", "< two", server: 4007)
        #expect(talk.open() == ["> one"])
        #expect(talk.hear("two") == [])
        #expect(talk.hang(4007) == ["finish"])
        #expect(talk.deviations == [])
        var other = PlayedTalk("> one", server: 4007)
        _ = other.open()
        #expect(other.hang(1000) == ["finish"])
        #expect(other.deviations == ["the end of the socket\n  code: recorded 4007, received 1000"])
    }

    @Test func `a server that does not close is not waited for longer than the patience`() {
        var talk = PlayedTalk("> one", server: 4007)
        _ = talk.open()
        // It goes on about something else.
        #expect(talk.wait(most: 4) == [])
        #expect(talk.hear("news") == [])
        #expect(talk.wait(most: 20) == ["close 1000"])
        #expect(talk.now == 104)
        #expect(talk.hear("news") == [])
        #expect(talk.wait(most: 20) == ["finish"])
        #expect(talk.now == 105)
        #expect(
            talk.deviations == [
                "a message of the server\n  message: not recorded, received text \"news\"",
                "the end of the socket\n  the socket: recorded closed with 4007, received open",
                "a message of the server\n  message: not recorded, received text \"news\"",
            ])
    }

    @Test func `JSON is compared by what it says, and rules leave out`() throws {
        let rules = [try IgnoreRule(parsing: "json:/at")]
        var talk = PlayedTalk(#"< {"a": 1, "b": [2], "at": 3}"#, "> ok", rules: rules)
        _ = talk.open()
        #expect(talk.hear(#"{"b":[2],"a":1,"at":9}"#) == ["> ok", "close 1000"])
        #expect(talk.hang(1000) == ["finish"])
        #expect(talk.deviations == [])
    }

    @Test func `a changed message is pointed at, and the client goes on`() {
        var talk = PlayedTalk(#"< {"order": {"count": 3}}"#, "> ok", "< bye", client: 1000)
        _ = talk.open()
        #expect(talk.hear(#"{"order":{"count":4}}"#) == ["> ok"])
        #expect(talk.hear("bye") == ["close 1000"])
        _ = talk.hang()
        #expect(talk.play.played.matched == 1)
        let deviation = talk.deviations.first ?? ""
        #expect(deviation.hasPrefix("message 1, text"))
        #expect(deviation.hasSuffix("\n  JSON /order/count: recorded 3, received 4"))
        #expect(talk.deviations.count == 1)
    }

    @Test func `text is not binary`() {
        var talk = PlayedTalk("< same", "> ok")
        _ = talk.open()
        #expect(talk.hear("same", isText: false) == ["> ok"])
        // It may have been added, and the recorded one be on its way.
        #expect(talk.wait(most: 9) == ["close 1000"])
        #expect(talk.now == 101)
        _ = talk.hang()
        #expect(
            talk.deviations == [
                "message 1, text \"same\"\n  message: recorded text, received binary"
            ])
    }

    @Test func `what does not come is missing after the patience`() {
        var talk = PlayedTalk("< one", "< two", "> three", "< four", client: 1000)
        _ = talk.open()
        #expect(talk.hear("two") == ["> three"])
        // What was passed over may still be late, but is not waited for any more.
        #expect(talk.wait(most: 20) == ["close 1000"])
        #expect(talk.now == 104)
        _ = talk.hang()
        #expect(
            talk.deviations == [
                "message 1, text \"one\"\n  message: recorded text \"one\", not received",
                "message 4, text \"four\"\n  message: recorded text \"four\", not received",
            ])
        #expect(talk.play.played.matched == 1)
    }

    @Test func `what others do may still bring what is waited for`() {
        var talk = PlayedTalk("< pushed", client: 1000)
        _ = talk.open()
        for _ in 0..<40 {
            talk.progress += 1
            #expect(talk.wait() == [])
        }
        #expect(talk.now > 110)
        #expect(talk.hear("pushed") == ["close 1000"])
        #expect(talk.wait(most: 20) == ["finish"])
        #expect(talk.deviations == [])
    }

    @Test func `an additional message is one difference`() {
        var talk = PlayedTalk("< one", "> a", "< two", "> b", "< three", client: 1000)
        _ = talk.open()
        #expect(talk.hear("one") == ["> a"])
        // Until more is known, it is taken for what was changed.
        #expect(talk.hear("notice") == ["> b"])
        #expect(talk.hear("two") == [])
        #expect(talk.hear("three") == ["close 1000"])
        #expect(talk.hear("more") == [])
        #expect(talk.hang(1000) == ["finish"])
        #expect(
            talk.deviations == [
                "a message of the server\n  message: not recorded, received text \"notice\"",
                "a message of the server\n  message: not recorded, received text \"more\"",
            ])
        #expect(talk.play.played.matched == 3)
    }

    @Test func `what the recorded server said behind the end is not compared`() {
        var talk = PlayedTalk("< one", client: 1000)
        var conversation = talk.play.conversation
        conversation.messages.append(
            .init(id: MessageID(9), sender: .server, isText: true, at: second(30)))
        talk.play = WebSocketPlay(conversation) { $0 == MessageID(1) ? bytes("one") : nil }
        _ = talk.open()
        #expect(talk.hear("one") == ["close 1000"])
        #expect(talk.hear("as late") == [])
        #expect(talk.hang(1000) == ["finish"])
        #expect(talk.deviations == [])
    }

    @Test func `another order is told as one`() {
        var talk = PlayedTalk("< one", "< two", "< three", "> ok", client: 1000)
        _ = talk.open()
        #expect(talk.hear("two") == [])
        #expect(talk.hear("one") == [])
        #expect(talk.hear("three") == ["> ok", "close 1000"])
        _ = talk.hang()
        #expect(talk.deviations.count == 1)
        #expect(talk.deviations.first?.contains("order of the messages of the server") == true)
        #expect(talk.play.played.matched == 2)
    }

    @Test func `a long conversation that goes wrong early is followed to its end`() {
        var talk = PlayedTalk()
        let messages = (1...3_000).map { number in
            RecordedConversation.Message(
                id: MessageID(Int64(number)), sender: number % 3 == 0 ? .client : .server,
                isText: true, at: second(Double(number)))
        }
        talk.play = WebSocketPlay(
            RecordedConversation(exchange: ExchangeID(7), openedAt: .zero, messages: messages)
        ) { bytes("message \($0)") }
        _ = talk.open()
        var sent = 0
        for number in 1...3_000 where number % 3 != 0 {
            // One is missing, one was changed, one comes twice.
            if number == 4 { continue }
            sent += talk.hear(number == 1_000 ? "other" : "message \(number)").count
            if number == 2_000 { sent += talk.hear("message 2000").count }
        }
        #expect(sent == 1_001)
        _ = talk.hang()
        #expect(
            talk.play.played.deviations.map { $0.message?.rawValue } == [4, 1_000, nil])
        #expect(talk.play.played.matched == 1_998)
    }

    @Test func `a server that closes early ends it`() {
        var talk = PlayedTalk("> one", "< two", "> three", client: 1000)
        #expect(talk.open() == ["> one"])
        #expect(talk.hang(1011) == ["finish"])
        #expect(
            talk.deviations == [
                "the socket\n  the socket: recorded open, received closed: by the server"
            ])
        #expect(talk.play.played.sent == 1 && talk.play.played.skipped == 1)
    }

    @Test func `a server that ends as recorded but says less lacks a message`() {
        var talk = PlayedTalk("> one", "< two", "< three", server: 4007)
        _ = talk.open()
        _ = talk.hear("two")
        #expect(talk.hang(4007) == ["finish"])
        #expect(
            talk.deviations == [
                "message 3, text \"three\"\n  message: recorded text \"three\", not received"
            ])
    }

    @Test func `a handshake without an answer is not waited for for ever`() {
        var talk = PlayedTalk("< one")
        #expect(talk.on(.begun) == [])
        #expect(talk.wait() == ["finish"])
        #expect(
            talk.deviations == [
                "the socket\n  the socket: recorded open, received closed: no answer to the handshake"
            ])
    }

    @Test func `refused, unreachable and ended`() {
        var refused = PlayedTalk("< one")
        _ = refused.on(.begun)
        var found = Differences()
        found.add(Difference(.status, recorded: "101", live: "403"))
        #expect(refused.on(.refused(found)) == ["finish"])
        #expect(
            refused.deviations == [
                "the answer to the handshake\n  status: recorded 101, received 403"
            ])
        var nowhere = PlayedTalk("< one")
        _ = nowhere.on(.begun)
        #expect(nowhere.on(.unreachable("refused")) == ["finish"])
        #expect(nowhere.play.played.unreachable == "refused")
        var stopped = PlayedTalk("< one")
        _ = stopped.open()
        #expect(stopped.on(.abandoned) == ["close 1000", "finish"])
        #expect(stopped.play.played.wasStopped && stopped.deviations == [])
    }

    @Test func `the recorded pace is kept`() {
        var talk = PlayedTalk("> one", "< two", "> three", client: 1000, pace: .times(2))
        #expect(talk.open() == [])
        #expect(talk.wait() == ["> one"])
        #expect(talk.now == 100.5)
        talk.now = 102
        #expect(talk.hear("two") == [])
        #expect(talk.wait(most: 9) == ["> three"])
        #expect(talk.now == 102.5)
        #expect(talk.wait(most: 9) == ["close 1000"])
        #expect(talk.now == 103)
    }

    @Test func `tokens that the live server gives out are carried on`() {
        var talk = PlayedTalk(
            #"< {"token": "recorded-token-0001"}"#, #"> {"auth": "recorded-token-0001"}"#,
            "< for recorded-token-0001", ">> recorded-token-0001", client: 1000)
        _ = talk.open()
        #expect(
            talk.hear(#"{"token":"live-token-4711"}"#) == [#"> {"auth": "live-token-4711"}"#])
        #expect(
            talk.hear("for live-token-4711") == [">> recorded-token-0001", "close 1000"])
        _ = talk.hang()
        #expect(talk.deviations == [])
        var verbatim = PlayedTalk(
            #"< {"token": "recorded-token-0001"}"#, #"> {"auth": "recorded-token-0001"}"#)
        verbatim.identity = ReplayIdentity(seed: 1, isVerbatim: true)
        _ = verbatim.open()
        #expect(
            verbatim.hear(#"{"token":"live-token-4711"}"#) == [
                #"> {"auth": "recorded-token-0001"}"#, "close 1000",
            ])
    }
}
