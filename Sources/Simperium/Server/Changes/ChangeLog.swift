internal import Notation
internal import Wire

/// The last changes of a bucket, for clients that were away.
///
/// Each change version within is a point from which a client can continue; where older changes were
/// merged, only the points before and after them are.
struct ChangeLog: Hashable, Sendable {
    /// A change and what it did.
    struct Entry: Hashable, Sendable {
        /// As it was sent.
        var change: SimperiumChange<JSONValue>
        /// Its operations; nil where they are unknown, so that it is never merged.
        var effect: Effect?
        /// Bytes it takes, about.
        var weight: Int
    }

    /// An object before and after a change; nil where it was not there.
    struct Effect: Hashable, Sendable {
        var before: JSONValue?
        var after: JSONValue?
    }

    /// The change version before the first entry; nil where that is unknown.
    private(set) var start: String?
    /// The entries, in order; the first ``merged`` were merged.
    private(set) var entries: [Entry] = []
    private var merged = 0
    /// The change version after the merged ones, of which none is left where all cancelled out.
    private var mergedEnd: String?
    /// Bytes of all entries, about.
    private(set) var weight = 0

    /// An empty log at this change version.
    init(start: String?) { self.start = start }

    /// The entries since a change version; nil where that is unknown.
    func entries(since cv: String) -> ArraySlice<Entry>? {
        if cv == mergedEnd { return entries[merged...] }
        if let place = entries[merged...].lastIndex(where: { $0.change.cv == cv }) {
            return entries[(place + 1)...]
        }
        return cv == start ? entries[...] : nil
    }

    /// Adds a change, and evicts or merges old ones.
    mutating func append(_ entry: Entry, _ options: BucketOptions) {
        entries.append(entry)
        weight += entry.weight
        let most = max(options.loggedChanges, 1)
        if options.aggregation == .older, entries.count > most || weight > options.loggedBytes {
            mergeOlderHalf(most)
        }
        while entries.count > most || weight > options.loggedBytes, !entries.isEmpty {
            if merged > 0 { forget(merged, end: mergedEnd) } else { forget(1, end: nil) }
        }
    }

    /// Evicts the first `count` entries; after them a client is at `end`, or at the last's.
    private mutating func forget(_ count: Int, end: String?) {
        start = end ?? entries[count - 1].change.cv
        weight -= entries[..<count].reduce(0) { $0 + $1.weight }
        entries.removeFirst(count)
        merged = 0
        mergedEnd = nil
    }

    private mutating func mergeOlderHalf(_ most: Int) {
        let count = merged + (entries.count - merged + 1) / 2
        let end = entries[count - 1].change.cv
        let few = ChangeMerge.merge(entries[..<count], end: end)
        // Identifiers of changes pile up in what is merged again and again.
        let identifiers = few.reduce(0) { $0 + $1.change.ccids.count }
        weight -= entries[..<count].reduce(0) { $0 + $1.weight }
        entries.replaceSubrange(..<count, with: few)
        weight += few.reduce(0) { $0 + $1.weight }
        merged = few.count
        mergedEnd = end
        if few.count > most / 2 || identifiers > 4 * most { forget(merged, end: end) }
    }
}
