import Framing
import Wire

/// Requests and responses of one connection, matched in order.
///
/// Responses come in the order of the requests on every leg together: the proxy forwards no request
/// to another server while an earlier one waits. So one framer reads each direction, and the one
/// for responses starts anew when its leg ends. Where bytes are missing, each framer goes on by
/// itself as soon as it can, and ``Pairing`` says which responses still belong to which requests.
final class HTTPConversation {
    /// A change of protocol, and the bytes that belong to the new one.
    struct Switch {
        enum Name {
            case tunnel
            case webSocket(OpenExchange, PerMessageDeflate?)
            case http2(Place, Instant)
            case other
        }

        let protocolName: Name
        let rest: [HeldInput]
    }

    let context: ConversationContext
    let limits: DissectionLimits
    let output: DissectorOutput

    var requests = HTTPFramer(role: .request)
    var responses = HTTPFramer(role: .response)
    var requestPlaces = PlaceMap()
    var responsePlaces = PlaceMap()
    var events: [HTTPEvent] = []

    /// Exchanges whose response is not complete, in order of their requests.
    var waiting: [OpenExchange] = []
    /// The exchange whose request is being read.
    var reading: OpenExchange?
    /// Whether the response under way belongs to the first of ``waiting``.
    var isResponding = false
    private var responseLeg: LegID?
    /// What the client sent after a request that may change the protocol.
    var held: [HeldInput] = []
    private var heldCount = 0

    var pairing = Pairing()
    /// What is missing of each direction and not found again yet.
    var losses: [Loss?] = [nil, nil]
    /// When bytes of responses were last lost.
    var lastLoss: Instant = .zero
    /// Responses to no known request since bytes of requests were last lost, or since requests wait
    /// that nobody can tell apart.
    var orphans = 0
    /// Of these, how many are surely to missing requests.
    var owedOrphans = 0
    /// Whether anything came from the server, or is missing of it, since the last request began.
    var hasHeardServer = false
    /// Whether what was lost then is surely a request, or the head of one.
    var hasLostRequest = false
    /// Whether the decoders look for the next start line when they cannot go on.
    var mayRecover: Bool

    init(context: ConversationContext, limits: DissectionLimits, output: DissectorOutput) {
        self.context = context
        self.limits = limits
        self.output = output
        // What is captured may begin anywhere, and have holes that nobody knows of.
        mayRecover = context.row.mode == .capture
    }

    /// Takes bytes of either direction.
    ///
    /// - Returns: The change of protocol that they complete, if they do.
    func consume(_ piece: Piece) -> Switch? {
        switch piece.sender {
        case .client:
            if requests.isPaused {
                hold(piece)
                return nil
            }
            return readRequests(piece)
        case .server:
            return readResponses(piece)
        }
    }

    private func hold(_ piece: Piece) {
        guard heldCount + piece.bytes.count <= limits.heldBytes else {
            note(
                piece, ConversationNote.heldTooMuch.rawValue,
                "the client sent more after a request to change the "
                    + "protocol than is kept until the answer; these bytes are not decoded")
            return
        }
        held.append(.bytes(piece))
        heldCount += piece.bytes.count
    }

    // MARK: Requests

    private func readRequests(_ piece: Piece) -> Switch? {
        var rest = piece
        while true {
            requestPlaces.append(start: requests.streamOffset, place: rest.place, at: rest.at)
            events.removeAll(keepingCapacity: true)
            let taken = requests.consume(rest.bytes.span, into: &events)
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
            forget(&requestPlaces, behind: requests)
            if taken < rest.bytes.count { hold(rest.dropping(taken)) }
            return nil
        }
    }

    /// What ``events`` say about a failure that can be recovered from: which event it is, and the
    /// index of the first byte behind what failed.
    private func failure(
        taken: Int
    ) -> (index: Int, error: HTTPFramingError, end: Int)? {
        guard mayRecover else { return nil }
        for (index, event) in events.enumerated() {
            guard case .failure(let error) = event else { continue }
            // Nothing but what is not framed any more follows.
            guard case .opaque(let range)? = events[(index + 1)...].first else {
                return (index, error, taken)
            }
            return (index, error, range.lowerBound)
        }
        return nil
    }

    /// Forgets the places that no head can begin at any more.
    private func forget(_ places: inout PlaceMap, behind framer: HTTPFramer) {
        if framer.isBetweenMessages {
            places.forget(before: framer.streamOffset)
        } else if framer.isSearching {
            places.forget(before: framer.streamOffset - HTTPFramer.mostSearched)
        }
    }

    /// Where a captured client begins to speak HTTP/2 (RFC 9113, 3.4), if ``events`` say so.
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
                piece.bytes.span.extracting(range), at: piece.stored(range.lowerBound), to: output)
        case .trailers(let bytes, _):
            reading?.request?.trailers = bytes
        case .end:
            endRequest(at: piece.at)
        case .note(let code, let offset):
            note(code.rawValue, code.says, at: requestPlaces.locate(offset), piece, reading)
        case .failure(let error):
            fail(error.description, piece)
        case .opaque:
            return
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
        let address = RequestAddress(head)
        let method = head.method
        let isUpgrade =
            head.contains(token: "upgrade", in: "connection")
            && head.first("upgrade") != nil
        let kind = HTTPRequestKind(head)
        let scheme = address.scheme ?? (context.isClientTLS ? "https" : "http")
        // A target without a scheme is of the very server that the connection leads to.
        let server = address.scheme == nil ? context.capturedServer : nil
        let host = address.host.isEmpty ? server?.host ?? "" : address.host
        var row = ExchangeRow(
            id: output.nextExchange(), connection: context.row.id,
            api: API.name(
                method: method, host: host, path: address.path, query: address.query,
                isUpgrade: isUpgrade),
            method: method, scheme: scheme, host: host,
            port: address.port ?? server?.port ?? (scheme == "https" ? 443 : 80),
            path: address.path, query: address.query, version: head.version, startedAt: at,
            requestPlace: place)
        row.device = Device.identifier(in: head, query: address.query)
        let exchange = OpenExchange(
            row: row, kind: kind, isUpgrade: isUpgrade, hasExplicitPort: address.port != nil)
        exchange.request = BodyCollector(
            head: head, at: stored(place, piece), exchange: row, sender: .client, limits: limits)
        line(up: exchange)
        if let loss = losses[Peer.client.rawValue] {
            tell(loss, (place, at), piece, exchange)
        }
        reading = exchange
        output.touch(exchange)
    }

    /// The place of a head that `piece` completes; nil where it begins in an earlier chunk or the
    /// chunk was patched.
    private func stored(_ place: Place, _ piece: Piece) -> Place? {
        piece.isPatched || place.chunk != piece.chunk ? nil : place
    }

    // MARK: Responses

    private func readResponses(_ piece: Piece) -> Switch? {
        if let last = responseLeg, last != piece.leg,
            responses.isBetweenMessages || responses.isSearching
        {
            renewResponses()
        }
        responseLeg = piece.leg
        hasHeardServer = true
        var rest = piece
        while true {
            responsePlaces.append(start: responses.streamOffset, place: rest.place, at: rest.at)
            events.removeAll(keepingCapacity: true)
            let taken = responses.consume(rest.bytes.span, into: &events)
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
            forget(&responsePlaces, behind: responses)
            guard let change else { return nil }
            let inputs = [.bytes(rest.dropping(taken))] + held
            held = []
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
                piece.bytes.span.extracting(range), at: piece.stored(range.lowerBound), to: output)
        case .trailers(let bytes, _):
            if isResponding { waiting.first?.response?.trailers = bytes }
        case .end:
            endResponse(at: piece.at)
        case .note(let code, let offset):
            note(
                code.rawValue, code.says, at: responsePlaces.locate(offset), piece,
                isResponding || pairing.isInOrder ? waiting.first : nil)
        case .failure(let error):
            fail(error.description, piece)
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
        guard let exchange = answered() else {
            orphans += 1
            note(
                piece, ConversationNote.responseWithoutRequest.rawValue,
                waiting.isEmpty
                    ? "the server answered \(status) to no request"
                    : "the server answered \(status), and bytes that are missing leave open to which "
                        + "request")
            return nil
        }
        isResponding = true
        let isTunnel = exchange.kind == .connect && (200..<300).contains(status)
        exchange.row.status = status
        exchange.row.reason = head.reason
        exchange.row.respondedAt = at
        exchange.row.responsePlace = place
        exchange.row.serverLeg = piece.isLocal ? nil : piece.leg
        exchange.row.isLocal = piece.isLocal
        exchange.row.retryAfter = head.first("retry-after").map { head.text($0.value) }
        if !piece.isLocal { settleScheme(exchange, piece.leg) }
        exchange.response = BodyCollector(
            head: head, at: stored(place, piece), exchange: exchange.row, sender: .server,
            limits: limits, status: status)
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

    /// In front of a server the server's own scheme is the one that counts.
    private func settleScheme(_ exchange: OpenExchange, _ leg: LegID) {
        guard context.row.mode == .reverse, context.isTLS(leg) != (exchange.row.scheme == "https")
        else { return }
        exchange.row.scheme = context.isTLS(leg) ? "https" : "http"
        if !exchange.hasExplicitPort { exchange.row.port = context.isTLS(leg) ? 443 : 80 }
    }

    func endResponse(at: Instant) {
        guard isResponding, let exchange = waiting.first else { return }
        isResponding = false
        waiting.removeFirst()
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

    /// Reads on behind a request that asked for another protocol, once the answer was no.
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

    private func renewResponses() {
        responses = HTTPFramer(role: .response)
        responsePlaces = PlaceMap()
        for exchange in waiting { responses.expect(exchange.kind) }
        pairing.restart()
        losses[Peer.server.rawValue] = nil
    }

    // MARK: Ends

    /// A leg was closed: a response that ends with it is complete, one that does not is cut.
    func legClosed(_ leg: LegID, peer: Peer?, at: Instant, why: String) {
        if peer == .client {
            if let exchange = reading {
                exchange.row.problem = "the client's connection closed inside the request: \(why)"
                output.touch(exchange)
            }
            if !context.hasServer { finish(at: at, why: why) }
            return
        }
        guard responseLeg == leg || (responseLeg == nil && !isResponding) else { return }
        if isResponding {
            events.removeAll(keepingCapacity: true)
            responses.endOfStream(into: &events)
            for event in events {
                if case .end = event { endResponse(at: at) }
            }
            if isResponding, let exchange = waiting.first {
                isResponding = false
                waiting.removeFirst()
                exchange.finish(
                    at: at, outcome: .responseCut,
                    problem: exchange.requestLoss ?? "the response ends early: \(why)", to: output)
            }
        }
        renewResponses()
        responseLeg = nil
        guard !context.hasServer else { return }
        // No other leg is left that could answer what was sent.
        for exchange in waiting where exchange.isRequestComplete {
            exchange.finish(
                at: at, outcome: .noResponse,
                problem: exchange.loss ?? "no response: \(why)", to: output)
        }
        waiting.removeAll { $0.isRequestComplete }
        renewResponses()
    }

    /// Nothing more will come.
    func finish(at: Instant, why: String) {
        if isResponding {
            events.removeAll(keepingCapacity: true)
            responses.endOfStream(into: &events)
            for event in events {
                if case .end = event { endResponse(at: at) }
            }
        }
        for (index, exchange) in waiting.enumerated() {
            let isCut = index == 0 && isResponding
            exchange.finish(
                at: at,
                outcome: isCut
                    ? .responseCut : exchange.isRequestComplete ? .noResponse : .requestCut,
                problem: exchange.requestLoss ?? exchange.responseLoss ?? exchange.row.problem
                    ?? why,
                to: output)
        }
        waiting = []
        reading = nil
        isResponding = false
    }

    private func fail(_ says: String, _ piece: Piece) {
        note(piece, ConversationNote.httpFailed.rawValue, says)
        finish(at: piece.at, why: says)
    }

    // MARK: Notes

    func note(_ piece: Piece, _ code: String, _ says: String) {
        note(code, says, at: (piece.place, piece.at), piece, nil)
    }

    func note(
        _ code: String, _ says: String, at where: (place: Place, at: Instant)?, _ piece: Piece,
        _ exchange: OpenExchange?
    ) {
        output.emit(
            .note(
                NoteRow(
                    connection: context.row.id, exchange: exchange?.row.id, sender: piece.sender,
                    at: `where`?.at ?? piece.at, place: `where`?.place ?? piece.place, code: code,
                    says: says)))
    }
}
