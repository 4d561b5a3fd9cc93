import Wire

@testable import Proxying

/// Keeps the books of one connection: what was read, what is in the trace and what was sent.
///
/// Every byte that was read has to stand in a chunk, once and in order, and what a receiver gets is
/// what chunks say that it got. What stands in a chunk and is sent to nobody needs a reason.
struct Ledger {
    /// What the receiver of a chunk is to get.
    private struct Owed {
        var bytes: ArraySlice<UInt8>
        let isLocal: Bool
    }

    /// Bytes of a chunk that nobody got.
    struct Skipped {
        let sender: Peer
        fileprivate(set) var bytes: ArraySlice<UInt8>
        let isLocal: Bool
        /// The same for all that follow each other without anything delivered between them.
        let run: Int
    }

    private let client: LegID
    private let settings: RelaySettings
    private let hasRules: Bool
    /// Whether bytes may pass that are in no chunk.
    private let mayPassUnrecorded: Bool
    /// Bytes of SOCKS that the client has still to say, and answers to them that it has still to get;
    /// neither is in the trace.
    private var negotiationLeft: Int
    private var repliesLeft: Int
    /// Read and in no chunk.
    private var unrecorded: [LegID: ByteQueue] = [:]
    private var owed: [[Owed]] = [[], []]
    private var firstOwed = [0, 0]
    private var owedBytes = [0, 0]
    private(set) var skipped: [Skipped] = []
    private var runs = [0, 0]
    /// The run that is under way at the end.
    func lastRun(of sender: Peer) -> Int { runs[sender.rawValue] }
    /// Legs that nothing may be sent on any more, with why.
    private var finished: [LegID: String] = [:]
    private var now = Instant.zero
    private(set) var problems: [String] = []
    private(set) var undelivered = [0, 0]
    private(set) var faults: [String] = []
    private(set) var refusals = 0
    private(set) var ownAnswers = 0
    /// Rewrites that were seen, by reason.
    private(set) var rewrites: [Patch.Reason: Int] = [:]

    init(client: LegID, _ plan: WorldPlan, hasRules: Bool) {
        self.client = client
        settings = plan.settings
        self.hasRules = hasRules
        mayPassUnrecorded = plan.mayPassUnrecorded
        let negotiation = plan.way.negotiation(plan.server)
        negotiationLeft = negotiation.reduce(0) { $0 + $1.count }
        repliesLeft = negotiation.count
    }

    /// Bytes that were read and are neither in the trace nor sent.
    var unrecordedBytes: Int { unrecorded.values.reduce(0) { $0 + $1.count } }
    /// What they are.
    var unrecordedText: String {
        unrecorded.keys.sorted().filter { unrecorded($0) > 0 }.map {
            "\(unrecorded($0)) of leg \($0.rawValue), \(text(waiting($0)))"
        }.joined(separator: "; ")
    }
    /// Bytes in the trace that wait to be sent.
    var unsentBytes: Int { owedBytes[0] + owedBytes[1] }
    /// Bytes of one leg that were read and are in no chunk.
    func unrecorded(_ leg: LegID) -> Int { unrecorded[leg]?.count ?? 0 }

    /// What did not hold since this was last asked.
    mutating func takeProblems() -> [String] {
        defer { problems = [] }
        return problems
    }

    /// A peer's bytes were read.
    mutating func read(_ bytes: [UInt8], on leg: LegID, at: Instant) {
        let said = leg == client ? min(negotiationLeft, bytes.count) : 0
        negotiationLeft -= said
        guard said < bytes.count else { return }
        unrecorded[leg, default: ByteQueue()].append(Array(bytes.dropFirst(said)), at: at)
    }

    /// A leg is gone, and the relay was told so.
    mutating func gone(_ leg: LegID) { finished[leg] = "it was closed" }

    mutating func check(_ command: RelayCommand, at: Instant) {
        now = at
        switch command {
        case .record(let record): check(record)
        case .send(let leg, let bytes): check(bytes, on: leg)
        case .end(let leg):
            if finished[leg] == nil { finished[leg] = "it was ended" }
        case .close(let leg, _):
            finished[leg] = "it was closed"
        case .secureClient(_, let hello, _):
            if unrecorded[client]?.take(expecting: hello) != true {
                problems.append("2: TLS begins with bytes that the client did not send")
            }
        case .connect:
            takeConnect()
        case .secureServer, .pauseClient, .resumeClient, .holdBack, .letCome, .wake, .notice,
            .connectThrough:
            break
        }
    }

    // MARK: The trace

    private mutating func check(_ record: Record) {
        switch record {
        case .chunk(let chunk): check(chunk)
        case .fault(let row): faults.append(row.action)
        case .event(let event):
            if event.kind == .refused { refusals += 1 }
            if event.kind == .closed, let leg = event.leg { gone(leg) }
            if event.kind.rawValue == "undelivered" { explain(event) }
        default: break
        }
    }

    /// The trace says how many bytes of whom were delivered to nobody.
    private mutating func explain(_ event: EventRow) {
        let count = event.detail.split(separator: " ").lazy.compactMap { Int($0) }.first ?? 0
        let sender = event.detail.hasPrefix("client") ? 0 : 1
        // What is said by SOCKS is in no trace.
        if event.detail.contains("SOCKS") { return }
        if event.detail.contains("TLS handshake") {
            // What belongs to a handshake is in no trace.
            unrecorded[client]?.drop(count)
        } else {
            undelivered[sender] += count
        }
    }

    private mutating func check(_ chunk: Chunk) {
        if chunk.bytes.isEmpty { problems.append("2: an empty chunk") }
        if chunk.origin == .peer {
            checkTimes(chunk)
            if unrecorded[chunk.leg]?.take(expecting: chunk.bytes) != true {
                problems.append(
                    "2: a chunk of leg \(chunk.leg.rawValue) is not what was read there next: "
                        + text(chunk.bytes[...]) + ", but " + text(waiting(chunk.leg)))
            }
        } else if chunk.sender == .server, chunk.leg == client {
            answered(chunk.bytes)
        }
        var end = 0
        for patch in chunk.patches {
            rewrites[patch.reason, default: 0] += 1
            if patch.offset < end || patch.removed < 0
                || patch.offset + patch.removed > chunk.bytes.count
            {
                problems.append("3: a patch lies outside of its chunk, or over another: \(patch)")
            }
            end = patch.offset + patch.removed
            if !isAllowed(patch) { problems.append("3: nobody may rewrite so: \(patch)") }
        }
        let received = chunk.received
        guard !received.isEmpty else { return }
        let sender = chunk.sender.rawValue
        owed[sender].append(Owed(bytes: received[...], isLocal: chunk.origin == .tapedeck))
        owedBytes[sender] += received.count
    }

    /// Tapedeck answers itself: what was to go on before may have waited for a server that was not
    /// reached.
    private mutating func answered(_ bytes: [UInt8]) {
        ownAnswers += 1
        guard refusals > 0 || bytes == Speech.established else { return }
        while let next = nextOwed(.client) { take(next.bytes.count, of: .client) }
    }

    /// A chunk has the moment in which the first of it was read, and says what went on later.
    private mutating func checkTimes(_ chunk: Chunk) {
        if let at = unrecorded[chunk.leg]?.firstAt, at != chunk.at {
            problems.append(
                "2: a chunk of leg \(chunk.leg.rawValue) was read at \(at.nanoseconds), and it says "
                    + "\(chunk.at.nanoseconds): " + text(chunk.bytes[...]))
        }
        for delivery in chunk.deliveries {
            let isWhole = delivery.offset == 0 && delivery.count == chunk.bytes.count
            if !isWhole || chunk.deliveries.count != 1 {
                problems.append("2: a delivery is not about all of its chunk: \(delivery)")
            }
            guard let at = delivery.at else { continue }
            if !hasRules || at > now || at <= chunk.at {
                problems.append(
                    "2: what was read at \(chunk.at.nanoseconds) went on at \(at.nanoseconds), and "
                        + "it is \(now.nanoseconds)")
            }
        }
        let rewrites = chunk.patches.filter(\.reason.isRewrite)
        if ChunkView(of: chunk, hadBy: chunk.sender).bytes
            != Patch.apply(rewrites, to: chunk.bytes)
        {
            problems.append("2: its sender had another chunk: \(chunk.patches)")
        }
    }

    /// Whether a patch is on the closed list, as far as it can be seen by itself.
    private func isAllowed(_ patch: Patch) -> Bool {
        let text = String(decoding: patch.inserted, as: UTF8.self)
        let isForward = settings.mode == .forward
        switch patch.reason.rawValue {
        case "request-target": return isForward && ["", "/", "*"].contains(text)
        case "hop-by-hop": return isForward && text.isEmpty
        case "host" where isForward: return !text.contains { $0.isWhitespace }
        case "host": return !settings.keepsHost && ["", server].contains(text)
        case "origin":
            return !isForward && !settings.keepsHost
                && ["", "http://\(server)", "https://\(server)"].contains(text)
        case "location":
            return !isForward && !settings.keepsHost && !text.contains("origin.example")
        case "undelivered": return text.isEmpty
        case "alt-svc": return settings.stripsAltSvc && text.isEmpty
        default: return hasRules
        }
    }

    private var server: String {
        if case .reverse(let server) = settings.mode { server.authority } else { "" }
    }

    private func waiting(_ leg: LegID) -> ArraySlice<UInt8> {
        unrecorded[leg]?.waiting ?? []
    }

    // MARK: What is sent

    /// A fatal alert of TLS that a fault makes in place of a handshake.
    private static let alert: [UInt8] = [21, 3, 3, 0, 2, 2, 40]

    private mutating func check(_ bytes: [UInt8], on leg: LegID) {
        guard !bytes.isEmpty else { return }
        if let why = finished[leg] {
            problems.append(
                "2: sent on leg \(leg.rawValue) after \(why): \(text(bytes[...]))")
        }
        if leg == client, bytes == Self.alert, !faults.isEmpty || waiting(client).first == 22 {
            return
        }
        if leg == client, repliesLeft > 0, bytes.count <= 10 {
            repliesLeft -= 1
            return
        }
        let sender = leg == client ? Peer.server : .client
        if let start = run(of: bytes[...], from: sender) {
            // Counted: taking moves what is owed to the front from time to time.
            for _ in firstOwed[sender.rawValue]..<start {
                guard let next = nextOwed(sender) else { break }
                skip(next, of: sender)
                take(next.bytes.count, of: sender)
            }
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let next = nextOwed(sender) else {
                let left = takeSkipped(rest, of: sender)
                if !left.isEmpty { passUnrecorded(left, on: leg, sender) }
                return
            }
            let count = min(next.bytes.count, rest.count)
            if next.bytes.prefix(count).elementsEqual(rest.prefix(count)) {
                rest = rest.dropFirst(count)
                runs[sender.rawValue] += 1
                take(count, of: sender)
            } else {
                skip(next, of: sender)
                take(next.bytes.count, of: sender)
            }
        }
    }

    /// Where what is sent stands in one piece among what is owed; nil where it does not.
    private func run(of bytes: ArraySlice<UInt8>, from sender: Peer) -> Int? {
        let lane = owed[sender.rawValue]
        return (firstOwed[sender.rawValue]..<lane.count).first { start in
            var rest = bytes
            for index in start..<lane.count {
                let next = lane[index].bytes
                let count = min(next.count, rest.count)
                guard next.prefix(count).elementsEqual(rest.prefix(count)) else { return false }
                rest = rest.dropFirst(count)
                if rest.isEmpty { return true }
            }
            return false
        }
    }

    /// Takes what is sent from what was passed over: servers get theirs as they can be reached.
    private mutating func takeSkipped(
        _ bytes: ArraySlice<UInt8>, of sender: Peer
    ) -> ArraySlice<UInt8> {
        var rest = bytes
        for index in skipped.indices where skipped[index].sender == sender {
            let part = skipped[index].bytes
            guard !part.isEmpty, rest.starts(with: part) else { continue }
            rest = rest.dropFirst(part.count)
            skipped[index].bytes = []
            if rest.isEmpty { break }
        }
        return rest
    }

    /// What asked for a tunnel last has reached whom it was meant for.
    private mutating func takeConnect() {
        let lane = Peer.client.rawValue
        var request: [UInt8] = []
        for index in (firstOwed[lane]..<owed[lane].count).reversed() where request.count < 1_000 {
            request = owed[lane][index].bytes + request
            guard request.starts(with: "CONNECT ".utf8) else { continue }
            owed[lane].removeSubrange(index...)
            owedBytes[lane] -= request.count
            return
        }
    }

    private mutating func skip(_ owed: Owed, of sender: Peer) {
        skipped.append(
            Skipped(
                sender: sender, bytes: owed.bytes, isLocal: owed.isLocal,
                run: runs[sender.rawValue]))
    }

    private func nextOwed(_ sender: Peer) -> Owed? {
        let first = firstOwed[sender.rawValue]
        return first < owed[sender.rawValue].count ? owed[sender.rawValue][first] : nil
    }

    private mutating func take(_ count: Int, of sender: Peer) {
        let lane = sender.rawValue
        owedBytes[lane] -= count
        let first = firstOwed[lane]
        owed[lane][first].bytes = owed[lane][first].bytes.dropFirst(count)
        guard owed[lane][first].bytes.isEmpty else { return }
        firstOwed[lane] += 1
        guard firstOwed[lane] > 64, firstOwed[lane] * 2 > owed[lane].count else { return }
        owed[lane].removeFirst(firstOwed[lane])
        firstOwed[lane] = 0
    }

    /// What is not recorded goes on as it was read.
    private mutating func passUnrecorded(
        _ bytes: ArraySlice<UInt8>, on leg: LegID, _ sender: Peer
    ) {
        if mayPassUnrecorded {
            if sender == .client, unrecorded[client]?.take(expecting: bytes) == true { return }
            if sender == .server {
                for id in unrecorded.keys.sorted() where id != client {
                    if unrecorded[id]?.take(expecting: bytes) == true { return }
                }
            }
        }
        problems.append(
            "2: sent on leg \(leg.rawValue) and in no chunk: \(text(bytes))")
    }

    // MARK: The end

    /// Everything is closed: nothing may be left that is not explained.
    mutating func finish() {
        for leg in unrecorded.keys.sorted() where unrecorded(leg) > 0 {
            problems.append(
                "2: \(unrecorded(leg)) bytes of leg \(leg.rawValue) were read and are not in "
                    + "the trace: \(text(waiting(leg)))")
        }
        for sender in Peer.allCases {
            while let next = nextOwed(sender) {
                skip(next, of: sender)
                take(next.bytes.count, of: sender)
            }
        }
    }

    private func text(_ bytes: ArraySlice<UInt8>) -> String {
        let shown = String(decoding: bytes.prefix(60), as: UTF8.self).debugDescription
        return bytes.count > 60 ? "\(shown)… (\(bytes.count) bytes)" : shown
    }
}
