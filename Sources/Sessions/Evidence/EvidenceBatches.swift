package import Trace
package import Wire

/// The evidence of a finished session, read by a separate thread.
package final class EvidenceBatches {
    private let batches: RowBatches<EvidenceBatch>
    /// The counts up to the last batch.
    package private(set) var counts = EvidenceCounts()
    /// The time of the last evidence up to there.
    package private(set) var last = Instant.zero

    /// Begins to read.
    package init(path: String, session: SessionID, bounds: EvidenceBounds?) {
        batches = RowBatches { (put) throws(TraceError) in
            let source = EvidenceSource(
                try EvidenceReader(path: path, session: session, bounds: bounds))
            var isLast = false
            while !isLast {
                let batch = try source.next(isOver: true)
                isLast = batch.isLast
                put(batch)
            }
        }
    }

    /// The next batch; nil when there are no more.
    package func next() throws(TraceError) -> EvidenceBatch? {
        guard let batch = try batches.next() else { return nil }
        counts = batch.counts
        last = batch.last
        return batch
    }

    /// Drops the remaining batches.
    package func drop() { batches.drop() }
}
