import Capturing
import Notation
import Wire

/// A TCP session made up by chance: what both ends really sent, and what a capture has of it.
///
/// The client asks, the server answers when it has the whole question; both cut what they send as
/// they like, segments get lost and are sent again in other pieces, acknowledgments come when they
/// come. The capture then lacks segments, has them in another order, twice, or in part.
struct SimulatedSession {
    /// One question and its answer, as places where they end.
    struct Exchange {
        var questionEnd: Int
        var answerEnd: Int
    }

    /// A segment as it was sent; the FIN has the place behind the last byte.
    private struct Sent {
        var sender: Peer
        var range: Range<Int>
        var acknowledges: Int
        var flags: TCPSegment.Flags = .ack
        var cutOff = 0
    }

    private struct End {
        var sent = 0
        var received = 0
        var arrived: Set<Int> = []
        /// Segments on their way from this end.
        var inFlight: [Sent] = []
    }

    /// What each end sent in all, by ``Peer``.
    private(set) var streams: [[UInt8]] = [[], []]
    private(set) var exchanges: [Exchange] = []
    /// What the capture has.
    private(set) var captured: [TCPSegment] = []
    private let initial: [UInt32]
    private var ends = [End(), End()]
    private var wire: [Sent] = []
    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        // Often near the end of the numbers.
        initial = (0..<2).map { [random] _ in
            var random = random
            let any = UInt32(truncatingIfNeeded: random.next())
            return random.chance(50) ? any : 0 &- any % 3000
        }
        for _ in 0...random.below(5) {
            for side in 0..<2 {
                let count = 1 + random.below(random.chance(20) ? 2000 : 200)
                streams[side] += (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            }
            exchanges.append(
                Exchange(questionEnd: streams[0].count, answerEnd: streams[1].count))
        }
        talk()
        capture()
    }

    // MARK: - Talking

    /// How much an end has to send, by what it has received.
    private func written(_ peer: Peer) -> Int {
        let got = ends[peer.rawValue].received
        switch peer {
        case .client:
            return exchanges.prefix { got >= $0.answerEnd }.count < exchanges.count
                ? exchanges[exchanges.prefix { got >= $0.answerEnd }.count].questionEnd
                : streams[0].count
        case .server: return exchanges.last { got >= $0.questionEnd }?.answerEnd ?? 0
        }
    }

    private mutating func talk() {
        wire = [
            Sent(sender: .client, range: 0..<0, acknowledges: 0, flags: .syn),
            Sent(sender: .server, range: 0..<0, acknowledges: 0, flags: [.syn, .ack]),
            Sent(sender: .client, range: 0..<0, acknowledges: 0),
        ]
        let longest = [10, 100, 400][random.below(3)]
        for _ in 0..<1200 {
            let peer = random.chance(50) ? Peer.client : .server
            switch random.below(10) {
            case 0..<4: sendMore(peer, longest)
            case 4..<5: sendAgain(peer, longest)
            case 5: acknowledge(peer)
            default: arrive(from: peer)
            }
            let isOver = Peer.allCases.allSatisfy {
                ends[$0.rawValue].received == streams[$0.other.rawValue].count + 1
            }
            if isOver { break }
        }
    }

    private mutating func send(_ peer: Peer, _ range: Range<Int>) {
        let last = streams[peer.rawValue].count
        var sent = Sent(
            sender: peer, range: range.clamped(to: 0..<last),
            acknowledges: ends[peer.rawValue].received)
        if range.upperBound > last { sent.flags.insert(.fin) }
        wire.append(sent)
        ends[peer.rawValue].inFlight.append(sent)
    }

    private mutating func sendMore(_ peer: Peer, _ longest: Int) {
        let from = ends[peer.rawValue].sent
        var to = written(peer)
        // After all bytes comes the FIN, which is one more.
        if to == streams[peer.rawValue].count { to += 1 }
        guard from < to else { return }
        let end = min(to, from + 1 + random.below(longest))
        send(peer, from..<end)
        ends[peer.rawValue].sent = end
    }

    private mutating func sendAgain(_ peer: Peer, _ longest: Int) {
        let first = ends[peer.other.rawValue].received
        let last = ends[peer.rawValue].sent
        // Sometimes what was received long ago, as acknowledgments get lost.
        let from = max(0, first - (random.chance(30) ? random.below(longest) : 0))
        guard from < last else { return }
        let start = from + random.below(min(longest, last - from)) / 2
        send(peer, start..<min(last, start + 1 + random.below(longest)))
    }

    private mutating func acknowledge(_ peer: Peer) {
        let place = ends[peer.rawValue].sent
        send(peer, place..<place)
    }

    private mutating func arrive(from peer: Peer) {
        guard !ends[peer.rawValue].inFlight.isEmpty else { return }
        let index = random.below(min(3, ends[peer.rawValue].inFlight.count))
        let sent = ends[peer.rawValue].inFlight.remove(at: index)
        guard !random.chance(8) else { return }
        let other = peer.other.rawValue
        ends[other].arrived.formUnion(sent.range)
        if sent.flags.contains(.fin) { ends[other].arrived.insert(sent.range.upperBound) }
        while ends[other].arrived.remove(ends[other].received) != nil { ends[other].received += 1 }
        if random.chance(60) { acknowledge(peer.other) }
    }

    // MARK: - Capturing

    private mutating func capture() {
        let lossPercent = random.chance(70) ? random.below(30) : 0
        let cutOffAt = random.chance(20) ? random.below(100) : .max
        let unseen = random.chance(15) ? Peer(rawValue: random.below(2)) : nil
        let disorder = random.chance(70) ? random.below(6) : 0
        var kept: [(order: Int, sent: Sent)] = []
        for (number, sent) in wire.enumerated() {
            guard sent.sender != unseen, number < 3 || !random.chance(lossPercent) else { continue }
            var sent = sent
            sent.cutOff = max(0, sent.range.count - cutOffAt)
            kept.append((number + random.below(disorder), sent))
            if random.chance(5) { kept.append((number + random.below(disorder), sent)) }
        }
        // Sorting keeps the order of equals.
        kept.sort { $0.order < $1.order }
        captured = kept.enumerated().map { segment($1.sent, atMilliseconds: $0) }
    }

    private static let endpoints = [Play.client, Play.server]

    private func segment(_ sent: Sent, atMilliseconds time: Int) -> TCPSegment {
        let side = sent.sender.rawValue
        let other = sent.sender.other.rawValue
        let isFirst = sent.flags.contains(.syn)
        let payload = sent.range.dropLast(sent.cutOff)
        return TCPSegment(
            source: Self.endpoints[side], destination: Self.endpoints[other],
            sequence: initial[side] &+ (isFirst ? 0 : 1 + UInt32(sent.range.lowerBound)),
            acknowledgment: initial[other] &+ 1 &+ UInt32(sent.acknowledges), flags: sent.flags,
            payload: streams[side][payload.startIndex..<payload.endIndex], cutOff: sent.cutOff,
            atUnixNanoseconds: Int64(time) * 1_000_000)
    }

    // MARK: - What is to be expected

    /// What has to become of each byte of one direction.
    enum Fate: Hashable {
        case delivered
        case missing
        /// It was captured so late, or cut off before, that both are right.
        case either
    }

    /// Fates of the bytes of `peer` as far as the capture tells of them, and whether the FIN was
    /// acknowledged and not captured, so that it may be taken for one more.
    func fates(_ peer: Peer, grace: Int) -> (fates: [Fate], isEndUncertain: Bool) {
        let side = peer.rawValue
        let count = streams[side].count
        var seenAt = [Int](repeating: .max, count: count)
        var isCutOff = [Bool](repeating: false, count: count)
        // When each byte was first acknowledged: acknowledgments only grow in `highest`.
        var acknowledgedAt = [Int](repeating: .max, count: count)
        var highest = 0
        var end = 0
        var hasFinish = false
        for (index, segment) in captured.enumerated() {
            guard segment.source == Self.endpoints[side] else {
                guard segment.flags.contains(.ack) else { continue }
                let place = Int(segment.acknowledgment &- initial[side] &- 1)
                for byte in min(highest, count)..<max(min(highest, count), min(place, count)) {
                    acknowledgedAt[byte] = index
                }
                highest = max(highest, place)
                continue
            }
            guard !segment.flags.contains(.syn) else { continue }
            let start = Int(segment.sequence &- initial[side] &- 1)
            let seen = start..<start + segment.payload.count
            for byte in seen { seenAt[byte] = min(seenAt[byte], index) }
            let absent = seen.upperBound..<seen.upperBound + segment.cutOff
            for byte in absent { isCutOff[byte] = true }
            // An empty segment says nothing of what was sent before it.
            if seen.lowerBound < absent.upperBound { end = max(end, absent.upperBound) }
            if segment.flags.contains(.fin) { hasFinish = true }
        }
        end = hasFinish ? count : max(end, min(highest, count))
        let fates = (0..<end).map { byte -> Fate in
            guard seenAt[byte] < .max else { return .missing }
            let late = acknowledgedAt[byte]
            if isCutOff[byte] || (late < .max && seenAt[byte] >= late + grace) { return .either }
            return .delivered
        }
        return (fates, !hasFinish && highest == count + 1)
    }
}
