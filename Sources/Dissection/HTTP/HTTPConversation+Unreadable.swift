import Framing
import Wire

/// Requests that cannot be framed or are not finished: exchanges nevertheless, for servers answer
/// them.
extension HTTPConversation {
    /// The client's bytes cannot be framed any further.
    ///
    /// The request that fails still waits for its response: servers answer what they cannot read,
    /// and what was sent before it is not its fault.
    func failRequests(_ error: HTTPFramingError, at: Instant) {
        if let failed = requests.failedHead { openUnreadable(failed, error.description) }
        giveUpReading(error.description)
        note(
            ConversationNote.httpFailed.rawValue, error.description, at: place(of: error, at),
            .client, reading)
        requests.forgetFailedHead()
    }

    /// The client is not going to finish the current head.
    func cutHead(at: Instant, why: String) {
        guard requests.isInHead else { return }
        let detail = "the head of the request is not complete: \(why)"
        guard let error = giveUpHead(at: at, detail: detail) else { return }
        let place = reading.map { ($0.row.requestPlace, $0.row.startedAt) } ?? place(of: error, at)
        note(ConversationNote.headCut.rawValue, detail, at: place, .client, reading)
    }

    /// The current head is taken for what it is so far, and nothing is framed after it.
    @discardableResult
    func giveUpHead(at: Instant, detail: String) -> HTTPFramingError? {
        events.removeAll(keepingCapacity: true)
        requests.cutHead(into: &events)
        guard let failed = requests.failedHead, case .failure(let error)? = events.first else {
            return nil
        }
        openUnreadable(failed, detail)
        giveUpReading(detail)
        requests.forgetFailedHead()
        return error
    }

    private func giveUpReading(_ detail: String) {
        requestFailure = detail
        guard let exchange = reading else { return }
        exchange.requestLoss = detail
        exchange.row.problem = detail
        exchange.request?.giveUp(detail)
        output.touch(exchange)
    }

    /// What a note about a failure points at.
    private func place(of error: HTTPFramingError, _ at: Instant) -> (place: Place, at: Instant) {
        if requests.failedHead != nil, let exchange = reading {
            return (exchange.row.requestPlace, exchange.row.startedAt)
        }
        return requestPlaces.locate(error.offset - 1) ?? (Place(chunk: ChunkID(0), offset: 0), at)
    }

    /// Makes an exchange of a head that cannot be framed.
    func openUnreadable(_ failed: HTTPFailedHead, _ detail: String) {
        let known = early
        early = nil
        let exchange = known ?? unreadable(failed)
        guard let exchange else { return }
        exchange.requestLoss = detail
        if known == nil { line(up: exchange) }
        // One that was answered long ago is over.
        reading = exchange.isFinished ? nil : exchange
        output.touch(exchange)
    }

    /// An exchange from the received part of a head.
    private func unreadable(_ failed: HTTPFailedHead) -> OpenExchange? {
        guard let (place, at) = requestPlaces.locate(failed.start) else { return nil }
        let exchange: OpenExchange
        if let head = failed.head {
            let facts = RequestFacts(head)
            exchange = self.exchange(facts, place, at)
            exchange.request = BodyCollector(
                head: head, facts.body, at: nil, exchange: exchange.row, sender: .client,
                limits: limits)
        } else {
            let server = context.onlyServer
            let scheme = context.scheme
            let row = ExchangeRow(
                id: output.nextExchange(), connection: context.row.id, api: API.plain,
                method: ExchangeRow.unreadableMethod, scheme: scheme, host: server?.host ?? "",
                port: server?.port ?? (scheme == "https" ? 443 : 80), path: "", query: nil,
                version: "", startedAt: at, requestPlace: place)
            exchange = OpenExchange(row: row, kind: .other, hasExplicitPort: server != nil)
            exchange.request = BodyCollector(
                unread: failed.bytes, exchange: row, sender: .client, limits: limits)
        }
        return exchange
    }

    // MARK: Answers that come too early

    /// The exchange of the current head, which the server answers before it is complete; nil where
    /// there is none.
    func answeredEarly() -> OpenExchange? {
        guard waiting.isEmpty, early == nil, pairing.isInOrder,
            losses[Peer.client.rawValue] == nil, let head = requests.headSoFar,
            let exchange = unreadable(head)
        else { return nil }
        let detail = "the server answered before the head of the request was complete"
        exchange.requestLoss = detail
        note(
            ConversationNote.headCut.rawValue, detail,
            at: (exchange.row.requestPlace, exchange.row.startedAt), .client, exchange)
        early = exchange
        waiting.append(exchange)
        return exchange
    }

    /// The head that the server has answered is complete after all.
    func complete(_ exchange: OpenExchange, _ head: HTTPHead, _ place: Place?) {
        let known = exchange.row
        let facts = RequestFacts(head)
        exchange.row = row(facts, known.id, known.requestPlace, known.startedAt)
        exchange.row.takeResponse(of: known)
        guard !exchange.isFinished else {
            output.emit(.exchange(exchange.row))
            return
        }
        exchange.requestLoss = nil
        exchange.request = BodyCollector(
            head: head, facts.body, at: place, exchange: exchange.row, sender: .client,
            limits: limits)
        reading = exchange
        output.touch(exchange)
    }
}

extension ExchangeRow {
    /// Copies the response and the end of the exchange from `other`.
    fileprivate mutating func takeResponse(of other: ExchangeRow) {
        serverLeg = other.serverLeg
        status = other.status
        reason = other.reason
        respondedAt = other.respondedAt
        endedAt = other.endedAt
        responseSize = other.responseSize
        outcome = other.outcome
        problem = other.problem
        retryAfter = other.retryAfter
        isLocal = other.isLocal
        responsePlace = other.responsePlace
    }
}
