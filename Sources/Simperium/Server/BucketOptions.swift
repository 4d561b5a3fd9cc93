/// The options of a server for its buckets: limits, and behaviour that cannot be observed with
/// certainty.
///
/// The usual values are those of the sources named, or the most plausible guess.
public struct BucketOptions: Hashable, Sendable {
    /// The `current` of an index that never had an object.
    public enum EmptyCurrent: Hashable, Sendable {
        /// A change version, which keeps clients from requesting in a loop.
        case changeVersion
        /// The member is missing.
        case missing
        /// It is the empty string.
        case empty
    }

    /// What happens to several changes of one object in the log.
    public enum Aggregation: Hashable, Sendable {
        /// Each stays what it is.
        case none
        /// An answer to `cv` has one change per object; every change version stays known.
        case answers
        /// The older half of a full log is merged to one change per object instead of dropped.
        ///
        /// The change versions within become unknown, but the one before them is known.
        case older
    }

    /// What `EMPTY`, with the name of the bucket for a key, does.
    public enum Emptying: Hashable, Sendable {
        /// One change of this operation, forwarded as it was sent.
        case asOne
        /// It is refused with 400.
        case refused
    }

    /// The default number of entries of a page of the index.
    public var usualPage = 100
    /// The maximum number of entries of a page of the index.
    public var largestPage = 1000
    /// Bytes of data after which a page of the index ends early.
    public var pageBytes = 8 << 20
    /// Whether a number in the second slot of `i` is an offset: objects that are left out, from the
    /// start or from the mark in the third slot.
    ///
    /// The published prose has an offset there, which no known client sends. No mark of this server
    /// is a number.
    public var readsOffsets = true
    /// What an empty index is at.
    public var emptyCurrent = EmptyCurrent.changeVersion

    /// Newest versions of an object that are kept, at least 1; Simperium's `version_max`.
    public var newestVersions = 60
    /// Older versions that are kept, every tenth; Simperium's `version10_max`.
    public var tenthVersions = 100
    /// Whether the versions of an object stay when it is removed.
    public var keepsVersionsOfRemoved = false
    /// Removed objects whose version is kept, so that it continues when they come back.
    public var removedObjects = 10_000

    /// Changes that are kept for `cv`, at least 1.
    public var loggedChanges = 100
    /// Bytes of changes that are kept for `cv`.
    public var loggedBytes = 16 << 20
    /// What happens to several changes of one object.
    public var aggregation = Aggregation.none
    /// The number of changes that are kept to detect duplicates.
    public var knownChanges = 10_000

    /// Checks of a change, in the order in which they are made; one that is left out is not made.
    public var checks = ChangeCheck.usualOrder
    /// The maximum size of an object in bytes of JSON; the real limit is unknown, 1 MB was refused.
    public var objectBytes = 1 << 20
    /// Objects that may be there at once.
    public var objects = 1_000_000
    /// Bytes of JSON of all versions of all objects.
    public var bytes = 256 << 20
    /// Steps from an old version to the newest that a change is rebased over one by one.
    ///
    /// What is further back counts as one step, so that no change costs more.
    public var rebaseSteps = 16
    /// Whether `d` is accepted unchanged where its `sv` is unknown, rather than refused with 405.
    public var overwritesUnknownVersions = false
    /// Member that must be true before an object may be removed; nil where none must.
    ///
    /// Simplenote's notes have `deleted`.
    public var removalMark: String?
    /// What `EMPTY` does.
    public var emptying = Emptying.asOne

    /// The usual options.
    public init() {}
}
