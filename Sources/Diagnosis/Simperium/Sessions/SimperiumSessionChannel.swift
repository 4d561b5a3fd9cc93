import Simperium
import Wire

/// A channel of a client, as far as rules about sessions follow it.
struct SimperiumSessionChannel: Sendable {
    /// What became of the `init`.
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

    /// A change that does not apply to what the client was told.
    struct Gap: Sendable {
        var command: CommandEvidence
        var known: Int64
        var sv: Int64
    }

    /// A reading of the index.
    struct Run: Sendable {
        let id: Int
        /// Pages that came.
        var pages = 0
        /// Marks that were asked with and answered.
        var answered: Set<String> = []
        /// The mark of the page that came last, and that page.
        var last: (mark: String, page: CommandEvidence)?
        /// Whether the page after it was asked for.
        var isNextAsked = false
        var isComplete = false
        var completeAt = Instant.zero
        /// `current` of its first page.
        var current: String?
        /// Objects without data, in order, of the first index of a client.
        var fetch: [Entity] = []
        /// How many of them were asked for in order; nil once the order is another.
        var fetched: Int?
    }

    let initiation: CommandEvidence
    let clientID: String?
    let bucket: String
    let token: String?
    var phase = Phase.opening
    /// Whether `auth:expired` was heard, and not yet why; whatever was sent in between.
    var isReasonDue = false
    /// Whether it was open before it was opened again.
    let wasOpen: Bool
    /// What the client knows of the bucket, once it was let in.
    var life: SimperiumSessionLife.ID?

    /// Whether the client asked for the index or for changes since the `init`.
    var hasAsked = false
    /// Whether it has got what it asked for once.
    var isSynced = false
    /// Whether it had a use for what it got, so that it has stored it.
    var hasWorked = false
    /// Whether there was a reason to read the index since it was read.
    var hasReason = false
    /// `cv` that were not answered, and what was asked with.
    var awaitedChanges = 0
    var askedCV: String?
    /// The answer that a cv is unknown, until the index is asked for.
    var unknown: (cv: String?, command: CommandEvidence)?
    var run: Run?
    /// Pages that were asked for and have not come, by reading and mark.
    var awaitedPages: [(run: Int, mark: String?)] = []
    /// Marks that were heard.
    var marks: Set<String> = []
    /// Readings that nobody knows a reason for, in a row.
    var baseless = 0
    /// Entities that were asked for and have not come.
    var awaited: [Entity: Int] = [:]
    var awaitedCount = 0
    var lastEntityAt = Instant.zero
    /// The version of an object that came, and how often since anything new was told of it.
    var answered: [SimperiumName: (version: Int64, times: Int)] = [:]
    var gaps: [SimperiumName: Gap] = [:]
    /// The request for the client's index that was not answered.
    var stateAsked: CommandEvidence?

    static let most = 20_000

    /// Whether the client had what it needs to go on with a `cv`.
    var isSettled: Bool {
        isSynced && hasWorked && !hasReason && unknown == nil && awaitedCount == 0
            && awaitedChanges == 0 && (run?.isComplete ?? true)
    }
}
