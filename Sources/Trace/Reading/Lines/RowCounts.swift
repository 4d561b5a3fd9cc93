internal import Storage

/// How many exchanges, commands and messages a trace has, kept while it grows.
///
/// What the sides had different versions of counts twice.
public struct RowCounts: Hashable, Sendable {
    /// The counts.
    public private(set) var counts = TraceReader.Numbers()
    private var upTo = TraceReader.Numbers()
    private var first = TraceReader.Numbers()

    /// Nothing was counted yet.
    public init() {}

    /// Counts what has come since the last call; all of a kind of which rows were evicted.
    ///
    /// - Parameter reader: Reads the same trace each time.
    /// - Throws: ``TraceError`` with code `storage`.
    public mutating func advance(_ reader: TraceReader) throws(TraceError) {
        for (table, kind) in Self.kinds {
            let (first, last) = try reader.span(of: table)
            if first != self.first[keyPath: kind] || last < upTo[keyPath: kind] {
                self.first[keyPath: kind] = first
                upTo[keyPath: kind] = 0
                counts[keyPath: kind] = 0
            }
            guard last > upTo[keyPath: kind] else { continue }
            let new = try reader.count(of: table, after: upTo[keyPath: kind])
            counts[keyPath: kind] += new.count
            upTo[keyPath: kind] = max(upTo[keyPath: kind], new.last)
        }
    }

    private static var kinds: [(String, WritableKeyPath<TraceReader.Numbers, Int64>)] {
        [
            ("any_exchange", \.exchange), ("any_command", \.command), ("any_message", \.message),
        ]
    }
}

extension TraceReader {
    /// The first and the last number in a table; 0 for none.
    fileprivate func span(of table: String) throws(TraceError) -> (first: Int64, last: Int64) {
        try reported { () throws(StorageFault) in
            (
                try db.integer("SELECT min(id) FROM \(table)"),
                try db.integer("SELECT max(id) FROM \(table)")
            )
        }
    }

    /// How many rows come after a number, and the last of them.
    ///
    /// In one statement, during which nothing is written. All of them are counted by the pages of the smallest
    /// index, which SQLite does only where it looks for nothing else.
    fileprivate func count(
        of table: String, after first: Int64
    ) throws(TraceError) -> (count: Int64, last: Int64) {
        try reported { () throws(StorageFault) in
            let statement = try db.prepare(
                first > 0
                    ? "SELECT count(*), max(id) FROM \(table) WHERE id > ?"
                    : "SELECT (SELECT count(*) FROM \(table)), (SELECT max(id) FROM \(table))")
            if first > 0 { statement.bind(1, first) }
            guard try statement.step() else { return (0, first) }
            return (statement.integer(0), statement.integer(1))
        }
    }
}
