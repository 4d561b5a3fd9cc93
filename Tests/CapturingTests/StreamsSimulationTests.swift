import Capturing
import Notation
import Testing
import Wire

@Suite("What comes out is what was sent, and what is missing is missing in its place")
struct StreamsSimulationTests {
    @Test(arguments: 0..<40)
    func sessions(block: UInt64) {
        for seed in block * 10..<block * 10 + 10 {
            guard check(seed) else {
                Issue.record("seed \(seed)")
                return
            }
        }
    }

    /// Puts one session together, and says whether everything holds.
    private func check(_ seed: UInt64) -> Bool {
        let session = SimulatedSession(seed: seed)
        var assembler = StreamAssembler()
        var events: [StreamEvent] = []
        for segment in session.captured {
            assembler.consume(segment, into: &events)
            guard assembler.counts.isBalanced else { return fails("the counts do not add up") }
        }
        assembler.finish(into: &events)
        var places = [0, 0]
        var missing: [Set<Int>] = [[], []]
        for event in events {
            switch event {
            case .opened(_, let client, _, _, let hasHandshake):
                guard client == Play.client, hasHandshake else { return fails("roles") }
            case .bytes(_, let sender, _, let bytes):
                let side = sender.rawValue
                let range = places[side]..<places[side] + bytes.count
                guard range.upperBound <= session.streams[side].count,
                    bytes.elementsEqual(session.streams[side][range])
                else { return fails("other bytes of the \(sender) at \(range)") }
                places[side] = range.upperBound
                guard isCausal(sender, range, places, session.exchanges) else {
                    return fails("\(sender) at \(range) comes too early")
                }
            case .missing(_, let sender, _, _, let count):
                let side = sender.rawValue
                missing[side].formUnion(places[side]..<places[side] + Int(count))
                places[side] += Int(count)
            case .ended, .closed: break
            }
        }
        for peer in Peer.allCases {
            let side = peer.rawValue
            let (fates, isEndUncertain) = session.fates(peer, grace: 64)
            guard
                // A byte alone at the end may be taken for the FIN, and the FIN for one of more.
                places[side] == fates.count
                    || fates.last == .missing && places[side] == fates.count - 1
                    || isEndUncertain && places[side] == session.streams[side].count + 1
            else { return fails("\(peer) ends at \(places[side]), not at \(fates.count)") }
            for (place, fate) in fates.prefix(places[side]).enumerated() where fate != .either {
                guard missing[side].contains(place) == (fate == .missing) else {
                    return fails("\(peer) at \(place) is to be \(fate)")
                }
            }
        }
        let counts = assembler.counts
        guard counts.isBalanced, counts.waiting == 0, counts.conflicting == 0,
            counts.missing == missing.reduce(0, { $0 + Int64($1.count) })
        else { return fails("\(counts)") }
        return assembler.bytesKept == 0
    }

    private func fails(_ what: String) -> Bool {
        Issue.record("\(what)")
        return false
    }

    /// Whether everything that was sent before these bytes had come out.
    ///
    /// One byte may be told as missing later: until something comes behind it, it could be a FIN.
    private func isCausal(
        _ sender: Peer, _ range: Range<Int>, _ places: [Int],
        _ exchanges: [SimulatedSession.Exchange]
    ) -> Bool {
        for (index, exchange) in exchanges.enumerated() {
            let previous = index > 0 ? exchanges[index - 1] : .init(questionEnd: 0, answerEnd: 0)
            switch sender {
            case .client where range.upperBound > previous.questionEnd:
                guard places[1] + 1 >= previous.answerEnd else { return false }
            case .server where range.upperBound > previous.answerEnd:
                guard places[0] + 1 >= exchange.questionEnd else { return false }
            default: break
            }
        }
        return true
    }
}

@Suite("Segments of no sense do no harm")
struct StreamsHostileTests {
    /// Segments near each other, and some from anywhere.
    private func segment(_ random: inout SplitMix64, at time: inout Int64) -> TCPSegment {
        let ends = [
            Play.client, Play.server, Endpoint(Play.server.address, 443),
            Endpoint(Play.client.address, 50_001),
        ]
        switch random.below(30) {
        case 0: time = Int64(bitPattern: random.next())
        case 1: time = time &- 5_000_000_000
        default: time = time &+ Int64(random.below(50_000_000))
        }
        let near = random.chance(95)
        let number = { (random: inout SplitMix64) in
            near
                ? UInt32(truncatingIfNeeded: random.below(2000) - 500)
                : UInt32(truncatingIfNeeded: random.next())
        }
        let flags = random.chance(85) ? [16, 16, 24, 17][random.below(4)] : random.below(32)
        return TCPSegment(
            source: ends[random.below(4)], destination: ends[random.below(4)],
            sequence: number(&random), acknowledgment: number(&random),
            flags: .init(rawValue: UInt8(flags)),
            payload: [UInt8](repeating: UInt8(random.below(3)), count: random.below(60))[...],
            cutOff: random.chance(10) ? Int(truncatingIfNeeded: random.next()) : 0,
            atUnixNanoseconds: time)
    }

    @Test(arguments: 0..<40)
    func garbage(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var limits = StreamLimits()
        if seed % 2 == 0 {
            limits.connections = 3
            limits.waiting = 3000
            limits.waitingOfDirection = 1500
            limits.piecesOfDirection = 8
            limits.servers = 1
        }
        var assembler = StreamAssembler(limits: limits)
        var time: Int64 = 0
        var delivered: Int64 = 0
        var missing: Int64 = 0
        var openAt: Set<Int> = []
        for round in 0..<1500 {
            var events: [StreamEvent] = []
            if round == 1499 {
                assembler.finish(into: &events)
            } else {
                assembler.consume(segment(&random, at: &time), into: &events)
            }
            for event in events {
                switch event {
                case .opened(let number, _, _, _, _): openAt.insert(number)
                case .bytes(let number, _, _, let bytes):
                    delivered += Int64(bytes.count)
                    #expect(openAt.contains(number) && !bytes.isEmpty)
                case .missing(let number, _, _, _, let count):
                    missing += count
                    #expect(openAt.contains(number) && count > 0)
                case .ended(let number, _, _): #expect(openAt.contains(number))
                case .closed(let number, _, _): #expect(openAt.remove(number) != nil)
                }
            }
            let counts = assembler.counts
            #expect(counts.isBalanced && counts.delivered == delivered)
            #expect(counts.missing == missing)
            #expect(assembler.bytesKept <= limits.waiting)
            #expect(assembler.connectionsKnown <= limits.connections)
        }
        #expect(openAt.isEmpty)
        #expect(assembler.bytesKept == 0 && assembler.counts.waiting == 0)
    }
}
