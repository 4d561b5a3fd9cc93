import Framing
import Wire

/// What the server sends.
extension HTTPConversation {
    /// Processes bytes of a server.
    ///
    /// - Returns: The change of protocol that they complete, if they do.
    func readResponses(_ piece: Piece) -> Switch? {
        if let last = responseLeg, last != piece.leg,
            responses.isBetweenMessages || responses.isSearching
        {
            renewResponses()
        }
        responseLeg = piece.leg
        hasHeardServer = true
        var rest = piece
        while true {
            responsePlaces.append(rest, start: responses.streamOffset)
            events.removeAll(keepingCapacity: true)
            let taken = responses.consume(
                rest.bytes.span, into: &events, known: output.known)
            if let failure = failure(taken: taken) {
                for event in events[..<failure.index] { _ = handleResponse(event, rest) }
                recoverResponses(failure.error, rest, unread: taken - failure.end)
                rest = rest.dropping(failure.end)
                if rest.bytes.isEmpty { return nil }
                continue
            }
            var change: Switch.Name?
            for event in events {
                if let name = handleResponse(event, rest) { change = name }
            }
            responsePlaces.forget(before: responses.pendingOffset)
            guard let change else { return nil }
            // Only an odd server answers so while it still owes other answers.
            finishWaiting(at: rest.at, why: "the server changed the protocol")
            // What the client sent came before.
            let inputs = held + [.bytes(rest.dropping(taken))]
            held = []
            heldCount = 0
            guard !isHeldShed else { return Switch(protocolName: .other, rest: []) }
            return Switch(protocolName: change, rest: inputs)
        }
    }

    private func handleResponse(_ event: HTTPEvent, _ piece: Piece) -> Switch.Name? {
        switch event {
        case .head(let head, _):
            return respond(head, piece)
        case .content(let range):
            guard isResponding, let exchange = waiting.first else { return nil }
            exchange.row.responseSize += Int64(range.count)
            exchange.response?.take(
                piece.bytes.span.extracting(range), at: piece.stored(range), to: output)
        case .trailers(let bytes, _):
            if isResponding { waiting.first?.response?.trailers = bytes }
        case .end:
            endResponse(at: piece.at)
        case .note(let code, let offset):
            note(
                code.rawValue, code.detail, at: responsePlaces.locate(offset), piece,
                isResponding || pairing.isInOrder ? waiting.first : nil)
        case .failure(let error):
            failResponses(error.description, piece)
        case .opaque:
            break
        }
        return nil
    }

    /// A response began.
    ///
    /// - Returns: The protocol that follows it, if it changes the protocol.
    private func respond(_ head: HTTPHead, _ piece: Piece) -> Switch.Name? {
        let status = head.status ?? 0
        let (place, at) = responsePlaces.locate(head.start) ?? (piece.place, piece.at)
        if let loss = losses[Peer.server.rawValue] {
            tell(loss, (place, at), piece, nil)
        }
        if (100..<200).contains(status), status != 101, let exchange = waiting.last {
            note(
                ConversationNote.informational.rawValue, "\(status) \(head.reason)",
                at: (place, at), piece, pairing.isInOrder ? waiting.first : exchange)
            return nil
        }
        guard let exchange = answered() ?? answeredEarly() else {
            orphans += 1
            guard requestFailure == nil || !waiting.isEmpty else {
                note(
                    piece, ConversationNote.responseToUnreadable.rawValue,
                    "the server answered \(status) after bytes of the client that cannot be framed"
                )
                return nil
            }
            note(
                piece, ConversationNote.responseWithoutRequest.rawValue,
                waiting.isEmpty
                    ? "the server answered \(status) to no request"
                    : "the server answered \(status); because of missing bytes it is unknown to "
                        + "which request")
            return nil
        }
        isResponding = true
        let isTunnel = exchange.kind == .connect && (200..<300).contains(status)
        exchange.row.status = status
        let facts = output.responseFacts.of(head, ResponseFacts.init)
        exchange.row.reason = facts.reason
        exchange.row.respondedAt = at
        exchange.row.responsePlace = place
        exchange.row.serverLeg = piece.isLocal ? nil : piece.leg
        exchange.row.isLocal = piece.isLocal
        exchange.row.retryAfter = facts.retryAfter
        if !piece.isLocal { settleScheme(exchange, piece.leg) }
        exchange.response = BodyCollector(
            head: head, facts.body, at: stored(place, piece), exchange: exchange.row,
            sender: .server, limits: limits, status: status)
        output.touch(exchange)
        guard isTunnel || status == 101 else { return nil }
        isResponding = false
        waiting.removeFirst()
        exchange.finish(at: at, outcome: .complete, problem: nil, to: output)
        if isTunnel { return .tunnel }
        guard head.contains(token: "websocket", in: "upgrade") else { return .other }
        return .webSocket(
            exchange,
            PerMessageDeflate.negotiated(
                responseExtensions: head.values(of: "sec-websocket-extensions")))
    }

    /// A reverse proxy uses the scheme of the server itself, and so does a request that a rule sent to
    /// another server than that of its tunnel.
    private func settleScheme(_ exchange: OpenExchange, _ leg: LegID) {
        guard context.row.mode != .capture,
            context.isTLS(leg) != (exchange.row.scheme == "https"),
            context.row.mode == .reverse && !context.isInTunnel || isTarget(leg, of: exchange)
        else { return }
        exchange.row.scheme = context.isTLS(leg) ? "https" : "http"
        if !exchange.hasExplicitPort { exchange.row.port = context.isTLS(leg) ? 443 : 80 }
    }

    private func isTarget(_ leg: LegID, of exchange: OpenExchange) -> Bool {
        guard let leg = context.leg(leg) else { return false }
        return leg.host == exchange.row.host && leg.port == exchange.row.port
    }

    func endResponse(at: Instant) {
        guard isResponding, let exchange = waiting.first else { return }
        isResponding = false
        waiting.removeFirst()
        lastFinished = exchange
        if let next = waiting.first, next.row.startedAt < at { pairing.overlap() }
        if exchange.isRequestComplete {
            exchange.finish(at: at, outcome: .complete, problem: nil, to: output)
        } else {
            exchange.finish(
                at: at, outcome: .requestCut,
                problem: exchange.requestLoss
                    ?? "the response was complete before the request was", to: output)
            if reading === exchange { reading = nil }
        }
        stayWithHTTP()
    }

    /// Continues after an upgrade request, once it was refused.
    func stayWithHTTP() {
        guard requests.isPaused, waiting.isEmpty else { return }
        requests.resume(.http)
        let inputs = held
        held = []
        heldCount = 0
        for input in inputs {
            switch input {
            case .bytes(let piece): _ = consume(piece)
            case .gap(let gap): lostBytes(gap)
            }
        }
    }

    /// Restarts a direction of responses: those of another leg, or none.
    func renewResponses() {
        responses = HTTPFramer(role: .response)
        responsePlaces = PlaceMap()
        for exchange in waiting { responses.expect(exchange.kind) }
        pairing.restart()
        losses[Peer.server.rawValue] = nil
    }
}
