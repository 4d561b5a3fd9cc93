internal import Filters

/// Follows what arrives at a fleet.
///
/// Rows come in batches, which each recorder numbers in the order in which it sends them: what is new
/// of a recorder has a higher number than all before.
public struct FleetTail {
    private let reader: FleetReader
    private let question: FleetQuestion
    /// The last batch of each recorder that was passed on, by table.
    private var last: [String: [String: Int64]] = [:]

    /// Follows from now on, or from the first row.
    ///
    /// - Throws: ``FleetError``.
    public init(
        _ reader: FleetReader, _ question: FleetQuestion, fromStart: Bool
    ) throws(FleetError) {
        self.reader = reader
        self.question = question
        if !fromStart { last = try newest() }
    }

    /// Passes on the rows that arrived since the last call, in order of session and time.
    ///
    /// - Throws: ``FleetError``; the next call passes on what was not.
    public mutating func poll(_ body: (FleetLine) -> Void) throws(FleetError) {
        let now = try newest()
        var conditions: [FilterSubject: String] = [:]
        for subject in FilterSubject.allCases {
            let table = subject.fleetTable
            let parts = (now[table] ?? [:]).sorted { $0.key < $1.key }.compactMap {
                recorder, batch in
                let before = last[table]?[recorder] ?? 0
                return batch > before
                    ? "(recorder = \(TabSeparated.literal(recorder)) AND batch > \(before) AND batch <= \(batch))"
                    : nil
            }
            if !parts.isEmpty { conditions[subject] = "(\(parts.joined(separator: " OR ")))" }
        }
        guard !conditions.isEmpty else { return }
        var lines = FleetLines(reader, question)
        lines.more = conditions
        // Kept until all are read, so that none is passed on twice after a failure in the middle.
        var new: [FleetLine] = []
        let collect: (FleetLine) -> Bool = { line in
            new.append(line)
            return true
        }
        try lines.forEach(limit: nil, collect)
        last = now
        for line in new { body(line) }
    }

    /// The last batch of each recorder, by table.
    private func newest() throws(FleetError) -> [String: [String: Int64]] {
        var found: [String: [String: Int64]] = [:]
        for subject in FilterSubject.allCases {
            let rows = try reader.rows(
                "SELECT recorder, max(batch) FROM \(subject.fleetTable) GROUP BY recorder")
            for row in rows where row.count == 2 {
                found[subject.fleetTable, default: [:]][FleetTableRows.text(row[0])] =
                    FleetTableRows.number(row[1])
            }
        }
        return found
    }
}
