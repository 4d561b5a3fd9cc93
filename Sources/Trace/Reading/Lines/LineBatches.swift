public import Filters

/// Lines of a trace that a separate thread reads, for one consumer that takes its time with each.
public final class LineBatches: Sendable {
    private let batches: RowBatches<[TraceLine]>
    private let isDropped = Flagged()

    /// The least lines that are passed on together, so that the first are there at once, and the
    /// most.
    private static let least = 8
    private static let most = 512

    /// Begins to read the trace at `path`, as ``TraceReader/lines(_:with:of:limit:_:)`` does, with
    /// `detail` of each row, and at most `limit` lines.
    public init(
        path: String, _ filter: Filter?, with messages: ListedMessages = .none,
        of side: LineSide = .client, _ detail: LineDetail = .whole,
        limit: Int? = nil
    ) {
        let isDropped = isDropped
        batches = RowBatches { (put) throws(TraceError) in
            var batch: [TraceLine] = []
            var size = Self.least
            try TraceReader(path: path).lines(
                filter, of: side, .all, with: messages, detail, limit: limit, readsAhead: true
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

    deinit { drop() }

    /// Ends the reading, whether all was taken or not.
    private func drop() {
        isDropped.set()
        batches.drop()
    }

    /// Passes on the lines while `body` returns true; once.
    ///
    /// - Throws: ``TraceError`` where the trace cannot be read.
    public func forEachLine(_ body: (TraceLine) -> Bool) throws(TraceError) {
        try forEachBatch { $0.allSatisfy(body) }
    }

    /// Passes on the lines, some hundred at a time, while `body` returns true; once.
    ///
    /// - Throws: ``TraceError`` where the trace cannot be read.
    public func forEachBatch(_ body: ([TraceLine]) -> Bool) throws(TraceError) {
        defer { drop() }
        while let batch = try batches.next() {
            guard body(batch) else { return }
        }
    }
}
