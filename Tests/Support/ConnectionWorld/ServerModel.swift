import Framing

/// A server as one leg to it finds it.
struct ServerModel {
    /// How it behaves.
    enum Manner: Hashable, CaseIterable {
        case polite, silent, hasty, odd, ending, twice, mixed
    }

    enum Ending: Hashable { case end, close, reset }

    private let plan: WorldPlan
    private let manner: Manner
    private var framer = HTTPFramer(role: .request)
    private var unread: [UInt8] = []
    private var isRaw = false
    private var isWebSocket = false
    private var method = ""
    private var isUpgrade = false
    private var hasAnswered = false
    private var number: Int
    private var rawLeft = 20
    private(set) var answers = 0
    var outbox = ByteQueue()
    var ending: Ending?

    init(_ plan: WorldPlan, number: Int, _ chance: inout Chance) {
        self.plan = plan
        self.number = number
        manner = plan.isPolite ? .polite : chance.pick(Manner.allCases)
    }

    private mutating func say(_ bytes: [UInt8]) {
        // A server that nobody listens to stops somewhere.
        guard plan.isPolite || outbox.count < 400_000 else { return }
        outbox.append(bytes)
    }

    private mutating func sayAnswer(_ chance: inout Chance) {
        say(
            Speech.answer(
                number, method: method, isLast: false, largest: plan.largest, &chance))
    }

    /// What the server says that nobody asked for.
    mutating func speakUnasked(_ chance: inout Chance) {
        number += 1
        switch chance.below(8) {
        case 0: sayAnswer(&chance)
        case 1: say(Speech.oddAnswer(number, &chance))
        case 2: say(Speech.interim(&chance))
        case 3: say(Array("220 ready\r\n".utf8))
        case 4: ending = .end
        case 5: ending = .reset
        case 6: ending = .close
        default: if isRaw { speakRaw(&chance) }
        }
    }

    private mutating func speakRaw(_ chance: inout Chance) {
        number += 1
        say(
            isWebSocket
                ? Speech.message(number, isClient: false, largest: plan.largest, &chance)
                : Speech.content(number, 1 + chance.size(most: plan.largest)))
    }

    /// Takes what the client sent.
    mutating func take(_ bytes: [UInt8], _ chance: inout Chance) {
        if isRaw {
            // Not for ever: a server whose words are answered by words never falls silent.
            if rawLeft > 0, chance.percent(50) {
                rawLeft -= 1
                speakRaw(&chance)
            }
            return
        }
        unread += bytes
        while let first = unread.first, !isRaw {
            if framer.isBetweenMessages, !StartOfStream.isHTTP(first) {
                isRaw = true
                speakRaw(&chance)
                return
            }
            var events: [HTTPEvent] = []
            let bytes = unread
            let taken = framer.consume(bytes.span, into: &events)
            unread.removeFirst(taken)
            for event in events { handle(event, &chance) }
            guard framer.isPaused, !isRaw else { return }
            framer.resume(.http)
        }
    }

    private mutating func handle(_ event: HTTPEvent, _ chance: inout Chance) {
        switch event {
        case .head(let head, _):
            method = head.method
            isUpgrade =
                head.contains(token: "upgrade", in: "connection") && head.first("upgrade") != nil
            isWebSocket = head.contains(token: "websocket", in: "upgrade")
            hasAnswered = false
            if chance.percent(plan.isPolite ? 5 : 15) { say(Speech.interim(&chance)) }
            if manner == .hasty || !plan.isPolite && chance.percent(5) { answer(&chance) }
        case .end:
            if !hasAnswered { answer(&chance) }
        case .failure:
            if chance.percent(50) { say(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)) }
        default:
            break
        }
    }

    private mutating func answer(_ chance: inout Chance) {
        hasAnswered = true
        number += 1
        answers += 1
        if isUpgrade, manner != .silent, !plan.refusesUpgrades, plan.isPolite || chance.percent(70)
        {
            say(Speech.switching(isWebSocket: isWebSocket))
            isRaw = true
            return
        }
        if method == "CONNECT", manner != .silent, plan.isPolite || chance.percent(70) {
            say(Speech.established)
            framer = HTTPFramer(role: .request)
            return
        }
        switch manner == .mixed ? chance.pick(Manner.allCases) : manner {
        case .polite, .hasty, .mixed:
            sayAnswer(&chance)
        case .silent: break
        case .odd: say(Speech.oddAnswer(number, &chance))
        case .twice:
            sayAnswer(&chance)
            sayAnswer(&chance)
        case .ending:
            let bytes = Speech.answer(
                number, method: method, isLast: true, largest: plan.largest, &chance)
            say(chance.percent(50) ? bytes : Array(bytes.prefix(chance.below(bytes.count))))
            ending = chance.pick([.end, .close, .reset])
        }
    }
}
