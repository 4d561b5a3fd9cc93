public import Filters

/// Lines of a trace that a separate thread reads, for one consumer that takes its time with each.
public struct LineBatches: Sendable {
    private let batches: RowBatches<[TraceLine]>
    private let isDropped = Flagged()

    /// The least lines that are passed on together, so that the first are there at once, and the
    /// most.
    private static let least = 8
    private static let most = 512

    /// Begins to read the trace at `path`, as ``TraceReader/lines(_:with:of:limit:_:)`` does, with
    /// `detail` of each row.
    public init(
        path: String, _ filter: Filter?, with messages: ListedMessages = .none,
        of side: LineSide = .client, _ detail: LineDetail = .whole
    ) {
        let isDropped = isDropped
        batches = RowBatches { (put) throws(TraceError) in
            var batch: [TraceLine] = []
            var size = Self.least
            try TraceReader(path: path).lines(
                filter, of: side, .all, with: messages, detail, readsAhead: true
            ) { line in
                batch.append(line)
                guard batch.count == size else { return true }
                put(batch)
                batch = []
                size = min(Self.most, 2 * size)
                return !isDropped.isSet
            }
            put(batch)
        }
    }

    /// Passes on the lines, at most `limit` of them, while `body` returns true; once.
    ///
    /// - Throws: ``TraceError`` where the trace cannot be read.
    public func forEach(
        limit: Int? = nil, _ body: (TraceLine) -> Bool
    ) throws(TraceError) {
        defer {
            isDropped.set()
            batches.drop()
        }
        var left = limit ?? .max
        while left > 0, let batch = try batches.next() {
            for line in batch.prefix(left) {
                guard body(line) else { return }
            }
            left -= batch.count
        }
    }
}
