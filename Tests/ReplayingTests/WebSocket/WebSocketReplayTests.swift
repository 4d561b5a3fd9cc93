import Replaying
import Testing
import Wire

/// A recorded conversation as a test writes it down, and live clients that chat to its replay.
///
/// A line is `> text` of the client or `< text` of the server; `>>` and `<<` are binary. They are a
/// second apart, from second 1 on; the socket was open at second 0.
private struct Chat {
    var replay: WebSocketReplay
    var now = 100.0

    init(
        _ lines: String..., code: Int? = nil, isStrict: Bool = true,
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
        let end = code.map { RecordedSocket.End(code: $0, at: second(Double(lines.count + 1))) }
        let conversation = RecordedConversation(
            exchange: ExchangeID(7), openedAt: .zero, messages: messages, end: end)
        replay = WebSocketReplay(
            [conversation], isStrict: isStrict, pace: pace, leftOut: LeftOut(rules: rules)
        ) { [payloads] in payloads[$0] }
    }

    mutating func open(_ socket: Int = 1) -> [String] {
        replay.handle(.opened(socket: socket, as: ExchangeID(7)), at: second(now)).map(line)
    }

    mutating func say(_ text: String, isText: Bool = true, socket: Int = 1) -> [String] {
        now += 1
        let message = SocketMessage(isText: isText, payload: bytes(text))
        return replay.handle(.received(socket: socket, message), at: second(now)).map(line)
    }

    private func line(_ command: WebSocketReplayCommand) -> String {
        func at(_ due: Instant) -> String {
            due == second(now)
                ? "" : " after \((due.nanoseconds - second(now).nanoseconds) / 1_000_000) ms"
        }
        return switch command {
        case .send(let sending):
            (sending.message.isText ? "< " : "<< ") + string(sending.message.payload)
                + at(sending.due)
        case .close(_, let code, let due): "close \(code ?? 0)" + at(due)
        case .report: "report"
        case .stop: "stop"
        }
    }
}

struct WebSocketReplayTests {
    @Test func `what the server sent comes after what it came after`() {
        var chat = Chat("< hello", "< again", "> one", "< two", ">> three", "<< four", "> five")
        #expect(chat.open() == ["< hello", "< again"])
        #expect(chat.say("one") == ["< two"])
        #expect(chat.say("three", isText: false) == ["<< four"])
        #expect(chat.replay.unused == 1)
        #expect(chat.say("five") == [])
        #expect(chat.replay.matched == 3)
        #expect(chat.replay.unused == 0)
        #expect(!chat.replay.isStopped)
    }

    @Test func `the server closes as it did, once everything was said`() {
        var chat = Chat("> one", "< two", code: 4001)
        #expect(chat.open() == [])
        #expect(chat.say("one") == ["< two", "close 4001"])
        #expect(chat.say("late") == [])
        var silent = Chat(code: 1008)
        #expect(silent.open() == ["close 1008"])
    }

    @Test func `JSON is compared by what it says, and rules leave out`() throws {
        let rules = [try IgnoreRule(parsing: "json:/at")]
        var chat = Chat(#"> {"a": 1, "b": [2], "at": 3}"#, "< ok", rules: rules)
        _ = chat.open()
        #expect(chat.say(#"{"b":[2],"a":1,"at":9}"#) == ["< ok"])
    }

    @Test func `another message is a miss that is pointed at`() throws {
        var chat = Chat(#"> {"order": {"count": 3}}"#, "< ok")
        _ = chat.open()
        #expect(chat.say(#"{"order":{"count":4}}"#) == ["stop"])
        #expect(chat.replay.isStopped)
        #expect(chat.say(#"{"order":{"count":3}}"#) == [])
        let miss = try #require(chat.replay.misses.first)
        #expect(miss.reason == .different)
        #expect(miss.candidate?.message == MessageID(1))
        #expect(miss.candidate?.differences.items.map(\.place) == ["JSON /order/count"])
        #expect(miss.description.contains("JSON /order/count: recorded 3, received 4"))
        let section = chat.replay.section()
        #expect(section.recorded == 1 && section.missed == 1 && section.unused == 1)
        #expect(section.unusedItems.first?.line.hasPrefix("message 1, exchange 7, text") == true)
    }

    @Test func `text is not binary`() throws {
        var chat = Chat("> same")
        _ = chat.open()
        #expect(chat.say("same", isText: false) == ["stop"])
        let difference = try #require(chat.replay.misses.first?.candidate?.differences.items.first)
        #expect(difference.description == "message: recorded text, received binary")
    }

    @Test func `a lenient replay goes on`() throws {
        var chat = Chat("> one", "< 1", "> two", "< 2", "> three", "< 3", isStrict: false)
        _ = chat.open()
        #expect(chat.say("nothing of it") == ["report"])
        #expect(chat.say("two") == ["< 1", "< 2"])
        #expect(chat.say("three") == ["< 3"])
        #expect(chat.say("four") == ["report"])
        #expect(chat.replay.misses.map(\.reason) == [.different, .nothingLeft])
        #expect(chat.replay.missed == 2)
        #expect(chat.replay.unused == 1)
    }

    @Test func `a message out of turn says which was expected`() throws {
        var chat = Chat("> one", "> two")
        _ = chat.open()
        #expect(chat.say("two") == ["stop"])
        let differences = try #require(chat.replay.misses.first?.candidate?.differences)
        #expect(differences.items.map(\.kind) == [.order])
        #expect(differences.items.first?.recorded?.contains("one") == true)
    }

    @Test func `the recorded pace is kept, and nothing overtakes anything`() {
        var chat = Chat("< hello", "> one", "< two", "< three", code: 1000, pace: .times(2))
        #expect(chat.open() == ["< hello after 500 ms"])
        // One and a half seconds of the recording later.
        #expect(
            chat.say("one") == [
                "< two after 500 ms", "< three after 1000 ms", "close 1000 after 1500 ms",
            ])
        var early = Chat("< a", "< b", "< c", "> one", "< two", pace: .times(1))
        #expect(early.open() == ["< a after 1000 ms", "< b after 2000 ms", "< c after 3000 ms"])
        #expect(early.say("one") == ["< two after 2000 ms"])
    }

    @Test func `sockets do not wait for each other, and one that is played again counts once`() {
        var chat = Chat("> one", "< two")
        _ = chat.open(1)
        _ = chat.open(2)
        #expect(chat.say("one", socket: 2) == ["< two"])
        #expect(chat.say("one", socket: 1) == ["< two"])
        #expect(chat.replay.matched == 1)
        #expect(chat.replay.handle(.closed(socket: 1), at: second(900)) == [])
        #expect(chat.say("one", socket: 1) == [])
        #expect(chat.replay.missed == 0)
    }
}
