internal import Notation
internal import Simperium

/// The past of a bucket, as far as a server showed it: the order of its changes, older versions of
/// objects, the versions of removals, and refusals that do not follow from the state.
///
/// Bounded by ``limit`` changes, and by the versions that a server keeps of each object.
struct BucketHistory: Sendable {
    /// A version of an object.
    struct Version: Sendable {
        var number: Int64
        var json: [UInt8]
        /// The operations that made it of the version before.
        var change: JSONValue?
    }

    /// A change and the change version that it was sent after.
    private struct Link: Sendable {
        var previous: String?
        var change: SimperiumChange<JSONValue>
    }

    /// Versions that are kept of an object: those of a server with the usual options.
    static let versions = BucketOptions().newestVersions

    /// The maximum number of changes.
    let limit: Int
    private var links: [ExactText: Link] = [:]
    /// Change versions in the order in which they were first sent; those before ``oldest`` are
    /// evicted.
    private var order: [String] = []
    private var oldest = 0
    /// Versions by key, in ascending order.
    private(set) var versions: [ExactText: [Version]] = [:]
    /// The version of the last removal, by key.
    private(set) var removals: [ExactText: Int64] = [:]
    /// Refusals for reasons that the state of the bucket does not have, by `ccid`.
    private(set) var refusals: [ExactText: SimperiumChange<JSONValue>] = [:]

    init(limit: Int = 20_000) { self.limit = limit }

    /// Notes a change that the server sent.
    ///
    /// - Parameters:
    ///   - change: The change, with its `cv`.
    ///   - previous: The change version that its receiver was at; nil where that is unknown.
    mutating func note(_ change: SimperiumChange<JSONValue>, after previous: String?) {
        guard let cv = change.cv else { return }
        if let known = links[ExactText(cv)] {
            // An answer may begin with what its receiver had already.
            if known.previous == nil, previous != cv { links[ExactText(cv)]?.previous = previous }
            return
        }
        links[ExactText(cv)] = Link(previous: previous == cv ? nil : previous, change: change)
        order.append(cv)
        while order.count - oldest > limit {
            links[ExactText(order[oldest])] = nil
            oldest += 1
        }
        if oldest > order.count / 2 {
            order.removeFirst(oldest)
            oldest = 0
        }
    }

    /// Notes that the server refused a change.
    mutating func note(refusal: SimperiumChange<JSONValue>) {
        guard let code = refusal.error, ServerBucket.isOfPolicy(code) else { return }
        for ccid in refusal.ccids.prefix(1) { refusals[ExactText(ccid)] = refusal }
    }

    /// Notes a version of an object that the server sent or that follows from a change.
    mutating func note(
        _ key: ExactText, _ number: Int64, _ json: [UInt8], change: JSONValue? = nil
    ) {
        var kept = versions.removeValue(forKey: key) ?? []
        defer { versions[key] = kept }
        let place = kept.firstIndex { $0.number >= number } ?? kept.count
        if place < kept.count, kept[place].number == number {
            kept[place].change = kept[place].change ?? change
            return
        }
        kept.insert(Version(number: number, json: json, change: change), at: place)
        if kept.count > Self.versions { kept.removeFirst() }
    }

    /// Notes that an object was removed.
    mutating func note(removalOf key: ExactText, _ number: Int64) {
        removals[key] = max(number, removals[key] ?? 0)
    }

    /// The changes that lead to a change version without a gap, and those before them.
    ///
    /// - Parameter cv: The change version that the bucket is at.
    /// - Returns: The change version before the first of `log`; nil where that is unknown. `known`
    ///   are the others, by which a change is known when it is sent again.
    func changes(
        to cv: String
    ) -> (
        start: String?, log: [SimperiumChange<JSONValue>], known: [SimperiumChange<JSONValue>]
    ) {
        var log: [SimperiumChange<JSONValue>] = []
        var visited: Set<ExactText> = []
        // The version that the next change of an object is for.
        var expected: [ExactText: Int64] = [:]
        var start: String? = cv
        while let place = start, let link = links[ExactText(place)],
            visited.insert(ExactText(place)).inserted
        {
            let change = link.change
            if let key = change.key.map({ ExactText($0) }), let version = change.ev {
                // Something between the two was never sent.
                if let next = expected[key], next != version {
                    visited.remove(ExactText(place))
                    start = nil
                    break
                }
                expected[key] = change.sv
            }
            log.append(change)
            start = link.previous
        }
        let known = order[oldest...].filter { !visited.contains(ExactText($0)) }
            .compactMap { links[ExactText($0)]?.change }
        return (start, log.reversed(), known)
    }
}
