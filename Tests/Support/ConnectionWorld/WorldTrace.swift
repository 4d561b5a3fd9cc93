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
    private var rows: [DerivedRow] = []
    private var chunks: Int64 = 0

    mutating func take(_ records: [Record]) {
        for record in records {
            var chunk: ChunkID?
            if case .chunk = record {
                chunks += 1
                chunk = ChunkID(chunks)
            }
            entries.append(Entry(record: record, chunk: chunk))
            dissector.consume(record, chunk: chunk, into: &rows)
        }
    }

    mutating func flush() { dissector.flush(into: &rows) }

    /// Says what is wrong with the rows.
    mutating func finish(_ features: WorldFeatures, _ chance: inout Chance) -> [String] {
        dissector.flush(into: &rows)
        var problems: [String] = []
        let final = Self.final(rows)
        for case .exchange(let row) in final
        where features.contains(.outcomes) && (row.outcome == .open || row.endedAt == nil) {
            problems.append(
                "5: exchange \(row.id) has no outcome: \(row.method) \(row.host)\(row.path)")
        }
        var again = Dissector()
        var others: [DerivedRow] = []
        for entry in entries { again.consume(entry.record, chunk: entry.chunk, into: &others) }
        again.flush(into: &others)
        if let why = Self.difference(final, Self.final(others)) {
            problems.append(
                "6: the rows of the trace are others than those of the live path: \(why)")
        }
        guard features.contains(.otherCuts) else { return problems }
        let records = entries.map(\.record)
        let whole = Recut.rows(records)
        if let why = Self.difference(whole, Recut.rows(Recut.cut(records, &chance))) {
            problems.append("6: the rows are others where reads are cut otherwise: \(why)")
        }
        return problems
    }

    /// The rows as they are at the end: of exchanges the last alone.
    static func final(_ rows: [DerivedRow]) -> [DerivedRow] {
        var places: [ExchangeID: Int] = [:]
        var result: [DerivedRow] = []
        for row in rows {
            guard case .exchange(let exchange) = row else {
                result.append(row)
                continue
            }
            if let place = places[exchange.id] {
                result[place] = row
            } else {
                places[exchange.id] = result.count
                result.append(row)
            }
        }
        // An exchange stands where it was first told of, which depends on when that was asked.
        return result.filter { if case .exchange = $0 { false } else { true } }
            + places.keys.sorted().compactMap { places[$0].map { result[$0] } }
    }

    static func difference(_ a: [DerivedRow], _ b: [DerivedRow]) -> String? {
        guard a != b else { return nil }
        let place = zip(a, b).enumerated().first { $1.0 != $1.1 }?.offset ?? min(a.count, b.count)
        let left = place < a.count ? "\(a[place])" : "nothing"
        let right = place < b.count ? "\(b[place])" : "nothing"
        return
            "row \(place) of \(a.count) and \(b.count): \(left.prefix(600)) -- \(right.prefix(600))"
    }
}
