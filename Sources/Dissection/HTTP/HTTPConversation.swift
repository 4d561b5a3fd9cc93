import Framing
import Wire

/// Requests and responses of one connection, matched in order.
///
/// Responses come in the order of the requests on every leg together: the proxy forwards no request
/// to another server while an earlier one waits. So one framer reads each direction, and the one
/// for responses restarts when its leg ends. Where bytes are missing, each framer continues
/// independently as soon as it can, and ``Pairing`` determines which responses still belong to
/// which requests.
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

    // Safety of all that follows: one piece is processed at a time, and none leads to another.

    @exclusivity(unchecked) var requests = HTTPFramer(role: .request)
    @exclusivity(unchecked) var responses = HTTPFramer(role: .response)
    @exclusivity(unchecked) var requestPlaces = PlaceMap()
    @exclusivity(unchecked) var responsePlaces = PlaceMap()
    @exclusivity(unchecked) var events: [HTTPEvent] = []

    /// Exchanges whose response is not complete, in order of their requests.
    @exclusivity(unchecked) var waiting: [OpenExchange] = []
    /// The exchange that was answered last.
    @exclusivity(unchecked) var lastFinished: OpenExchange?
    /// The exchange whose request is being read.
    @exclusivity(unchecked) var reading: OpenExchange?
    /// The exchange that the server answered before the head of its request was complete.
    @exclusivity(unchecked) var early: OpenExchange?
    /// Why the client's bytes cannot be framed any further, or could not somewhere.
    @exclusivity(unchecked) var requestFailure: String?
    /// Whether the current response belongs to the first of ``waiting``.
    @exclusivity(unchecked) var isResponding = false
    @exclusivity(unchecked) var responseLeg: LegID?
    /// What the client sent after a request that may change the protocol.
    @exclusivity(unchecked) var held: [HeldInput] = []
    @exclusivity(unchecked) var heldCount = 0
    /// Whether some of that was discarded, since it was too much.
    @exclusivity(unchecked) var hasHeldTooMuch = false
    /// Whether they were discarded, so that the start of the new protocol is unknown.
    @exclusivity(unchecked) var isHeldShed = false

    @exclusivity(unchecked) var pairing = Pairing()
    /// What is missing of each direction and not found again yet.
    @exclusivity(unchecked) var losses: [MissingBytes?] = [nil, nil]
    /// When bytes of responses were last lost.
    @exclusivity(unchecked) var lastLoss: Instant = .zero
    /// Responses to no known request since bytes of requests were last lost, or since requests wait
    /// that cannot be distinguished.
    @exclusivity(unchecked) var orphans = 0
    /// Of these, how many are surely to missing requests.
    @exclusivity(unchecked) var owedOrphans = 0
    /// Whether anything came from the server, or is missing of it, since the last request began.
    @exclusivity(unchecked) var hasHeardServer = false
    /// Whether what was lost then is surely a request, or the head of one.
    @exclusivity(unchecked) var hasLostRequest = false
    /// Whether bytes were ever missing, or taken for missing.
    @exclusivity(unchecked) var hasLost = false
    /// Whether the decoders look for the next start line when they cannot continue.
    @exclusivity(unchecked) var mayRecover: Bool

    init(context: ConversationContext, limits: DissectionLimits, output: DissectorOutput) {
        self.context = context
        self.limits = limits
        self.output = output
        mayRecover = context.mayBeginAnywhere
        requests.keepsFailedHead = true
    }

    /// One that goes on from where `other` is, for which ``mayBeCopied`` holds.
    init(copying other: HTTPConversation, context: ConversationContext, output: DissectorOutput) {
        self.context = context
        limits = other.limits
        self.output = output
        requests = other.requests
        responses = other.responses
        requestPlaces = other.requestPlaces
        responsePlaces = other.responsePlaces
        requestFailure = other.requestFailure
        responseLeg = other.responseLeg
        pairing = other.pairing
        lastLoss = other.lastLoss
        orphans = other.orphans
        owedOrphans = other.owedOrphans
        hasHeardServer = other.hasHeardServer
        hasLostRequest = other.hasLostRequest
        hasLost = other.hasLost
        mayRecover = other.mayRecover
        waiting = other.waiting.map { OpenExchange(copying: $0) }
    }

    /// What a quiet one takes to go on from, where that is no more than this.
    struct Quiet {
        fileprivate let requestOffset: Int64
        fileprivate let responseOffset: Int64
        fileprivate let requestPlace: PlaceMap.Entry?
        fileprivate let responsePlace: PlaceMap.Entry?
        fileprivate let responseLeg: LegID?
        fileprivate let pairing: Pairing
        fileprivate let lastLoss: Instant
        fileprivate let orphans: Int
        fileprivate let owedOrphans: Int
        fileprivate let hasHeardServer: Bool
        fileprivate let hasLostRequest: Bool
        fileprivate let hasLost: Bool
        fileprivate let mayRecover: Bool
    }

    /// What it takes to go on from here, as nearly always between two exchanges; nil where it takes
    /// more, or something is open.
    var quiet: Quiet? {
        guard isQuiet, requestFailure == nil, requests.isLikeNew, responses.isLikeNew,
            requestPlaces.count < 2, responsePlaces.count < 2
        else { return nil }
        return Quiet(
            requestOffset: requests.streamOffset, responseOffset: responses.streamOffset,
            requestPlace: requestPlaces.last, responsePlace: responsePlaces.last,
            responseLeg: responseLeg, pairing: pairing, lastLoss: lastLoss, orphans: orphans,
            owedOrphans: owedOrphans, hasHeardServer: hasHeardServer,
            hasLostRequest: hasLostRequest, hasLost: hasLost, mayRecover: mayRecover)
    }

    /// One that goes on from where another was quiet.
    init(
        _ quiet: Quiet, context: ConversationContext, limits: DissectionLimits,
        output: DissectorOutput
    ) {
        self.context = context
        self.limits = limits
        self.output = output
        requests = HTTPFramer(role: .request, at: quiet.requestOffset)
        requests.keepsFailedHead = true
        responses = HTTPFramer(role: .response, at: quiet.responseOffset)
        requestPlaces = PlaceMap(last: quiet.requestPlace)
        responsePlaces = PlaceMap(last: quiet.responsePlace)
        responseLeg = quiet.responseLeg
        pairing = quiet.pairing
        lastLoss = quiet.lastLoss
        orphans = quiet.orphans
        owedOrphans = quiet.owedOrphans
        hasHeardServer = quiet.hasHeardServer
        hasLostRequest = quiet.hasLostRequest
        hasLost = quiet.hasLost
        mayRecover = quiet.mayRecover
    }

    /// Whether every byte was read, and every response belongs to a known request.
    var isComplete: Bool {
        !hasHeldTooMuch && !isHeldShed && !hasLost && orphans == 0 && requestFailure == nil
            && early == nil
    }

    /// Whether no exchange is open and no part of a message is held.
    var isQuiet: Bool { waiting.isEmpty && mayBeCopied }

    /// Whether no message is in progress and nothing is held: what is open waits for the answers to
    /// whole requests.
    var mayBeCopied: Bool {
        reading == nil && early == nil && held.isEmpty && !isHeldShed && !isResponding
            && losses[0] == nil && losses[1] == nil
            && requests.isBetweenMessages && responses.isBetweenMessages
            && !requests.isPaused && !responses.isPaused
            && waiting.allSatisfy(\.isCopyable)
    }

    /// Whether what follows is read as in `other`; both are quiet.
    func isLike(_ other: HTTPConversation) -> Bool {
        pairing == other.pairing && mayRecover == other.mayRecover
            && (requestFailure == nil) == (other.requestFailure == nil)
    }

    /// Exchanges that are not finished, in order of their requests.
    var open: [OpenExchange] {
        guard let reading, waiting.last !== reading else { return waiting }
        return waiting + [reading]
    }

    /// Forgets the exchanges of which no answer has begun, since the server of `leg` never received
    /// their requests.
    ///
    /// - Returns: Which.
    func forgetUnanswered(by leg: LegID) -> [ExchangeID] {
        guard !context.hasServer(besides: leg), !isResponding else { return [] }
        let forgotten = waiting.map(\.row.id)
        for exchange in waiting { exchange.forget() }
        waiting = []
        reading = nil
        renewResponses()
        return forgotten
    }

    /// Processes bytes of either direction.
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

    func hold(_ piece: Piece) {
        guard heldCount + piece.bytes.count <= limits.heldBytes else {
            hasHeldTooMuch = true
            note(
                piece, ConversationNote.heldTooMuch.rawValue,
                "the client sent more after an upgrade request than is kept until the answer; "
                    + "these bytes are not decoded")
            return
        }
        held.append(.bytes(piece))
        heldCount += piece.bytes.count
    }

    // MARK: Both directions

    /// A recoverable failure in ``events``: which event it is, and the index of the first byte
    /// after what failed.
    func failure(
        taken: Int
    ) -> (index: Int, error: HTTPFramingError, end: Int)? {
        guard mayRecover else { return nil }
        for (index, event) in events.enumerated() {
            guard case .failure(let error) = event else { continue }
            // Only unframed bytes follow.
            guard case .opaque(let range)? = events[(index + 1)...].first else {
                return (index, error, taken)
            }
            return (index, error, range.lowerBound)
        }
        return nil
    }

    /// The place of a head that `piece` completes; nil where it begins in an earlier chunk or the
    /// chunk was patched.
    func stored(_ place: Place, _ piece: Piece) -> Place? {
        piece.segments.isEmpty && place.chunk == piece.chunk ? place : nil
    }

    /// The responses cannot be framed any further.
    func failResponses(_ detail: String, _ piece: Piece) {
        note(
            ConversationNote.httpFailed.rawValue, detail, at: (piece.place, piece.at), piece,
            isResponding || pairing.isInOrder ? waiting.first : nil)
        finishWaiting(at: piece.at, why: detail)
    }

    // MARK: Notes

    func note(_ piece: Piece, _ code: String, _ detail: String) {
        note(code, detail, at: (piece.place, piece.at), piece, nil)
    }

    func note(
        _ code: String, _ detail: String, at where: (place: Place, at: Instant)?, _ piece: Piece,
        _ exchange: OpenExchange?
    ) {
        note(code, detail, at: `where` ?? (piece.place, piece.at), piece.sender, exchange)
    }

    func note(
        _ code: String, _ detail: String, at where: (place: Place, at: Instant), _ sender: Peer,
        _ exchange: OpenExchange?
    ) {
        output.emit(
            .note(
                NoteRow(
                    connection: context.row.id, exchange: exchange?.row.id, sender: sender,
                    at: `where`.at, place: `where`.place, code: code, detail: detail)))
    }
}
