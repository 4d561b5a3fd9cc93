import Diagnosis
package import Trace
package import Wire

/// The evidence of a finished session, read by a separate thread.
package final class EvidenceBatches {
    /// Evidence in order, and the counts up to its end.
    package struct Batch: Sendable {
        var evidence: [Evidence]
        var counts: EvidenceCounts
        var last: Instant
    }

    /// Approximate number of entries of a batch.
    private static let most = 512
    /// Bytes of contents after which no more is added to a batch.
    private static let mostBytes = 4 << 20
    /// Entries that are read in one transaction, in which they are also checked: a trace that is
    /// being written keeps its log meanwhile.
    private static let stride = 4_096

    private let batches: RowBatches<Batch>
    /// The counts up to the last batch.
    package private(set) var counts = EvidenceCounts()
    /// The time of the last evidence up to there.
    package private(set) var last = Instant.zero

    /// Begins to read.
    package init(path: String, session: SessionID, bounds: EvidenceBounds?) {
        batches = RowBatches { (put) throws(TraceError) in
            let source = EvidenceSource(
                try EvidenceReader(path: path, session: session, bounds: bounds))
            var evidence: [Evidence] = []
            var bytes = 0
            func pass() {
                put(Batch(evidence: evidence, counts: source.counts, last: source.last))
                (evidence, bytes) = ([], 0)
            }
            var read = Self.stride
            while read == Self.stride {
                read = try source.read(isOver: true, most: Self.stride) {
                    evidence.append($0)
                    bytes += $0.size
                    if evidence.count >= Self.most || bytes >= Self.mostBytes { pass() }
                }
            }
            pass()
        }
    }

    /// The next batch; nil when there are no more.
    package func next() throws(TraceError) -> Batch? {
        guard let batch = try batches.next() else { return nil }
        counts = batch.counts
        last = batch.last
        return batch
    }

    /// Drops the remaining batches.
    package func drop() { batches.drop() }
}
