import Notation
import Testing
import Wire

@testable import Replaying

/// Exchanges by start and end, in seconds; numbered from 1.
private func exchanges(_ times: [(Double, Double?)]) -> [RecordedExchange] {
    times.enumerated().map { index, time in
        RecordedExchange(
            id: ExchangeID(Int64(index + 1)), method: "GET", host: "h", path: "/\(index + 1)",
            status: 200, startedAt: second(time.0), respondedAt: time.1.map(second),
            endedAt: time.1.map(second))
    }
}

private func start(_ id: Int64, pause: Int64 = 0) -> ReplaySchedule.Start {
    .init(.exchange(ExchangeID(id)), pause: pause)
}

private func names(_ starts: [ReplaySchedule.Start]) -> [String] {
    starts.map { name($0.step) }
}

private func name(_ step: ReplaySchedule.Step) -> String {
    switch step {
    case .exchange(let id): "e\(id)"
    case .socket(let id): "s\(id)"
    case .command(let id): "c\(id)"
    case .conversation(let id): "w\(id)"
    case .message(let id): "m\(id)"
    }
}

struct ReplayScheduleTests {
    @Test func `what ended before is waited for`() {
        var schedule = ReplaySchedule(exchanges: exchanges([(0, 2), (1, 4), (3, 5), (5, 6)]))
        #expect(names(schedule.begin()) == ["e1", "e2"])
        #expect(names(schedule.end(.exchange(ExchangeID(2)))) == [])
        #expect(names(schedule.end(.exchange(ExchangeID(1)))) == ["e3"])
        #expect(names(schedule.end(.exchange(ExchangeID(1)))) == [])
        #expect(names(schedule.end(.exchange(ExchangeID(9)))) == [])
        #expect(schedule.left == 1)
        #expect(names(schedule.end(.exchange(ExchangeID(3)))) == ["e4"])
        #expect(names(schedule.end(.exchange(ExchangeID(4)))) == [])
        #expect(schedule.left == 0)
    }

    @Test func `pauses are those since what was waited for`() {
        var schedule = ReplaySchedule(exchanges: exchanges([(1, 2), (1.5, 9), (5, 6)]))
        #expect(schedule.begin() == [start(1), start(2, pause: 500_000_000)])
        let later = schedule.end(.exchange(ExchangeID(1)))
        #expect(later == [start(3, pause: 3_000_000_000)])
    }

    @Test func `equal times and missing answers`() {
        // Without length, one after the other; the third was never answered.
        var schedule = ReplaySchedule(exchanges: exchanges([(1, 1), (1, 1), (1, nil), (2, 3)]))
        #expect(names(schedule.begin()) == ["e1"])
        #expect(names(schedule.end(.exchange(ExchangeID(1)))) == ["e2"])
        #expect(names(schedule.end(.exchange(ExchangeID(2)))) == ["e3", "e4"])
    }

    @Test func `commands wait for what came on other sockets`() {
        var session = PlannedSession()
        session.say(1, .client, "0:init:{\"app_id\":\"a\",\"name\":\"b\"}")
        session.say(1, .server, "0:auth:ann@example.com")
        session.say(2, .client, "0:init:{\"app_id\":\"a\",\"name\":\"b\"}")
        session.say(2, .server, "0:auth:ann@example.com")
        session.say(1, .client, "h:0")
        session.say(1, .server, "h:1")
        session.say(2, .client, "0:i:::1:10")
        var schedule = session.schedule
        #expect(names(schedule.begin()) == ["s1", "c1"])
        // The second socket was opened behind the answer of the first.
        #expect(names(schedule.end(.command(CommandID(2)))) == ["s2", "c3"])
        #expect(names(schedule.end(.command(CommandID(6)))) == [])
        #expect(names(schedule.end(.command(CommandID(4)))) == ["c7"])
    }

    @Test func `exchanges and messages of a WebSocket wait for each other`() {
        func message(_ id: Int64, _ sender: Peer, _ at: Double) -> RecordedConversation.Message {
            .init(id: MessageID(id), sender: sender, isText: true, at: second(at))
        }
        // The socket was opened by the first exchange; a request makes it tell, the client thanks.
        let talk = RecordedConversation(
            exchange: ExchangeID(1), openedAt: second(1),
            messages: [
                message(1, .client, 2), message(2, .server, 5), message(3, .client, 6),
                message(4, .server, 9),
            ], clientEnd: .init(code: 1000, at: second(8)))
        var schedule = ReplaySchedule(
            exchanges: exchanges([(0, 1), (3, 4), (5.5, 7), (10, 11)]), conversations: [talk])
        #expect(names(schedule.begin()) == ["w1"])
        // The second request was sent behind the first message, but waits for no answer to it.
        #expect(names(schedule.end(.exchange(ExchangeID(1)))) == ["m1", "e2"])
        #expect(names(schedule.end(.exchange(ExchangeID(2)))) == [])
        #expect(names(schedule.end(.message(MessageID(2)))) == ["e3", "m3"])
        #expect(names(schedule.end(.exchange(ExchangeID(3)))) == ["e4"])
        #expect(schedule.left == 0)
        // A socket that ends has said what it had to say.
        var cut = ReplaySchedule(
            exchanges: exchanges([(0, 1), (3, 4), (5.5, 7)]), conversations: [talk])
        _ = cut.begin()
        #expect(names(cut.end(.conversation(ExchangeID(1)))) == ["m1", "e2"])
        #expect(names(cut.end(.exchange(ExchangeID(2)))) == ["e3", "m3"])
    }

    @Test func `a socket that ends ends what it had to say`() {
        var session = PlannedSession()
        session.say(1, .client, "0:init:{}")
        session.say(1, .server, "0:auth:ann@example.com")
        session.say(2, .client, "0:init:{}")
        var schedule = session.schedule
        #expect(names(schedule.begin()) == ["s1", "c1"])
        #expect(names(schedule.end(.socket(ConnectionID(1)))) == ["s2", "c3"])
    }

    @Test func `a change of which only an answer to cv tells is not waited for by what asks`() {
        var session = PlannedSession()
        let opening = #"0:init:{"app_id":"a","name":"b"}"#
        func change(_ ccid: String) -> String {
            #"0:c:{"id":"k","o":"M","v":{},"ccid":"\(ccid)"}"#
        }
        func made(_ ccid: String) -> String {
            #"0:c:[{"id":"k","o":"M","v":{},"ev":1,"cv":"\(ccid)","ccids":["\(ccid)"]}]"#
        }
        session.say(1, .client, opening)
        session.say(1, .server, "0:auth:ann@example.com")
        session.say(1, .client, change("unheard"))
        session.say(2, .client, opening)
        session.say(2, .server, "0:auth:ann@example.com")
        session.say(2, .client, "0:cv:0")
        session.say(2, .server, made("unheard"))
        session.say(2, .client, change("next"))
        session.say(2, .server, made("next"))
        var schedule = session.schedule
        #expect(names(schedule.begin()) == ["s1", "c1"])
        #expect(names(schedule.end(.command(CommandID(2)))) == ["c3", "c4"])
        #expect(names(schedule.end(.socket(ConnectionID(1)))) == ["s2"])
        #expect(names(schedule.end(.command(CommandID(5)))) == ["c6"])
        #expect(names(schedule.end(.command(CommandID(7)))) == ["c8"])
    }

    @Test func `changes in flight keep the order of the server`() {
        var session = PlannedSession()
        for socket in 1...2 {
            session.say(socket, .client, "0:init:{\"app_id\":\"a\",\"name\":\"b\"}")
            session.say(socket, .server, "0:auth:ann@example.com")
        }
        session.say(1, .client, #"0:c:{"id":"k","o":"M","ccid":"one","v":{}}"#)
        session.say(2, .client, #"0:c:{"id":"k","o":"M","ccid":"two","v":{}}"#)
        // The server took the second first, and told the first client before the second.
        session.say(1, .server, #"0:c:[{"id":"k","o":"M","ccids":["two"],"cv":"1","ev":1}]"#)
        session.say(2, .server, #"0:c:[{"id":"k","o":"M","ccids":["two"],"cv":"1","ev":1}]"#)
        session.say(1, .server, #"0:c:[{"id":"k","o":"M","ccids":["one"],"cv":"2","ev":2}]"#)
        var schedule = session.schedule
        _ = schedule.begin()
        _ = schedule.end(.command(CommandID(2)))
        #expect(names(schedule.end(.command(CommandID(4)))) == ["c6"])
        #expect(schedule.commands(answeredBy: CommandID(8)) == [CommandID(6)])
        #expect(names(schedule.end(.command(CommandID(7)))) == ["c5"])
        #expect(schedule.left == 0)
    }

    @Test func `a refusal says nothing about the same change on another socket`() {
        var session = PlannedSession()
        for socket in 1...3 {
            session.say(socket, .client, "0:init:{\"app_id\":\"a\",\"name\":\"b\"}")
            session.say(socket, .server, "0:auth:ann@example.com")
        }
        let again = #"0:c:{"id":"k","o":"M","ccid":"again","v":{}}"#
        session.say(1, .client, again)
        session.say(2, .client, #"0:c:{"id":"k","o":"M","ccid":"one","v":{}}"#)
        session.say(3, .client, again)
        session.say(2, .server, #"0:c:[{"id":"k","o":"M","ccids":["one"],"cv":"1","ev":1}]"#)
        session.say(3, .server, #"0:c:[{"id":"k","ccids":["again"],"error":409}]"#)
        var schedule = session.schedule
        _ = schedule.begin()
        _ = schedule.end(.command(CommandID(2)))
        _ = schedule.end(.command(CommandID(4)))
        // The second needs no answer to the third to be sent; the third was refused behind it.
        #expect(names(schedule.end(.command(CommandID(6)))) == ["c7", "c8"])
        #expect(names(schedule.end(.command(CommandID(10)))) == ["c9"])
    }

    @Test func `times go before numbers`() {
        // A page that was read behind a change of another socket, written down before it.
        let session = ReplaySchedule(
            exchanges: [],
            commands: [
                (1, Peer.client, 1.0, "0:init:{\"name\":\"b\"}"), (1, .client, 1.0, "0:i:::10:"),
                (1, .server, 5, "0:auth:ann"), (1, .server, 5, "0:i:{}"),
                (2, .client, 2, "0:init:{\"name\":\"b\"}"),
            ].enumerated().map { index, command in
                RecordedCommand(
                    id: CommandID(Int64(index + 1)), socket: ConnectionID(Int64(command.0)),
                    sender: command.1, at: second(command.2), text: bytes(command.3))
            })
        var schedule = session
        #expect(names(schedule.begin()) == ["s1", "c1", "c2", "s2", "c5"])
    }

    @Test func `what never comes is given up`() {
        var schedule = ReplaySchedule(exchanges: exchanges([(0, 1), (2, 3), (4, 5)]))
        #expect(names(schedule.begin()) == ["e1"])
        #expect(names(schedule.giveUp()) == ["e2"])
        #expect(names(schedule.end(.exchange(ExchangeID(2)))) == ["e3"])
        #expect(names(schedule.giveUp()) == [])
        #expect(names(schedule.giveUp()) == [])
    }

    @Test(arguments: 0..<50) func `nothing begins before what ended before it`(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var now = 0.0
        var times: [(Double, Double?)] = []
        for _ in 0..<80 {
            now += Double(random.below(3))
            times.append((now, random.chance(10) ? nil : now + Double(random.below(6))))
        }
        let all = exchanges(times)
        var schedule = ReplaySchedule(exchanges: all)
        var begun: [ExchangeID] = []
        var open: [ExchangeID] = []
        var ended: Set<ExchangeID> = []
        func take(_ starts: [ReplaySchedule.Start]) {
            for start in starts {
                guard case .exchange(let id) = start.step else { continue }
                begun.append(id)
                open.append(id)
                let own = all[Int(id.rawValue) - 1]
                for other in all where other.id != id {
                    guard let end = other.endedAt, end < own.startedAt else { continue }
                    #expect(ended.contains(other.id), "\(id) began before \(other.id) ended")
                }
            }
        }
        take(schedule.begin())
        while !open.isEmpty {
            let id = open.remove(at: random.below(open.count))
            ended.insert(id)
            take(schedule.end(.exchange(id)))
        }
        #expect(begun.count == all.count)
    }
}

/// Commands of a recorded session, one each millisecond.
struct PlannedSession {
    private(set) var commands: [RecordedCommand] = []
    private(set) var texts: [CommandID: [UInt8]] = [:]

    mutating func say(_ socket: Int, _ sender: Peer, _ text: String) {
        let id = CommandID(Int64(commands.count + 1))
        texts[id] = bytes(text)
        commands.append(
            RecordedCommand(
                id: id, socket: ConnectionID(Int64(socket)), sender: sender,
                at: second(Double(commands.count) / 1000), text: bytes(text)))
    }

    var schedule: ReplaySchedule {
        ReplaySchedule(exchanges: [], commands: commands) { texts[$0] }
    }
}
