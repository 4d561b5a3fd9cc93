import Notation
import Testing
import Wire

@testable import Replaying

/// A random conversation of which both sides are played to each other, over a line that delivers
/// when it likes, but in order.
private struct Meeting {
    /// What becomes of one message of the server on its way.
    enum Mishap: CaseIterable {
        case none, lost, changed, added, swapped
    }

    private enum Down {
        case message(SocketMessage)
        case end(Int?)
    }

    var play: WebSocketPlay
    var replay: WebSocketReplay
    private var identity = ReplayIdentity(seed: 1)
    private var chance: SplitMix64
    private var now = Instant.zero
    private var up: [SocketMessage] = []
    private var hasLeft = false
    private var down: [Down] = []
    private var timer: Instant?
    private var isOver = false
    private let mishap: Mishap
    private let victim: Int
    private var served = 0

    /// The meeting of a seed; nil words make each message another one, else there are so many.
    init(_ seed: UInt64, words: Int?, _ mishap: Mishap = .none) {
        var chance = SplitMix64(seed: seed)
        let count = 2 + chance.below(20)
        var messages: [RecordedConversation.Message] = []
        var payloads: [MessageID: [UInt8]] = [:]
        for number in 1...count {
            let id = MessageID(Int64(number))
            payloads[id] = bytes("message \(words.map { chance.below($0) } ?? number)")
            messages.append(
                .init(
                    id: id, sender: chance.chance(50) ? .client : .server,
                    isText: words == nil || chance.chance(70), at: second(Double(number))))
        }
        // So that there is one to which something can happen, and its neighbour.
        let pair = chance.below(count - 1)
        messages[pair].sender = .server
        messages[pair + 1].sender = .server
        victim = messages[...pair].count { $0.sender == .server }
        var conversation = RecordedConversation(
            exchange: ExchangeID(1), openedAt: .zero, messages: messages)
        let end = RecordedSocket.End(code: 4001, at: second(Double(count) + 1))
        if chance.chance(50) { conversation.end = end } else { conversation.clientEnd = end }
        play = WebSocketPlay(conversation) { [payloads] in payloads[$0] }
        replay = WebSocketReplay([conversation]) { [payloads] in payloads[$0] }
        self.mishap = mishap
        self.chance = chance
    }

    /// Plays it to its end; fails where it does not come.
    mutating func run() {
        tell(.begun)
        serve(.opened(socket: 1, as: ExchangeID(1)))
        tell(.opened(Differences()))
        for _ in 0..<10_000 where !isOver { step() }
        #expect(isOver, "it does not come to an end")
    }

    private mutating func step() {
        now.nanoseconds += 1_000
        if !up.isEmpty, down.isEmpty || chance.chance(50) {
            return serve(.received(socket: 1, up.removeFirst()))
        }
        if !down.isEmpty {
            switch down.removeFirst() {
            case .message(let message): return tell(.received(message))
            case .end(let code): return tell(.closed(code: code, reason: "closed"))
            }
        }
        if hasLeft { return tell(.closed(code: nil, reason: "gone")) }
        guard let next = timer else { return }
        timer = nil
        now = max(now, next)
        tell(.timePassed(progress: 0))
    }

    private mutating func serve(_ event: WebSocketReplayEvent) {
        for command in replay.handle(event, at: now) {
            switch command {
            case .send(let sending): send(sending.message)
            case .close(_, let code, _): down.append(.end(code))
            case .report, .stop: break
            }
        }
    }

    private mutating func send(_ message: SocketMessage) {
        served += 1
        down.append(.message(message))
        if served == victim {
            switch mishap {
            case .none, .swapped: break
            case .lost: down.removeLast()
            case .changed: down[down.count - 1] = .message(.init(isText: true, payload: [7]))
            case .added: down.append(.message(.init(isText: true, payload: [7])))
            }
        }
        if served == victim + 1, mishap == .swapped { down.swapAt(down.count - 1, down.count - 2) }
    }

    private mutating func tell(_ event: WebSocketPlayEvent) {
        for command in play.handle(event, at: now, &identity) {
            switch command {
            case .send(let message): up.append(message)
            case .askTurn(let id): tell(.turn(id))
            case .close: hasLeft = true
            case .finish: isOver = true
            case .setTimer(let time): timer = time
            case .opened, .came: break
            }
        }
    }
}

struct WebSocketPlayPropertyTests {
    @Test(arguments: [1, 3, nil] as [Int?])
    func `a conversation played to its own server gives no difference`(words: Int?) {
        for seed in 0..<300 {
            var meeting = Meeting(UInt64(seed), words: words)
            meeting.run()
            #expect(meeting.play.played.deviations == [], "seed \(seed)")
            #expect(meeting.play.played.matched == meeting.play.played.recorded, "seed \(seed)")
            #expect(meeting.play.played.skipped == 0 && meeting.replay.unused == 0, "seed \(seed)")
            #expect(!meeting.replay.isStopped, "seed \(seed)")
        }
    }

    @Test(arguments: Meeting.Mishap.allCases.dropFirst())
    fileprivate func `what befalls one message is one difference`(mishap: Meeting.Mishap) {
        for seed in 0..<100 {
            var meeting = Meeting(UInt64(seed), words: nil, mishap)
            meeting.run()
            #expect(meeting.play.played.deviationCount == 1, "seed \(seed)")
            #expect(!meeting.replay.isStopped, "seed \(seed)")
        }
    }
}
