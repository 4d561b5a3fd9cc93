import Foundation
import Replaying
import Trace
import Wire

/// All exchanges of a trace in their order, which several threads read by turns of numbers.
struct ExchangeReaders {
    /// The number of exchanges of a turn, where none are missing.
    private static let turn: Int64 = 1_024
    /// Threads, as many as usual machines have processors to spare.
    private static let threads = min(2, ProcessInfo.processInfo.activeProcessorCount)

    /// The maximum number of exchanges of a batch.
    private static let most = 1_024

    /// Exchanges, and whether what follows them is in a batch of the next reader.
    private struct Part: Sendable {
        var exchanges = RecordedExchanges.Batch()
        var isLast = false
    }

    private let readers: [RowBatches<Part>]
    /// The reader whose turn it is.
    private var current = 0

    /// Begins to read.
    ///
    /// - Parameters:
    ///   - path: The trace.
    ///   - session: The session of it that is read; nil for all.
    ///   - numbers: Those of the first and the last exchange.
    ///   - count: The maximum number of exchanges that there may be.
    init(path: String, session: SessionID?, numbers: ClosedRange<Int64>, count: Int) {
        // Numbers may be far apart: there are no more turns than rows fill.
        let turns = Int64(count) / Self.turn + 1
        let step = max(Self.turn, (numbers.upperBound - numbers.lowerBound) / turns + 1)
        let threads = Int64(Self.threads)
        readers = (0..<threads).map { thread in
            RowBatches { (put) throws(TraceError) in
                let reader = try ReplayReader(path: path, session: session)
                for first in stride(
                    from: numbers.lowerBound + thread * step, through: numbers.upperBound,
                    by: Int(threads * step))
                {
                    var part = Part()
                    try reader.exchanges(first...first + step - 1) { row in
                        if part.exchanges.count == Self.most {
                            put(part)
                            part = Part()
                        }
                        part.exchanges.append(RecordedExchanges.Row(row))
                    }
                    part.isLast = true
                    put(part)
                }
            }
        }
    }

    /// The next batch; nil when there are no more.
    mutating func next() throws(TraceError) -> RecordedExchanges.Batch? {
        guard let part = try readers[current].next() else { return nil }
        if part.isLast { current = (current + 1) % readers.count }
        return part.exchanges
    }

    /// Drops the remaining batches, so that the threads end.
    func drop() {
        for reader in readers { reader.drop() }
    }
}

extension RecordedExchanges.Row {
    fileprivate init(_ row: ReplayExchangeRow) {
        self.init(
            id: row.id, connection: row.connection, api: row.api, method: row.method,
            host: row.host, port: row.port, path: row.path, query: row.query, status: row.status,
            startedAt: row.startedAt, respondedAt: row.respondedAt, endedAt: row.endedAt)
    }
}
