import Filters
import Framing
public import Wire

/// Looks ahead at the requests of a connection, so that those that no rule hits need no gate.
///
/// It finds heads and evaluates, without counting, whether a rule would match. Only where one does,
/// or where an upgrade or a tunnel is requested, the bytes have to go through a gate. A rule that is
/// evaluated later than at the head of a request would match where what the head shows leaves it
/// open; where every head does, the gate is needed from the start.
public struct HTTPPrefilter {
    /// What was found in a read.
    public enum Finding: Hashable, Sendable {
        /// Nothing that concerns a rule.
        case clear
        /// A gate has to judge from this offset on, where a request begins.
        case suspect(at: Int)
    }

    /// The phases of an exchange.
    private static let phases: FaultInterest = [
        .requestHead, .requestBody, .responseHead, .responseBody,
    ]

    private let context: GateContext
    private let session: FaultSession
    private var framer = HTTPFramer(role: .request)
    private var isInMessage = false
    private var exchanges = 0
    /// The requests that it forwarded and that may not be answered yet.
    public private(set) var pending = PendingRequests()
    /// The interest of the rules in heads of requests, and the generation it was read in.
    private var condition = ExchangeCondition.open
    /// What a head has to show so that a rule can match later.
    private var early = ExchangeCondition.open
    private var generation = 0

    /// A prefilter for a connection on which no request is in progress.
    public init(_ context: GateContext, session: FaultSession) {
        self.context = context
        self.session = session
    }

    /// Whether a prefilter is enough for the present rules.
    public static func isEnough(for session: FaultSession) -> Bool {
        !session.interest.contains(.connection) && !session.hitsLate
    }

    /// Inspects what a client sent.
    ///
    /// - Parameters:
    ///   - bytes: What it sent.
    ///   - at: When.
    ///   - isAnswered: Whether all its requests so far were answered.
    /// - Returns: What was found.
    public mutating func look(
        _ bytes: [UInt8], at: Instant, isAnswered: Bool = false
    ) -> Finding {
        if isAnswered { pending.removeAll() }
        var events: [HTTPEvent] = []
        _ = framer.consume(bytes.span, into: &events)
        var end = 0
        for event in events {
            switch event {
            case .head(let head, let headEnd):
                isInMessage = true
                if isSuspect(head, at) {
                    return .suspect(at: max(0, headEnd - head.bytes.count))
                }
            case .end(let position):
                isInMessage = false
                end = position
            case .content, .trailers, .failure, .note, .opaque:
                continue
            }
        }
        // A head that is not complete would have to be held, which is a gate's work.
        if !isInMessage, !framer.isOpaque, end < bytes.count { return .suspect(at: end) }
        return .clear
    }

    private mutating func isSuspect(_ head: HTTPHead, _ at: Instant) -> Bool {
        exchanges += 1
        let exchange = LiveExchange(number: exchanges, head: head, at: at)
        if exchange.isUpgrade || exchange.kind == .connect { return true }
        if session.interest.isDisjoint(with: Self.phases) {
            pending.append(exchange)
            return false
        }
        let now = session.generation
        if now != generation {
            generation = now
            condition = session.exchangeConditions[FilterPhase.requestHead.rawValue]
            early = session.earlyCondition
        }
        var prefilter = ExchangePrefilter()
        let mayHit =
            prefilter.fits(early, exchange, context)
            || prefilter.fits(condition, exchange, context)
                && session.mayHit(LiveSubject(exchange, context), phase: .requestHead)
        if !mayHit { pending.append(exchange) }
        return mayHit
    }
}
