public import Notation
public import OpenRosa
public import Wire

/// What the server holds of a CommCare project: what accepted forms and restores imply.
public struct DomainState: Sendable {
    /// Host and path of the project: `hq.example/a/demo`.
    public let name: String
    /// Cases, closed ones included, with what was done to them by any device.
    public internal(set) var cases = CaseSet()
    /// For each case its last change in the order of all messages.
    var touched: [ExactText: Int] = [:]
    /// Forms that were accepted.
    var forms: Set<ExactText> = []
    /// What the server showed of its past; nil where nobody needs it.
    var history: ProjectHistory?

    init(name: String) { self.name = name }
}

/// A CommCare user on a device, as client and server see it.
public struct UserState: Sendable {
    /// Host and path of the project: `hq.example/a/demo`.
    public let domain: String
    /// Name of the user; nil where it is unknown.
    public internal(set) var user: String?
    /// Identifier of the device; nil where it is unknown.
    public let device: String?
    /// What the device holds.
    public internal(set) var client = DeviceSide()
    /// What the server takes it to hold.
    public internal(set) var server = ServerSide()
    /// Forms that the device sent and has not seen accepted, in order.
    public internal(set) var unanswered: [UnansweredForm] = []
    /// Value of `state` that it sent last, and the exchange that it was in.
    public internal(set) var sentState: (hash: String, exchange: ExchangeID)?
    /// How that differs from what the device holds; nil where it does not, or where that is not
    /// known.
    public internal(set) var stateMismatch: SentStateMismatch?
    /// Forms that the device has seen accepted.
    var finished: Set<ExactText> = []

    /// What a device holds.
    public struct DeviceSide: Sendable {
        /// What it received and submitted, purged as devices do; forms that are not accepted yet are
        /// not in it.
        public internal(set) var cases = CaseSet()
        /// Sync token of the last restore that it received whole.
        public internal(set) var syncToken: String?
        /// The exchange that brought it.
        public internal(set) var restore: ExchangeID?
        /// Whether the trace has a full restore, so that all cases are known.
        public internal(set) var isComplete = false
        /// The user and the groups whose cases belong on it; nil for all, where no groups are
        /// known.
        public internal(set) var owners: Set<ExactText>?
        var restoredAt = 0
    }

    /// What a server takes a device to hold.
    public struct ServerSide: Sendable {
        /// Sync token of the last restore that it sent.
        public internal(set) var syncToken: String?
        /// The exchange that carried it.
        public internal(set) var restore: ExchangeID?
        /// Identifier of the user in the last restore that it sent.
        var userID: String?
        /// What it keeps with each of the last sync tokens, the newest last, and when it was given.
        var logs: [(token: String, log: SyncLog, at: Int)] = []

        /// What it takes the device to hold since the last restore that it sent.
        public var log: SyncLog? { logs.last?.log }

        /// What it keeps with a sync token.
        public func log(_ token: String) -> SyncLog? { logs.last { $0.token == token }?.log }
    }

    init(domain: String, user: String?, device: String?) {
        self.domain = domain
        self.user = user
        self.device = device
    }

    /// The hash of the cases that the device will send to the server when it syncs: after its
    /// purge.
    public var nextState: CaseStateHash {
        var cases = client.cases
        _ = try? cases.purge(owners: client.owners)
        return cases.stateHash
    }

    /// What the user of the device sees: with the forms that are not accepted yet.
    public var local: CaseSet {
        var cases = client.cases
        for form in unanswered where !form.isCleared {
            _ = try? cases.submit(form.events, .tolerant)
        }
        return cases
    }
}

/// A form that a device sent and has not seen accepted.
public struct UnansweredForm: Hashable, Sendable {
    /// Its outcome, as far as known.
    public enum Outcome: Hashable, Sendable {
        /// Nothing came back.
        case unanswered
        /// The server never got it.
        case lost
        /// The server accepted it, and the device did not receive that.
        case accepted
        /// The device received this status, which means to retry or to give up.
        case refused(status: Int)
        /// The device received a success with a page that is not the answer of a CommCare server,
        /// such as that of a captive portal: it may take the form for sent, and the server does not
        /// have it.
        case unconfirmed(status: Int)
    }

    /// `instanceID`; the number of the exchange where it has none.
    public var instanceID: String
    /// The exchange that carried it first.
    public var exchange: ExchangeID
    /// When that began.
    public var at: Instant
    /// How many times it was sent.
    public var tries = 1
    /// Its outcome, as far as known.
    public var outcome = Outcome.unanswered
    /// Whether a full restore replaced what it did to the cases of the device; the form itself
    /// stays in the queue.
    public internal(set) var isCleared = false
    /// What it does to cases and ledgers.
    var events: [CommCareEvent]
}
