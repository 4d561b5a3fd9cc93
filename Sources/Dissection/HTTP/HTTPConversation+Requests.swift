import Framing
import Wire

/// What the client sends.
extension HTTPConversation {
    /// Processes bytes of the client.
    ///
    /// - Returns: The change of protocol that they begin, if they do.
    func readRequests(_ piece: Piece) -> Switch? {
        var rest = piece
        while true {
            requestPlaces.append(rest, start: requests.streamOffset)
            events.removeAll(keepingCapacity: true)
            let taken = requests.consume(
                rest.bytes.span, into: &events, known: output.known)
            if let (place, at) = startOfHTTP2(in: rest) {
                return Switch(protocolName: .http2(place, at), rest: [])
            }
            if let failure = failure(taken: taken) {
                for event in events[..<failure.index] { handleRequest(event, rest) }
                recoverRequests(failure.error, rest, unread: taken - failure.end)
                rest = rest.dropping(failure.end)
                if rest.bytes.isEmpty { return nil }
                continue
            }
            for event in events { handleRequest(event, rest) }
            requestPlaces.forget(before: requests.pendingOffset)
            if taken < rest.bytes.count { hold(rest.dropping(taken)) }
            return nil
        }
    }

    /// Where a captured client begins to use HTTP/2 (RFC 9113, 3.4), according to ``events``.
    private func startOfHTTP2(in piece: Piece) -> (place: Place, at: Instant)? {
        guard context.row.mode == .capture else { return nil }
        for case .head(let head, _) in events where head.target == "*" && head.method == "PRI" {
            return requestPlaces.locate(head.start) ?? (piece.place, piece.at)
        }
        return nil
    }

    private func handleRequest(_ event: HTTPEvent, _ piece: Piece) {
        switch event {
        case .head(let head, _):
            open(head, piece)
        case .content(let range):
            guard let exchange = reading else { return }
            exchange.row.requestSize += Int64(range.count)
            exchange.request?.take(
                piece.bytes.span.extracting(range), at: piece.stored(range), to: output)
        case .trailers(let bytes, _):
            reading?.request?.trailers = bytes
        case .end:
            endRequest(at: piece.at)
        case .note(let code, let offset):
            note(code.rawValue, code.detail, at: requestPlaces.locate(offset), piece, reading)
        case .failure(let error):
            failRequests(error, at: piece.at)
        case .opaque(let range):
            reading?.request?.takeUnread(piece.bytes.span.extracting(range))
        }
    }

    func endRequest(at: Instant) {
        guard let exchange = reading else { return }
        exchange.row.requestEndedAt = at
        exchange.request?.finish(isCut: false, to: output)
        exchange.request = nil
        output.touch(exchange)
        reading = nil
    }

    /// A request began.
    private func open(_ head: HTTPHead, _ piece: Piece) {
        let (place, at) = requestPlaces.locate(head.start) ?? (piece.place, piece.at)
        if let exchange = early {
            early = nil
            complete(exchange, head, stored(place, piece))
            return
        }
        let facts = output.requestFacts.of(head, RequestFacts.init)
        let exchange = exchange(facts, place, at)
        exchange.request = BodyCollector(
            head: head, facts.body, at: stored(place, piece), exchange: exchange.row,
            sender: .client, limits: limits)
        line(up: exchange)
        if let loss = losses[Peer.client.rawValue] {
            tell(loss, (place, at), piece, exchange)
        }
        reading = exchange
        output.touch(exchange)
    }

    /// An exchange with the head of its request known.
    func exchange(_ facts: RequestFacts, _ place: Place, _ at: Instant) -> OpenExchange {
        OpenExchange(
            row: row(facts, output.nextExchange(), place, at), kind: facts.kind,
            hasExplicitPort: facts.address.port != nil)
    }

    /// The properties of an exchange in the head of its request.
    func row(
        _ facts: RequestFacts, _ id: ExchangeID, _ place: Place, _ at: Instant
    ) -> ExchangeRow {
        let address = facts.address
        let scheme = address.scheme ?? context.scheme
        // A target without a scheme is of the very server that the connection leads to.
        let server = address.scheme == nil ? context.capturedServer : nil
        let host = address.host.isEmpty ? server?.host ?? "" : address.host
        var row = ExchangeRow(
            id: id, connection: context.row.id, api: facts.api(host: host),
            method: facts.method, scheme: scheme, host: host,
            port: address.port ?? server?.port ?? (scheme == "https" ? 443 : 80),
            path: address.path, query: address.query, version: facts.version, startedAt: at,
            requestPlace: place)
        row.device = facts.device
        row.user = facts.user
        return row
    }
}
