import Dissection
import Faults
import Wire

@testable import Proxying

/// Connections whose peers do whatever chance decides, played as values under a clock of their own.
///
/// After each step and at the end it is looked at what has to hold for every connection; what does
/// not is in ``problems``, each with the number of what it is about:
///
/// 1. what is done is bounded by the bytes that were given;
/// 2. every byte that was read stands in the trace and goes on, once and in order, and nothing else
///    is sent;
/// 3. without rules what goes on is changed by the closed list of rewrites alone;
/// 4. what is held is bounded;
/// 5. once all peers have ended everything is closed, every exchange has an outcome, and polite
///    peers get everything before;
/// 6. the rows are the same from the live path, from the trace, and from other cuts;
/// 7. what one event causes is bounded;
/// 8. the relay and the rows find the same messages in the same bytes.
package struct World {
    private var chance: Chance
    private let features: WorldFeatures
    private let isLogging: Bool
    private let session: FaultSession?
    private var rules = 0
    private var connections: [WorldConnection] = []
    private var clock: Int64 = 0
    private let most: Int
    private var live: WorldTrace
    /// What did not hold.
    package private(set) var problems: [String] = []
    /// Events that were given to relays.
    package private(set) var steps = 0

    /// Most bytes of one connection that are held without rules, and with them.
    static let maxHeld = (plain: 1 << 20, judged: 5 << 19)

    /// A world that has not begun.
    ///
    /// - Parameters:
    ///   - chance: Decides everything.
    ///   - features: What it may contain.
    ///   - most: Most moves before peers are asked to end.
    ///   - isLogging: Whether it is to be told what happens.
    package init(
        _ chance: Chance, features: WorldFeatures = .all, most: Int = 3_000,
        isLogging: Bool = false
    ) {
        var chance = chance
        let hasRules = features.contains(.rules) && chance.percent(40)
        self.chance = chance
        self.features = features
        self.most = most
        self.isLogging = isLogging
        session = hasRules ? FaultSession(plan: FaultPlan(), seed: 7) : nil
        live = WorldTrace(keepsRows: isLogging)
    }

    /// What happened, in lines; of the connections that something does not hold for, if of any.
    package var log: [String] {
        let blamed = connections.filter { $0.isBlamed }
        return (blamed.isEmpty ? connections : blamed).flatMap { connection in
            ["-- connection \(connection.relay.connection.id), \(connection.plan)"] + connection.log
        }
    }

    /// Plays it to the end.
    package mutating func play() {
        if session != nil { for _ in 0..<chance.below(4) { changeRules() } }
        let count = chance.percent(70) ? 1 : 2 + chance.below(3)
        for number in 1...count {
            let plan = WorldPlan(features, hasRules: session != nil, &chance)
            connections.append(
                WorldConnection(
                    Int64(number), plan, session: session, at: now, isLogging: isLogging, &chance))
        }
        run(isEnding: false, most: most)
        for index in connections.indices { connections[index].client.finish() }
        run(isEnding: true, most: 300_000)
        checkPolite()
        for index in connections.indices { connections[index].askToEnd() }
        run(isEnding: true, most: 300_000)
        if session != nil || connections.contains(where: { !$0.plan.isPolite }) {
            let isStalled = connections.contains { $0.isStalled }
            if isStalled || session != nil {
                for index in connections.indices { connections[index].resetClient() }
                run(isEnding: true, most: 300_000)
            }
        }
        finish()
    }

    private var now: Instant { Instant(nanoseconds: clock) }

    // MARK: Steps

    /// Lets things happen until nothing more can, or `most` things have.
    private mutating func run(isEnding: Bool, most: Int) {
        var left = most
        while problems.isEmpty {
            guard left > 0 else {
                if isEnding { problems.append("1: it does not come to an end") }
                return
            }
            left -= 1
            clock += 1_000
            if !isEnding, chance.percent(2) { disturb() }
            guard step(isEnding: isEnding) || jump() else {
                if isEnding || !somebodyLosesPatience() { return }
                continue
            }
        }
    }

    /// One thing happens on one connection.
    private mutating func step(isEnding: Bool) -> Bool {
        let first = chance.below(connections.count)
        for offset in connections.indices {
            let index = (first + offset) % connections.count
            if let alarm = connections[index].alarm, alarm <= now {
                connections[index].wake(now, &chance)
                check(index)
                return true
            }
            let moves = connections[index].moves(isEnding: isEnding || chance.isSpent)
            guard !moves.isEmpty else { continue }
            connections[index].make(chance.pick(moves), now, &chance)
            check(index)
            return true
        }
        return false
    }

    /// Nothing moves: time goes on to the next alarm.
    private mutating func jump() -> Bool {
        guard let next = connections.compactMap(\.alarm).min() else { return false }
        clock = max(clock, next.nanoseconds)
        return true
    }

    /// Nothing moves and nobody waits for a moment: clients that are not polite give up waiting.
    private mutating func somebodyLosesPatience() -> Bool {
        var isMoving = false
        for index in connections.indices where !connections[index].plan.isPolite {
            if connections[index].isHoldingHead {
                clock += 30_000_000_000
                connections[index].giveUpHead(now, &chance)
                check(index)
                isMoving = true
            }
            guard connections[index].client.wait != nil, !connections[index].isOver else {
                continue
            }
            connections[index].client.losePatience()
            isMoving = true
        }
        return isMoving
    }

    private mutating func disturb() {
        let index = chance.below(connections.count)
        connections[index].disturb(now, &chance)
        if session != nil, chance.percent(30) { changeRules() }
        if session != nil, chance.percent(40) {
            connections[index].decide(now, &chance)
            check(index)
        }
        if session != nil, chance.percent(5), let firing = WorldRules.firing(&chance) {
            connections[index].fire(firing, now, &chance)
            check(index)
        }
    }

    private mutating func changeRules() {
        guard let session else { return }
        switch chance.below(8) {
        case 0..<5:
            rules += 1
            if let rule = WorldRules.rule(rules, &chance) { try? session.add(rule) }
        case 5: try? session.remove("r\(1 + chance.below(max(1, rules)))")
        case 6: try? session.pause("r\(1 + chance.below(max(1, rules)))")
        default: try? chance.percent(50) ? session.resume() : session.reset()
        }
    }

    /// What is recorded of some hosts alone is no whole conversation.
    private var liveFeatures: WorldFeatures {
        connections.contains { $0.plan.isWeak } ? features.subtracting(.outcomes) : features
    }

    // MARK: What has to hold

    private mutating func check(_ index: Int) {
        steps += 1
        live.take(connections[index].records)
        connections[index].records = []
        if chance.percent(5) { live.flush() }
        let connection = connections[index].relay.connection.id
        if let why = connections[index].difference(from: live.framing(of: connection)) {
            problems.append("8: \(why) [connection \(connection)]")
            connections[index].isBlamed = true
        }
        let bound = session == nil ? Self.maxHeld.plain : Self.maxHeld.judged
        if connections[index].held > bound, !connections[index].plan.isWeak {
            problems.append("4: \(connections[index].held) bytes are held")
        }
        problems += connections[index].takeProblems(features)
    }

    /// Polite peers have got everything, however long the connections stay open.
    private mutating func checkPolite() {
        guard features.contains(.liveness), session == nil, !chance.isSpent else { return }
        for (index, connection) in connections.enumerated() where connection.plan.isPolite {
            if let why = connection.whyStuck {
                problems.append("5: \(why) [connection \(connection.relay.connection.id)]")
                connections[index].isBlamed = true
            }
        }
    }

    private mutating func finish() {
        guard problems.isEmpty else { return }
        for index in connections.indices {
            for socket in connections[index].sockets {
                problems.append(
                    "5: all peers have ended and leg \(socket.leg) is still there: \(socket.state)"
                        + ", input closed \(socket.isInputClosed), output \(socket.isOutputClosed)")
            }
            connections[index].ledger.finish()
            problems += connections[index].takeProblems(features)
            problems += connections[index].unexplained(features)
        }
        if problems.isEmpty { problems += live.finish(liveFeatures, &chance) }
    }
}
