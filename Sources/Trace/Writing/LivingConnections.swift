internal import Wire

/// Which connections of the session still live, so that what ended can be let go as a whole.
struct LivingConnections {
    /// Legs that are open, by connection.
    private var legs: [Int64: Set<LegID>] = [:]

    /// Takes note of one record.
    mutating func take(_ record: Record) {
        switch record {
        case .connection(let row): legs[row.id.rawValue] = []
        case .leg(let row): legs[row.connection.rawValue]?.insert(row.id)
        case .event(let row):
            guard row.kind == .closed || row.kind == .refused, let connection = row.connection
            else { return }
            guard let leg = row.leg else {
                legs[connection.rawValue] = nil
                return
            }
            legs[connection.rawValue]?.remove(leg)
            if legs[connection.rawValue]?.isEmpty == true { legs[connection.rawValue] = nil }
        case .chunk, .gap, .mark, .fault, .finding, .packet, .secret: break
        }
    }

    /// Whether more of this connection may come.
    func contains(_ connection: Int64) -> Bool { legs[connection] != nil }
}
