/// Rows of one table and one day that are sent as one block.
struct Batch: Hashable, Sendable {
    /// Its number, from 1, over all tables of the recorder.
    var number: Int64
    /// The unit that its rows belong to.
    var unit: String
    /// The table.
    var table: String
    /// The day, since 1970.
    var day: Int
    /// Numbers of the rows of the unit's first table.
    var numbers: NumberRanges
    /// How many rows it has.
    var rows: Int64
    /// Bytes of its rows as they are sent.
    var size: Int64
    /// A checksum of those.
    var checksum: UInt64
    /// The smallest and the largest session.
    var sessions: ClosedRange<Int64>

    /// The identifier of the query that inserts it.
    func queryID(_ recorder: String) -> String { "tapedeck-\(recorder)-\(number)" }

    /// The condition for its rows on the server: the recorder and the sessions narrow the key, the
    /// day the partition.
    func condition(_ recorder: String) -> String {
        """
        day = \(DayText.literal(day)) AND recorder = \(TabSeparated.literal(recorder)) \
        AND session_id BETWEEN \(sessions.lowerBound) AND \(sessions.upperBound) AND batch = \(number)
        """
    }
}

/// Days as ClickHouse writes them.
enum DayText {
    /// Days of a Date.
    static let range = 0...65_535

    /// The day of a time, nanoseconds since 1970, within what a Date can hold.
    static func day(_ unixNanoseconds: Int64) -> Int {
        let day = Int(unixNanoseconds.quotientFloor(86_400_000_000_000))
        return min(max(day, range.lowerBound), range.upperBound)
    }

    /// The day as a literal.
    static func literal(_ day: Int) -> String { "toDate(\(day))" }
}

extension Int64 {
    /// The quotient rounded down.
    fileprivate func quotientFloor(_ divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
