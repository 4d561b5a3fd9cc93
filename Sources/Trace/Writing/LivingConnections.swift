internal import Wire

/// The connections of the session that are still open, so that ended ones can be deleted as a
/// whole.
struct LivingConnections {
    private struct Living {
        var row: ConnectionRow
        /// Legs that are open.
        var legs: [LegRow] = []
    }

    private var living: [Int64: Living] = [:]

    /// Records one record.
    mutating func take(_ record: Record) {
        switch record {
        case .connection(let row): living[row.id.rawValue] = Living(row: row)
        case .leg(let row): living[row.connection.rawValue]?.legs.append(row)
        case .event(let row):
            guard row.kind == .closed || row.kind == .refused, let connection = row.connection
            else { return }
            guard let leg = row.leg else {
                living[connection.rawValue] = nil
                return
            }
            living[connection.rawValue]?.legs.removeAll { $0.id == leg }
            if living[connection.rawValue]?.legs.isEmpty == true {
                living[connection.rawValue] = nil
            }
        case .chunk, .gap, .mark, .fault, .finding, .packet, .secret: break
        }
    }

    /// Whether more records of this connection may follow.
    func contains(_ connection: Int64) -> Bool { living[connection] != nil }

    /// The rows that a trace needs about them before more of their bytes, when everything until
    /// `now` is missing from it.
    func introduced(at now: Instant) -> [Record] {
        living.values.sorted { $0.row.id < $1.row.id }.flatMap { each in
            [.connection(each.row)] + each.legs.map { .leg($0) } + [
                .gap(
                    GapRow(
                        connection: each.row.id, leg: nil, sender: nil, at: each.row.at,
                        until: max(now, each.row.at), count: 0, chunks: 0, reason: .traceLost))
            ]
        }
    }
}
