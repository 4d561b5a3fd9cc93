import Simperium
import Wire

/// A channel of a client, as far as rules about sessions follow it.
struct SimperiumSessionChannel: Sendable {
    /// The outcome of the `init`.
    enum Phase: Sendable {
        case opening
        case open
        case refused(CommandEvidence)
    }

    /// A version of an object.
    struct Entity: Hashable, Sendable {
        var key: SimperiumName
        var version: Int64
    }

    /// A change that does not apply to what the client received.
    struct Gap: Sendable {
        var command: CommandEvidence
        var known: Int64
        var sv: Int64
        /// The version that what came after it leads to, from ``known`` on without a gap.
        var reached: Int64
        /// Whether the client requested the changes since, which may bring what is missing.
        var isRequested = false

        init(command: CommandEvidence, known: Int64, sv: Int64) {
            self.command = command
            self.known = known
            self.sv = sv
            reached = known
        }

        /// What is left of it after another change of the object; nil where the client has followed:
        /// what was missing came late, and the change that did not fit came again.
        func after(_ change: SimperiumChange<Range<Int>>) -> Gap? {
            guard let ev = change.ev, change.sv == reached else { return self }
            var gap = self
            gap.reached = ev
            return gap.reached > gap.sv ? nil : gap
        }
    }

    /// The answer that a change version is unknown, until the index is requested.
    struct Unknown: Sendable {
        let cv: String?
        let command: CommandEvidence
        /// Whether it was reported that the client went on without the index.
        var isReported = false
    }

    /// What a client may take for a reason to read the whole index.
    struct Pretext: Sendable {
        /// As the end of a sentence: `the server refused a change of a with 413`.
        let detail: String
        let command: CommandEvidence
        let expects: String
    }

    /// A reading of the index.
    struct Run: Sendable {
        let id: Int
        /// Bytes of its pages.
        var bytes = 0
        /// Received pages.
        var pages = 0
        /// Marks that were requested and answered.
        var answered: Set<String> = []
        /// The mark of the last received page, and that page.
        var last: (mark: String, page: CommandEvidence)?
        /// Whether the page after it was requested.
        var isNextAsked = false
        var isComplete = false
        var completeAt = Instant.zero
        /// Whether changes came before its last page.
        var hadChanges = false
        /// `current` of its first page.
        var current: String?
        /// Objects without data, in order, of the first index of a client.
        var fetch: [Entity] = []
        /// The number of them that were requested in order; nil once the order differs.
        var fetched: Int?
    }

    /// Times in a row that the first page was requested in the place of the second, and its `current`.
    var restarts = 0
    var restarted: String?
    let initiation: CommandEvidence
    let clientID: String?
    let bucket: String
    let token: String?
    var phase = Phase.opening
    /// Whether `auth:expired` was received without its reason yet, regardless of commands in
    /// between.
    var isReasonDue = false
    /// Whether it was open before it was opened again.
    let wasOpen: Bool
    /// The client's state of the bucket, once it was accepted.
    var life: SimperiumSessionLife.ID?

    /// Whether the client requested the index or changes since the `init`.
    var hasAsked = false
    /// Whether it has received what it requested once.
    var isSynced = false
    /// Whether what it received was needed, so that it has stored it.
    var hasWorked = false
    /// Whether there was a reason to read the index, or to refuse a change, since it was read.
    var hasReason = false
    /// Whether a change was refused since the changes were last requested.
    var wasRefused = false
    /// Whether something was a reason to read the whole index since it was read.
    var needsIndex = false
    /// The last command since it was read that clients take for a reason and that is none.
    var pretext: Pretext?
    /// `cv` that were not answered, and their values.
    var awaitedChanges = 0
    var askedCV: String?
    var unknown: Unknown?
    var run: Run?
    /// Pages that were requested and not received, by reading and mark.
    var awaitedPages: [(run: Int, mark: String?)] = []
    /// Marks that were received.
    var marks: Set<String> = []
    /// Entities that were requested and not received.
    var awaited: [Entity: Int] = [:]
    var awaitedCount = 0
    var lastEntityAt = Instant.zero
    /// The received version of an object, and how often since anything new was received about it.
    var answered: [SimperiumName: (version: Int64, times: Int)] = [:]
    /// The version that was requested, how often since anything new was received about the object, and
    /// since when.
    var requested: [SimperiumName: (version: Int64, times: Int, since: Instant)] = [:]
    /// Objects of which a version does not exist, until anything is received about them.
    var missing: [SimperiumName: CommandEvidence] = [:]
    /// Objects that were requested again although the client had them from before.
    var refetched: Set<SimperiumName> = []
    var gaps: [SimperiumName: Gap] = [:]
    /// The request for the client's index that was not answered.
    var stateAsked: CommandEvidence?
    /// Changes that the client sent since.
    var changesSinceAsked = 0

    static let most = 20_000

    /// Something new was received about an object.
    mutating func renew(_ key: SimperiumName) {
        if !answered.isEmpty { answered[key] = nil }
        if !requested.isEmpty { requested[key] = nil }
        if !missing.isEmpty { missing[key] = nil }
    }

    /// Whether the client had what it needs to go on with a `cv`.
    var isSettled: Bool {
        isSynced && hasWorked && !hasReason && unknown == nil && awaitedCount == 0
            && awaitedChanges == 0 && (run?.isComplete ?? true)
    }
}
