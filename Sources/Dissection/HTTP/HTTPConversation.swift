import Framing
import Wire

/// Requests and responses of one connection, matched in order.
///
/// Responses come in the order of the requests on every leg together: the proxy forwards no request
/// to another server while an earlier one waits. So one framer reads each direction, and the one
/// for responses starts anew when its leg ends.
final class HTTPConversation {
    /// A change of protocol, and the bytes that belong to the new one.
    struct Switch {
        enum Name {
            case tunnel
            case webSocket(PerMessageDeflate?)
            case other
        }

        let protocolName: Name
        let exchange: OpenExchange
        let rest: [Piece]
    }

    private let context: ConversationContext
    private let limits: DissectionLimits
    private let output: DissectorOutput

    private var requests = HTTPFramer(role: .request)
    private var responses = HTTPFramer(role: .response)
    private var requestPlaces = PlaceMap()
    private var responsePlaces = PlaceMap()
    private var events: [HTTPEvent] = []

    /// Exchanges whose response is not complete, in order of their requests.
    private var waiting: [OpenExchange] = []
    /// The exchange whose request is being read.
    private var reading: OpenExchange?
    /// Whether the response under way belongs to the first of ``waiting``.
    private var isResponding = false
    private var responseLeg: LegID?
    /// What the client sent after a request that may change the protocol.
    private var held: [Piece] = []
    private var heldCount = 0

    init(context: ConversationContext, limits: DissectionLimits, output: DissectorOutput) {
        self.context = context
        self.limits = limits
        self.output = output
    }

    /// Takes bytes of either direction.
    ///
    /// - Returns: The change of protocol that they complete, if they do.
    func consume(_ piece: Piece) -> Switch? {
        switch piece.sender {
        case .client:
            if requests.isPaused { hold(piece) } else { readRequests(piece) }
            return nil
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
        held.append(piece)
        heldCount += piece.bytes.count
    }

    // MARK: Requests

    private func readRequests(_ piece: Piece) {
        requestPlaces.append(start: requests.streamOffset, place: piece.place, at: piece.at)
        events.removeAll(keepingCapacity: true)
        let taken = requests.consume(piece.bytes.span, into: &events)
        for event in events { handleRequest(event, piece) }
        if requests.isBetweenMessages { requestPlaces.forget(before: requests.streamOffset) }
        if taken < piece.bytes.count { hold(piece.dropping(taken)) }
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
            guard let exchange = reading else { return }
            exchange.row.requestEndedAt = piece.at
            exchange.request?.finish(isCut: false, to: output)
            exchange.request = nil
            output.touch(exchange)
            reading = nil
        case .note(let code, let offset):
            note(code.rawValue, code.says, at: requestPlaces.locate(offset), piece, reading)
        case .failure(let error):
            fail(error.description, piece)
        case .opaque:
            return
        }
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
        var row = ExchangeRow(
            id: output.nextExchange(), connection: context.row.id,
            api: API.name(
                method: method, host: address.host, path: address.path, query: address.query,
                isUpgrade: isUpgrade),
            method: method, scheme: scheme, host: address.host,
            port: address.port ?? (scheme == "https" ? 443 : 80), path: address.path,
            query: address.query, version: head.version, startedAt: at, requestPlace: place)
        row.device = Device.identifier(in: head, query: address.query)
        let exchange = OpenExchange(
            row: row, kind: kind, isUpgrade: isUpgrade, hasExplicitPort: address.port != nil)
        exchange.request = BodyCollector(
            head: head, at: stored(place, piece), exchange: row, sender: .client, limits: limits)
        waiting.append(exchange)
        responses.expect(kind)
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
        if let last = responseLeg, last != piece.leg, responses.isBetweenMessages {
            renewResponses()
        }
        responseLeg = piece.leg
        responsePlaces.append(start: responses.streamOffset, place: piece.place, at: piece.at)
        events.removeAll(keepingCapacity: true)
        let taken = responses.consume(piece.bytes.span, into: &events)
        var change: Switch.Name?
        let exchange = waiting.first
        for event in events {
            if let name = handleResponse(event, piece) { change = name }
        }
        if responses.isBetweenMessages { responsePlaces.forget(before: responses.streamOffset) }
        if let change, let exchange {
            let rest = [piece.dropping(taken)] + held
            held = []
            return Switch(protocolName: change, exchange: exchange, rest: rest)
        }
        return nil
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
                waiting.first)
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
        guard let exchange = waiting.first else {
            note(
                piece, ConversationNote.responseWithoutRequest.rawValue,
                "the server answered \(status) to no request")
            return nil
        }
        if (100..<200).contains(status), status != 101 {
            note(
                ConversationNote.informational.rawValue, "\(status) \(head.reason)",
                at: (place, at), piece, exchange)
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

    private func endResponse(at: Instant) {
        guard isResponding, let exchange = waiting.first else { return }
        isResponding = false
        waiting.removeFirst()
        if exchange.isRequestComplete {
            exchange.finish(at: at, outcome: .complete, problem: nil, to: output)
        } else {
            exchange.finish(
                at: at, outcome: .requestCut,
                problem: "the response was complete before the request was", to: output)
            if reading === exchange { reading = nil }
        }
        if requests.isPaused, waiting.isEmpty {
            // The answer to the request that asked for another protocol was no.
            requests.resume(.http)
            let pieces = held
            held = []
            heldCount = 0
            for piece in pieces { _ = consume(piece) }
        }
    }

    private func renewResponses() {
        responses = HTTPFramer(role: .response)
        responsePlaces = PlaceMap()
        for exchange in waiting { responses.expect(exchange.kind) }
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
                    problem: "the response ends early: \(why)", to: output)
            }
        }
        renewResponses()
        responseLeg = nil
        guard !context.hasServer else { return }
        // No other leg is left that could answer what was sent.
        for exchange in waiting where exchange.isRequestComplete {
            exchange.finish(
                at: at, outcome: .noResponse, problem: "no response: \(why)", to: output)
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
                problem: exchange.row.problem ?? why, to: output)
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

    private func note(_ piece: Piece, _ code: String, _ says: String) {
        note(code, says, at: (piece.place, piece.at), piece, nil)
    }

    private func note(
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
