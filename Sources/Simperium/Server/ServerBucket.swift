public import Notation
import Wire

/// One bucket of one user as a server has it: objects, their versions, and the last changes.
///
/// A value without clock, randomness or sockets: ``receive(_:from:)`` applies a change and returns
/// its result, everything else is a query. A copy is a snapshot, and equal buckets give equal
/// answers from now on. All that clients can make it store is bounded by ``options``; a change
/// takes time in proportion to its object and the log, never to the bucket, except for one that
/// empties it. Source: Simperium/Specification.md#first-sync; Simperium/Specification.md#entities.
public struct ServerBucket: Hashable, Sendable {
    /// Its name, which is the key of an `EMPTY`.
    public let name: String
    /// Limits and decisions; what is kept already is not cut down when they change.
    public var options: BucketOptions
    /// Its change version; see ``current`` for that of an index.
    public internal(set) var cv: String
    /// How many objects are there.
    public internal(set) var count = 0
    /// Bytes of all versions of all objects as JSON.
    public internal(set) var weight = 0

    var objects: [ExactText: StoredObject] = [:]
    var order = ObjectOrder()
    var log: ChangeLog
    var known = KnownChanges()
    var removals = RemovedObjects()
    var versions: ChangeVersions
    /// Whether anything was ever in it.
    var wasUsed = false

    /// An empty bucket, with a new change version from the start.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - options: Limits and decisions.
    ///   - versions: Where its change versions come from.
    public init(name: String, options: BucketOptions = BucketOptions(), versions: ChangeVersions) {
        var versions = versions
        self.name = name
        self.options = options
        cv = versions.next()
        log = ChangeLog(start: cv)
        self.versions = versions
    }

    /// The newest version of an object; nil where it is not there.
    public func object(_ key: String) -> (version: Int64, data: JSONValue)? {
        objects[ExactText(key)]?.head.map { ($0.number, $0.data) }
    }

    /// The answer to `e`: the data of an object at a version; nil where that is not kept.
    public func data(of key: String, at version: Int64) -> JSONValue? {
        objects[ExactText(key)]?.version(version)?.data
    }

    /// An object with its kept history; nil where it is unknown.
    public func history(of key: String) -> ServerObject? {
        objects[ExactText(key)].map { ServerObject(key, $0) }
    }

    /// The answer to `cv`: the changes since then, in order; nil where it is unknown.
    public func changes(since cv: String) -> [SimperiumChange<JSONValue>]? {
        if cv == self.cv { return [] }
        guard let entries = log.entries(since: cv) else { return nil }
        guard options.aggregation == .answers else { return entries.map(\.change) }
        return ChangeMerge.merge(entries, end: self.cv).map(\.change)
    }

    /// How many changes are kept for `cv`.
    public var loggedCount: Int { log.entries.count }

    /// How many changes are kept to detect duplicates.
    public var knownCount: Int { known.count }
}

extension ServerObject {
    init(_ key: String, _ object: StoredObject) {
        self.init(
            key: key, number: object.number, isRemoved: object.isRemoved,
            versions: object.versions.map {
                Version(number: $0.number, data: $0.data, change: $0.change)
            })
    }
}
