import Framing
import Wire

/// What happens to requests and responses where bytes are missing.
extension HTTPConversation {
    /// The maximum plausible size of a gap in bytes; a larger one is of unknown size.
    static let maxMissing: Int64 = 1 << 40

    /// Bytes of one direction or both are missing.
    func lostBytes(_ gap: GapRow) {
        mayRecover = true
        let known = (1...Self.maxMissing).contains(gap.count) ? gap.count : nil
        switch gap.sender {
        case .client?:
            guard !requests.isPaused else {
                held.append(.gap(gap))
                return
            }
            skipRequestBytes(known, gap)
        case .server?:
            hasHeardServer = true
            skipResponseBytes(known, gap)
        case nil:
            hasHeardServer = true
            loseRequests(nil, gap)
            loseResponses(nil, gap)
        }
    }

    /// Nothing of either direction can be read up to its next start line.
    func begin(at: Instant) {
        mayRecover = true
        loseRequests(0, at: at)
        loseResponses(0, at: at)
    }

    // MARK: Requests

    private func skipRequestBytes(_ count: Int64?, _ gap: GapRow) {
        events.removeAll(keepingCapacity: true)
        let skipped = requests.skip(count ?? 0, into: &events)
        if skipped > 0 { reading?.miss(skipped, of: .client) }
        for case .end in events { endRequest(at: gap.until) }
        guard skipped != count else { return }
        loseRequests(count.map { $0 - skipped }, gap)
    }

    private func loseRequests(_ count: Int64?, _ gap: GapRow) {
        reading?.requestLoss = Self.detail("request", count, gap)
        loseRequests(count, at: gap.at)
    }

    /// Looks for the next request after `count` missing bytes, nil where the number is unknown.
    private func loseRequests(_ count: Int64?, at: Instant, unread: Int = 0) {
        if waiting.last?.isDoubtful != true {
            // What was lost before an answer came is another request than what is lost now.
            if orphans > 0 || !requests.isSearching { hasLostRequest = reading == nil }
            orphans = 0
        }
        if pairing.isAlternating, reading == nil, count != 0 {
            // A request may be missing that was sent because what waits had been answered.
            for exchange in waiting { exchange.isDoubtful = true }
        }
        if let exchange = reading {
            exchange.request?.lose()
            output.touch(exchange)
        }
        reading = nil
        requests.lose(count ?? 0, givingBack: unread)
        lose(.client, count, at: at)
    }

    /// The requests cannot be framed any further; `unread` of the bytes that were taken are after
    /// what cannot.
    func recoverRequests(_ error: HTTPFramingError, _ piece: Piece, unread: Int) {
        // Behind missing bytes it is likely the rest of something.
        if let failed = requests.failedHead, !hasLost { openUnreadable(failed, error.description) }
        requestFailure = error.description
        note(
            ConversationNote.httpFailed.rawValue, error.description, at: (piece.place, piece.at),
            piece, reading)
        reading?.requestLoss = error.description
        loseRequests(0, at: piece.at, unread: unread)
    }

    /// Puts an exchange whose request began after those that wait.
    func line(up exchange: OpenExchange) {
        let isAfterLoss = losses[Peer.client.rawValue] != nil
        if mayRecover, waiting.isEmpty, !responses.isBetweenMessages, !responses.isSearching {
            // The response to a missing request continues though the client continued: it was one
            // without content, or its framing was unreliable.
            loseResponses(0, at: exchange.row.startedAt)
        }
        let isPipelined = !waiting.isEmpty && !hasHeardServer
        hasHeardServer = false
        if pairing.isAlternating, !waiting.isEmpty {
            if isPipelined {
                pairing.overlapWhileLost()
            } else {
                giveUpWaiting("the response is missing")
            }
        } else if let first = waiting.first, first.isDoubtful, !isResponding,
            orphans >= waiting.count + owedOrphans
        {
            giveUpWaiting(Self.isOpen)
            responses.expectOnly([])
        }
        exchange.followsLoss = isAfterLoss
        if isAfterLoss, pairing.isInOrder, mayFollowUnanswered {
            doubt(from: waiting.endIndex, owing: hasLostRequest && orphans == 0 ? 1 : 0)
            exchange.isDoubtful = true
        } else if waiting.last?.isDoubtful == true {
            exchange.isDoubtful = true
        } else if isPipelined, hasLost,
            let index = waiting.firstIndex(where: \.followsLoss)
        {
            doubt(from: index, owing: 0)
            exchange.isDoubtful = true
        }
        waiting.append(exchange)
        if pairing.isInOrder, !exchange.isDoubtful {
            responses.expect(exchange.kind)
        } else {
            expectAsPlanned()
        }
    }

    /// The waiting exchanges cannot be distinguished, from the one at `index` on.
    private func doubt(from index: Int, owing: Int) {
        if waiting.last?.isDoubtful != true { (orphans, owedOrphans) = (0, owing) }
        for exchange in waiting[index...] { exchange.isDoubtful = true }
    }

    /// Whether a request that begins after missing ones may have been sent before these were
    /// answered, so that the next response may be to them.
    private var mayFollowUnanswered: Bool {
        !waiting.isEmpty || pairing.hasPipelined || (hasLostRequest && orphans == 0)
    }

    // MARK: Responses

    private func skipResponseBytes(_ count: Int64?, _ gap: GapRow) {
        events.removeAll(keepingCapacity: true)
        let skipped = responses.skip(count ?? 0, into: &events)
        if skipped > 0, isResponding { waiting.first?.miss(skipped, of: .server) }
        for case .end in events { endResponse(at: gap.until) }
        guard skipped != count else { return }
        loseResponses(count.map { $0 - skipped }, gap)
    }

    private func loseResponses(_ count: Int64?, _ gap: GapRow) {
        if !responses.isSearching {
            waiting.first?.responseLoss = Self.detail("response", count, gap)
        }
        loseResponses(count, at: gap.at)
    }

    /// Looks for the next response after `count` missing bytes, nil where the number is unknown.
    private func loseResponses(_ count: Int64?, at: Instant, unread: Int = 0) {
        // Decoding of the current response ends, whatever is left of it.
        let wasResponding = isResponding
        if wasResponding, let exchange = waiting.first {
            isResponding = false
            waiting.removeFirst()
            exchange.lose(at: at, hasBegun: true, "the response is missing", to: output)
            if reading === exchange { reading = nil }
        }
        pairing.lose(waiting: waiting.count, isFirstLost: !wasResponding)
        responses.lose(count ?? 0, givingBack: unread)
        expectAsPlanned()
        lose(.server, count, at: at)
        stayWithHTTP()
    }

    /// The responses cannot be framed any further; `unread` of the bytes that were taken are after
    /// what cannot.
    func recoverResponses(_ error: HTTPFramingError, _ piece: Piece, unread: Int) {
        note(
            ConversationNote.httpFailed.rawValue, error.description, at: (piece.place, piece.at),
            piece, isResponding ? waiting.first : nil)
        if isResponding { waiting.first?.responseLoss = error.description }
        loseResponses(0, at: piece.at, unread: unread)
    }

    /// The exchange that a response answers whose head has come, now the first that waits; nil
    /// where it is unknown.
    func answered() -> OpenExchange? {
        if let first = waiting.first, pairing.isInOrder {
            return first.isDoubtful ? nil : first
        }
        guard let index = pairing.respond(waiting: waiting.count), !waiting[index].isDoubtful else {
            return nil
        }
        for exchange in waiting[..<index] {
            exchange.lose(
                at: over(exchange), hasBegun: false, "the response is missing", to: output)
        }
        waiting.removeFirst(index)
        waiting.first?.responseLoss = nil
        return waiting.first
    }

    /// Ends all exchanges that wait: their responses have come or are missing.
    private func giveUpWaiting(_ detail: String) {
        for exchange in waiting {
            exchange.lose(at: over(exchange), hasBegun: false, detail, to: output)
        }
        waiting = []
    }

    /// Passes the requests of the next responses to their framer.
    private func expectAsPlanned() {
        guard pairing.isInOrder else {
            let plan = pairing.plan(waiting: waiting.count)
            responses.expectOnly(plan.map { $0.map { waiting[$0].kind } ?? .unknown })
            return
        }
        // The head of the current response has come.
        let sure = waiting.dropFirst(isResponding ? 1 : 0).prefix { !$0.isDoubtful }
        responses.expectOnly(
            sure.map(\.kind),
            otherwise: waiting.last?.isDoubtful == true ? .unknown : .other)
    }

    /// When an exchange was over whose response is missing.
    ///
    /// That is when the bytes were lost, not when that turned out.
    private func over(_ exchange: OpenExchange) -> Instant {
        max(lastLoss, exchange.row.requestEndedAt ?? exchange.row.startedAt)
    }

    // MARK: Both

    private func lose(_ sender: Peer, _ count: Int64?, at: Instant) {
        hasLost = true
        if var loss = losses[sender.rawValue] {
            loss.count = count.flatMap { more in loss.count.map { $0.advanced(past: more) } }
            losses[sender.rawValue] = loss
        } else {
            losses[sender.rawValue] = MissingBytes(count: count)
        }
        if sender == .server { lastLoss = max(lastLoss, at) }
    }

    /// Writes down that a message was found after what is missing.
    func tell(
        _ loss: MissingBytes, _ found: (place: Place, at: Instant), _ piece: Piece,
        _ exchange: OpenExchange?
    ) {
        losses[piece.sender.rawValue] = nil
        let what = piece.sender == .client ? "a request" : "a response"
        let missing =
            loss.count.map { $0 == 0 ? "bytes" : "\($0) missing bytes" } ?? "missing bytes"
        note(
            ConversationNote.httpResynchronised.rawValue,
            "\(what) begins after \(missing) that cannot be decoded", at: found, piece, exchange)
    }

    /// The problem of an exchange whose response cannot be distinguished from others.
    static let isOpen = "because of missing bytes it is unknown which response answers it"

    private static func detail(_ side: String, _ count: Int64?, _ gap: GapRow) -> String {
        let bytes = count.map { "\($0) bytes are" } ?? "bytes are"
        return "\(bytes) missing where the \(side) continues (\(gap.reason.rawValue))"
    }
}
