import Dissection
import Wire

/// The trace of a world: its records, and the rows that were made of them while they came.
struct WorldTrace {
    /// A record and the number of the chunk that it is.
    private struct Entry {
        let record: Record
        let chunk: ChunkID?
    }

    private var entries: [Entry] = []
    private var dissector = Dissector()
    private var new: [DerivedRow] = []
    private var rows: FinalRows
    private var chunks: Int64 = 0

    /// A trace without records; `keepsRows` where somebody wants to see rows that differ.
    init(keepsRows: Bool) { rows = FinalRows(keepsRows: keepsRows) }

    mutating func take(_ records: [Record]) {
        for record in records {
            var chunk: ChunkID?
            if case .chunk = record {
                chunks += 1
                chunk = ChunkID(chunks)
            }
            entries.append(Entry(record: record, chunk: chunk))
            dissector.consume(record, chunk: chunk, into: &new)
        }
        rows.take(&new)
    }

    /// How far HTTP of a connection is framed for its rows.
    func framing(of connection: ConnectionID) -> HTTPFraming? { dissector.framing(of: connection) }

    mutating func flush() {
        dissector.flush(into: &new)
        rows.take(&new)
    }

    /// Says what is wrong with the rows.
    mutating func finish(_ features: WorldFeatures, _ chance: inout Chance) -> [String] {
        flush()
        var problems: [String] = []
        for row in rows.exchanges
        where features.contains(.outcomes) && (row.outcome == .open || row.endedAt == nil) {
            problems.append(
                "5: exchange \(row.id) has no outcome: \(row.method) \(row.host)\(row.path)")
        }
        var again = Dissector()
        var others = FinalRows(keepsRows: rows.keepsRows)
        for entry in entries {
            again.consume(entry.record, chunk: entry.chunk, into: &new)
            others.take(&new)
        }
        again.flush(into: &new)
        others.take(&new)
        if let why = rows.difference(others) {
            problems.append(
                "6: the rows of the trace are others than those of the live path: \(why)")
        }
        guard features.contains(.otherCuts) else { return problems }
        let records = entries.map(\.record)
        let whole = Recut.rows(records, keepsRows: rows.keepsRows)
        let cut = Recut.rows(Recut.cut(records, &chance), keepsRows: rows.keepsRows)
        if let why = whole.difference(cut) {
            problems.append("6: the rows are others where reads are cut otherwise: \(why)")
        }
        return problems
    }
}
