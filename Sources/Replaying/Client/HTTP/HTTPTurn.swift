internal import OpenRosa
internal import Simperium
internal import Wire

/// One exchange that is being played; see ``HTTPPlay``.
public struct HTTPTurn: Sendable {
    enum Step: Hashable {
        case asking
        /// A full restore is requested after a 412.
        case recovering
    }

    let plan: HTTPPlayPlan
    var result: PlayedExchange
    var step = Step.asking
    /// What is sent, also on a retry; nil where it is to be made again.
    var request: HTTPPlayRequest?
    var sentAt: Instant
    var tries = 0
    var polls = 0
    var hasRecovered = false
    /// The 412 that was recovered from.
    var refusal: HTTPPlayAnswer?
    var isChallenged = false
    /// Whether the submitted form was added to the device.
    var isApplied = false

    /// The maximum number of notes.
    private static let maxNotes = 20

    init(_ plan: HTTPPlayPlan) {
        self.plan = plan
        let exchange = plan.exchange
        result = PlayedExchange(
            exchange.id, line: exchange.line,
            api: plan.api?.rawValue
                ?? SimperiumEndpoint.api(host: exchange.host, path: exchange.path),
            differences: Differences(limit: plan.options.maxDifferences))
        sentAt = .zero
    }

    /// The result so far, where the replay ends before it does.
    public func stopped() -> PlayedExchange {
        var played = result
        played.outcome = .stopped
        return played
    }

    var id: ExchangeID { plan.exchange.id }

    mutating func note(_ text: String) {
        if result.notes.count < Self.maxNotes { result.notes.append(text) }
    }

    /// Notes what the server did otherwise than recorded, and the client bridged.
    mutating func bridge(_ text: String) {
        if result.bridged.count < Self.maxNotes { result.bridged.append(text) }
    }

    /// Compares the pause that an answer requires with the recorded one: the client keeps either.
    mutating func comparePause(_ answer: HTTPPlayAnswer) {
        guard !plan.options.leftOut.leavesOut(header: "retry-after"),
            let recorded = plan.recording.response.flatMap({
                HTTPPlay.retryAfter($0, at: nil)
            }), let live = HTTPPlay.retryAfter(answer), abs(recorded - live) > 1
        else { return }
        bridge("Retry-After: recorded \(recorded) s, received \(live) s")
    }

    /// The login of this run, where the recorded request has one.
    func login(_ options: HTTPPlayOptions) -> HTTPPlayOptions.Login? {
        plan.recording.request.value("authorization").flatMap {
            options.login(HTTPAuthorization($0).user)
        }
    }

    /// Whether another request is to answer a challenge: the server requires digest instead of
    /// basic.
    mutating func challenge(_ answer: HTTPPlayAnswer, _ options: HTTPPlayOptions) -> Bool {
        let wantsDigest = answer.message.fields.contains {
            $0.name.lowercased() == "www-authenticate"
                && $0.value.lowercased().hasPrefix("digest")
        }
        guard wantsDigest, !isChallenged, request?.login == nil, let login = login(options) else {
            return false
        }
        isChallenged = true
        request?.login = login
        request?.fields.removeAll { $0.name.lowercased() == "authorization" }
        bridge("the server requires digest authentication where the recording has another scheme")
        return true
    }
}
