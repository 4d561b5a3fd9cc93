internal import Storage
internal import Wire

/// Where the rows of each session of a trace are.
public struct EvidenceBounds: Sendable {
    /// The tables that are read row by row.
    enum Table: String, CaseIterable {
        case connection, event
        case exchange = "http_exchange"
        case message = "any_message"
        case note
        case fault = "fault_statement"
    }

    private struct Key: Hashable {
        var table: Table
        var session: Int64
    }

    private var ranges: [Key: ClosedRange<Int64>] = [:]
    private var last: Int64 = 0
    private let isAlone: Bool

    /// Looks where the rows of the trace at `reader` are.
    ///
    /// - Throws: ``TraceError`` with code `storage`.
    public init(_ reader: TraceReader) throws(TraceError) {
        var ranges: [Key: ClosedRange<Int64>] = [:]
        (isAlone, last) = try reader.reported { () throws(StorageFault) in
            let last = try reader.db.integer("SELECT max(id) FROM session")
            guard try reader.db.integer("SELECT count(*) FROM session") > 1 else {
                return (true, last)
            }
            for table in Table.allCases {
                let statement = try reader.db.prepare(
                    "SELECT session_id, min(id), max(id) FROM \(table.rawValue) "
                        + "GROUP BY session_id")
                while try statement.step() {
                    let (first, end) = (statement.integer(1), statement.integer(2))
                    ranges[Key(table: table, session: statement.integer(0))] = first...end
                }
            }
            return (false, last)
        }
        self.ranges = ranges
    }

    /// The numbers of the rows of a session; nil where it has none and will have none.
    func range(of table: Table, _ session: SessionID) -> ClosedRange<Int64>? {
        if isAlone { return 1...Int64.max }
        let known = ranges[Key(table: table, session: session.rawValue)]
        // The last session may still be running.
        guard session.rawValue == last else { return known }
        return (known?.lowerBound ?? 1)...Int64.max
    }
}
