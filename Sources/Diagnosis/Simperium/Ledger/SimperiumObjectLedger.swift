import Notation
import Simperium
import Wire

/// What one client put into an object, and what happened to the object since: what shows that
/// something is sent twice, taken back or left out.
///
/// Bounded: the identifiers of the last ``most`` changes, whose content is kept with what was sent,
/// one trigger and two steps.
struct SimperiumObjectLedger: Sendable {
    /// What happened after which a client may take what the server has for what it has not.
    struct Trigger: Sendable {
        enum Kind: Sendable {
            case acknowledgedAgain, duplicate, refusedThoughMade, changedAgain, loaded, changed
            case reconnected, acknowledged
        }

        let kind: Kind
        /// Number among the kept commands; 0 for a new connection.
        let evidence: Int
        let at: Instant

        /// Whether a client that behaves does nothing at all after it.
        var isRepetition: Bool {
            switch kind {
            case .acknowledgedAgain, .duplicate, .refusedThoughMade, .changedAgain: true
            case .loaded, .changed, .reconnected, .acknowledged: false
            }
        }

        var words: String {
            switch kind {
            case .acknowledgedAgain: "the acknowledgement came twice"
            case .duplicate: "the server answered that it has the change (409)"
            case .refusedThoughMade: "an error came for a change that the server made"
            case .changedAgain: "a change of another client came twice"
            case .loaded: "the whole object was loaded"
            case .changed: "a change of another client came"
            case .reconnected: "the client connected again"
            case .acknowledged: "the change was acknowledged"
            }
        }
    }

    /// A change that was made, by the versions it is between.
    struct Step: Sendable {
        let evidence: Int
        let at: Instant
        /// Nil for a new object.
        let from: Int64?
        let to: Int64
    }

    /// The most changes that are remembered.
    static let most = 4
    /// Nanoseconds within which what a client sends may have crossed what it received.
    static let crossing: Int64 = 1_000_000_000

    /// Identifiers of the last changes that the client sent, in their order.
    private(set) var sendings: [ExactText] = []
    /// The last thing that happened since the client last sent a change.
    private(set) var trigger: Trigger?
    /// The last change of this client that was made.
    private(set) var own: Step?
    /// The last change of another client.
    private(set) var remote: Step?
    /// When the client last sent a change, and on which channel.
    private(set) var sentAt: Instant?
    private(set) var session: Int32 = 0

    /// A change was sent; what happened before is over, but for what it may have crossed.
    mutating func send(_ ccid: ExactText, _ scene: SimperiumChangeCheck.Scene) {
        sendings.removeAll { $0 == ccid }
        if sendings.count >= Self.most { sendings.removeFirst() }
        sendings.append(ccid)
        sentAt = scene.at
        session = scene.channel.session
        if let trigger, scene.at.nanoseconds - trigger.at.nanoseconds > Self.crossing {
            self.trigger = nil
        }
    }

    /// The client received a refusal; `isMade` where the server had made the change all the same.
    mutating func refuse(_ answer: SimperiumChangeAnswer, isMade: Bool) {
        if answer.code == 409 {
            happen(.duplicate, answer.evidence, answer.at)
        } else if isMade {
            happen(.refusedThoughMade, answer.evidence, answer.at)
        }
    }

    /// The client received a change that was made.
    mutating func take(
        _ change: SimperiumChange<Range<Int>>, _ scene: SimperiumChangeCheck.Scene, isOwn: Bool
    ) {
        guard change.operation == .modify, let to = change.ev else {
            if change.operation == .remove { clear() }
            return
        }
        let step = Step(evidence: scene.evidence, at: scene.at, from: change.sv, to: to)
        if isOwn {
            if own.map({ $0.to < to }) ?? true { own = step }
            return
        }
        guard remote.map({ $0.to < to }) ?? true else {
            if remote?.to == to { happen(.changedAgain, scene.evidence, scene.at) }
            return
        }
        remote = step
        happen(.changed, scene.evidence, scene.at)
    }

    /// A repetition is not replaced by what happens anyway.
    mutating func happen(_ kind: Trigger.Kind, _ evidence: Int, _ at: Instant) {
        let next = Trigger(kind: kind, evidence: evidence, at: at)
        if trigger?.isRepetition == true, !next.isRepetition { return }
        trigger = next
    }

    /// What happened since the client last sent a change of the object.
    func trigger(in scene: SimperiumChangeCheck.Scene) -> Trigger? {
        if let trigger { return trigger }
        guard sentAt != nil, session != scene.channel.session else { return nil }
        return Trigger(kind: .reconnected, evidence: 0, at: scene.channel.openedAt)
    }

    /// The object was removed.
    mutating func clear() { self = Self() }
}
